/**
 * Lines that bring files from elsewhere, from a commit or an archive, and then name some: links may be among them, so where those
 * names lead cannot be looked up before (P4).
 */
import { gitReach } from './gitReach.ts';
import { nameOf } from './hidden.ts';
import { mayHoldOption } from './options.ts';
import { gitCommandAt } from './gitWords.ts';
import { takesNoFiles } from './noFiles.ts';
import { changesOf } from './wholeChanges.ts';
import { shellWord, textOf, type Word } from './word.ts';

/** Of git, besides what it says to change of what it tracks. */
const GIT = new Set(
  'am apply checkout-index clone read-tree reset sparse-checkout submodule subtree worktree'.split(' '),
);
/** With these it brings none. */
const QUIET = /^(list|status|prune|lock|unlock|repair|deinit)$/;
const UNPACKS = new Set('tar gtar bsdtar unzip 7z 7za 7zz unrar cpio pax patch ar jar'.split(' '));
const OTHERS = new Map([
  ['gh', /^(checkout|clone|download|fork|sync|co)$/],
  ...['hg', 'svn', 'jj', 'sl', 'bzr'].map((name): [string, RegExp] => [name, /^(?!(st|status|log|diff|info|ls)$)/]),
]);
/** They run what the project says, which a commit says as well, and name files for nothing else. */
const OF_THE_PROJECT = new Set(
  `bun cargo deno dotnet go gmake gradle gradlew make mvn node npm npx pip pip3 pnpm poetry python python3 rake ruby uv
   yarn`.split(/\s+/),
);
/** Without a word they read what they are given, and look at no folder. */
const STREAMS = new Set('cat head tail wc sort uniq tr cut column nl rev less more tee'.split(' '));

export function bringsFiles(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  const texts = words.map((word) => textOf(word));
  if (name === 'git') {
    const at = gitCommandAt(words.map(shellWord));
    const command = texts[at] ?? '';
    if (command === 'reset') return texts.slice(at).some((text) => text === undefined || /^--[hmk]/.test(text));
    if (GIT.has(command)) return !QUIET.test(texts[at + 1] ?? '');
    return !/^(rm|mv)$/.test(command) && gitReach(words).some(({ does, of }) => does === 'change' && of === 'tracked');
  }
  // To pack or to list is certain only where the first word says so.
  if (/tar$/.test(name) && /^-?[a-zA-Z]*[ct][a-zA-Z]*$/.test(texts[1] ?? ''))
    return changesOf(words, false) !== undefined;
  return UNPACKS.has(name) || texts.slice(1, 3).some((text) => OTHERS.get(name)?.test(text ?? 'checkout') === true);
}

/** The first word of a command by which it may reach what was brought. */
export function fileNamedBy(words: readonly Word[]): Word | undefined {
  const name = nameOf(words) ?? '';
  if (OF_THE_PROJECT.has(name)) return undefined;
  const at = name === 'git' ? gitCommandAt(words.map(shellWord)) : 0;
  // It stands elsewhere, or compares files as they are.
  if (at > 1 && words.slice(1, at).some((word) => textOf(word) === '-C')) return words[at];
  const files = textOf(words[at]) === 'grep' ? /^--(no-i|f)|^-[a-zA-Z]*f/ : /^--(no-i|cont|fi)|^-[a-zA-Z]*F/;
  if (name === 'git' && !words.some((word) => files.test(textOf(word) ?? ''))) return undefined;
  // What wildcards find behind a folder is there.
  if (takesNoFiles(words)) return words.find(findsBehindFolder);
  return words.slice(1).find((word) => textOf(word) === undefined || !mayHoldOption(word) || mayGiveFile(name, word));
}

/** Whether it looks at where it stands, whatever it names. */
export function looksAround(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  return !OF_THE_PROJECT.has(name) && !STREAMS.has(name) && (name === 'git' || !takesNoFiles(words));
}

export function findsBehindFolder({ pieces, source }: Word): boolean {
  return pieces.some(({ is }) => is === 'glob') && source.includes('/');
}

/** An option that has a value in it, which may be a file: `--file=a`, `-fa`. */
function mayGiveFile(name: string, word: Word): boolean {
  const text = textOf(word) ?? '';
  return !/^(ls|cat|head|tail|uniq|tree|pwd|grep|rg)$/.test(name)
    ? /^--[^=]+=|^-[^-]./.test(text)
    : /grep|rg/.test(name) && /^--(fi|ig|pre)|^-[^-]*f/.test(text);
}
