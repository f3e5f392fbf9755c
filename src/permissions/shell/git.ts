/** What `git` may run: settings, hooks of its own options, commands of its commands. */
import type { Hidden } from './hidden.ts';
import { mayBeOption, shellWord, textOf, type ShellWord, type Word } from './word.ts';

const PLAIN = new Set([
  '--no-pager',
  '-P',
  '--no-replace-objects',
  '--literal-pathspecs',
  '--no-optional-locks',
  '--bare',
  '--version',
  '--help',
  '-h',
  '-v',
]);
/** Options of git's commands that name a program, or a file to write, besides what {@link COMMANDS} says. */
const OPTIONS = [
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--extcmd',
  '--open-files-in-pager',
  '--config',
  '--template',
  '--ext-diff',
  '--textconv',
  '--output',
  '--to-cmd',
  '--cc-cmd',
  '--smtp-server',
  '--sendmail-cmd',
  '--tree-filter',
  '--tool',
  '--strategy',
];
/** Letters that do so in single commands. */
const LETTERS: Readonly<Record<string, string>> = {
  clone: 'uc',
  grep: 'O',
  rebase: 'xs',
  difftool: 'xt',
  mergetool: 't',
};
const COMMANDS = new Set([
  'filter-branch',
  'config',
  'send-email',
  'instaweb',
  'daemon',
  'shell',
  'merge-index',
  'hook',
  'maintenance',
  'gui',
  'citool',
  'p4',
  'svn',
  'cvsserver',
  'remote-ext',
  'upload-pack',
  'receive-pack',
]);

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

export function gitHides(words: readonly Word[]): Hidden {
  const at = gitCommandAt(words.map(shellWord));
  for (let option = 1; option < at; option++) {
    const text = textOf(words[option]) ?? '';
    if (text === '-C') option++;
    else if (!PLAIN.has(text)) return { ask: [`may run a command by a setting: git ${text}`] };
  }
  const name = textOf(words[at]);
  if (name === undefined)
    return words[at] === undefined
      ? {}
      : { ask: [`does what is only known when it runs: git ${words[at]?.source ?? ''}`] };
  const given = words.slice(at + 1);
  const second = textOf(given[0]) ?? '';
  const runs =
    COMMANDS.has(name) ||
    name.startsWith('credential') ||
    (name === 'bisect' && second === 'run') ||
    (name === 'submodule' && given.some((word) => textOf(word) === 'foreach')) ||
    given.some((word) => isRisky(name, word));
  return runs ? { ask: [`may run or write something else: git ${name}`] } : {};
}

function isRisky(command: string, word: Word): boolean {
  const [first] = word.pieces;
  const text = first?.is === 'text' ? first.text : '';
  if (/^[\w-]+::/.test(text)) return true;
  const given = text.split('=')[0] ?? '';
  // Options may be cut short as long as they are not ambiguous.
  if (text.startsWith('--')) return given.length > 2 && OPTIONS.some((option) => option.startsWith(given));
  if (text.startsWith('-')) return [...(LETTERS[command] ?? '')].some((letter) => text.includes(letter));
  return textOf(word) === undefined && mayBeOption(word) && first?.is === 'unknown';
}
