/** The words of `git`: where its command stands, and paths as only git reads them (`HEAD:a.txt`, `:(top)a.txt`). */
import { shellWord, textOf, type ShellWord, type Word } from './word.ts';

/** Options before git's command whose value may be the next word. */
const WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--attr-source',
  '--super-prefix',
]);

/** Where git's own command stands among its words (`git -C src push`), or the first word that is only known when it runs. */
export function gitCommandAt(words: readonly ShellWord[]): number {
  let at = 1;
  for (let word = words[at]; typeof word === 'string' && word.startsWith('-'); word = words[at])
    at += WITH_VALUE.has(word) && typeof words[at + 1] === 'string' ? 2 : 1;
  return at;
}

export interface GitPath {
  word: Word;
  /** It leads from the top of the repository, not from where the command stands. */
  top: boolean;
  /** What follows; empty for the place itself. */
  path: string;
  /** It says what is left out. */
  excludes: boolean;
}

/** Commands with words that have colons in them for other reasons: addresses, names of branches, messages. */
const OTHERS = new Set('clone commit fetch ls-remote merge notes pull push remote submodule tag'.split(' '));

/** The words that say their path in such a way. */
export function gitPathsIn(words: readonly Word[]): GitPath[] {
  const at = gitCommandAt(words.map(shellWord));
  if (OTHERS.has(textOf(words[at]) ?? '')) return [];
  return words.slice(at + 1).flatMap((word) => {
    const text = textOf(word) ?? '';
    // It may be the one or the other.
    return [pathspecOf(text), pathOfRevision(text)].flatMap((found) =>
      found === undefined ? [] : [{ word, ...found }],
    );
  });
}

/** `:/src`, `:!src`, `:(top,glob)src`, `:src`. */
export function pathspecOf(text: string): Omit<GitPath, 'word'> | undefined {
  const long = /^:\(([^)]*)\)(.*)$/s.exec(text);
  if (long !== null) {
    const [, magic = '', rest = ''] = long;
    const words = magic.split(',');
    return { top: words.includes('top'), path: rest, excludes: words.includes('exclude') };
  }
  const short = /^:([/!^]*):?(.*)$/s.exec(text);
  if (short === null) return undefined;
  const [, magic = '', rest = ''] = short;
  return { top: magic.includes('/'), path: rest, excludes: /[!^]/.test(magic) };
}

/** `HEAD:a.txt`, `:a.txt`, `:0:a.txt`; from where the command stands only with `./` or `../`. */
export function pathOfRevision(text: string): Omit<GitPath, 'word'> | undefined {
  // In braces a colon belongs to a time, or to the words that a message has.
  const plain = text.replace(/\{[^}]*\}/g, (inside) => '_'.repeat(inside.length));
  const colon = /^:[0-3]:/.test(plain) ? 2 : plain.indexOf(':');
  const path = text.slice(colon + 1);
  if (colon < 0 || plain.startsWith('-') || /^\s/.test(path) || (colon === 0 && path.startsWith('/'))) return undefined;
  return { top: !/^\.\.?(\/|$)/.test(path), path, excludes: false };
}
