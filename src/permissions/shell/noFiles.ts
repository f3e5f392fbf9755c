/** Commands that take none of their words for a file, so that a word which is only known when it runs leads nowhere. */
import { nameOf } from './hidden.ts';
import { maySplit } from './options.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

const PROGRAMS = new Set(
  `echo printf true false : exit return shift break continue wait kill sleep read set test [ basename dirname expr seq type
   getopts cd pushd`.split(/\s+/),
);
/** Of git: what names commits, branches and files of the repository, or carries a message. */
const GIT = new Set(
  `add branch checkout cherry-pick commit describe fetch log ls-files merge merge-base pull push rebase reset restore rev-list
   rev-parse revert rm show stash status switch tag`.split(/\s+/),
);

/** Letters of options of git whose value is the next word, and no option; `git checkout -m` has none. */
const WITH_TEXT: Readonly<Record<string, string>> = {
  checkout: 'bB',
  commit: 'mcC',
  merge: 'm',
  stash: 'm',
  switch: 'cC',
  tag: 'm',
};
const TEXT_OPTION = /^--(message|author|date|since|until|after|before|grep)$/;

export function takesNoFiles(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  if (name !== 'git') return PROGRAMS.has(name);
  const texts = words.slice(1).map((word) => textOf(word));
  const [command = ''] = texts;
  // It may turn out to be `--pathspec-from-file=…`.
  const end = texts.indexOf('--') + 1;
  const mayBeOne = words
    .slice(0, end > 0 ? end : words.length)
    .some(
      (word, index) =>
        textOf(word) === undefined &&
        (maySplit(word) || (mayBeOption(word) && !takesText(command, textOf(words[index - 1]) ?? ''))),
    );
  return (
    GIT.has(command) &&
    !mayBeOne &&
    !texts.some((text) => /^(-[a-zA-Z]*[FtC]|--(fi|te|pathspec|no-i|output))/.test(text ?? ''))
  );
}

function takesText(command: string, option: string): boolean {
  const letter = /^-[a-zA-Z]*([a-zA-Z])$/.exec(option)?.[1];
  const letters = Object.hasOwn(WITH_TEXT, command) ? (WITH_TEXT[command] ?? '') : '';
  return TEXT_OPTION.test(option) || (letter !== undefined && letters.includes(letter));
}
