/** What `git` may run: settings, hooks of its own options, commands of its commands. */
import type { Hidden } from './hidden.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

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

export function gitHides(words: readonly Word[]): Hidden {
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    const text = textOf(word);
    if (text === undefined || !text.startsWith('-')) break;
    if (text === '-C') at++;
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
