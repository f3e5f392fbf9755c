/** Commands that take none of their words for a file, so that a word which is only known when it runs leads nowhere. */
import { nameOf } from './hidden.ts';
import { textOf, type Word } from './word.ts';

const PROGRAMS = new Set(
  `echo printf true false : exit return shift break continue wait kill sleep read set test [ basename dirname expr seq type
   getopts cd pushd`.split(/\s+/),
);
/** Of git: what names commits, branches and files of the repository, or carries a message. */
const GIT = new Set(
  `add branch checkout cherry-pick commit describe fetch log ls-files merge merge-base pull push rebase reset restore rev-list
   rev-parse revert rm show stash status switch tag`.split(/\s+/),
);

export function takesNoFiles(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  if (name !== 'git') return PROGRAMS.has(name);
  const texts = words.slice(1).map((word) => textOf(word));
  const [command = ''] = texts;
  return (
    GIT.has(command) && !texts.some((text) => /^(-[a-zA-Z]*[FtC]|--(fi|te|pathspec|no-i|output))/.test(text ?? ''))
  );
}
