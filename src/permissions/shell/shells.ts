/** Programs that run a script: shells, whose lines are read, and interpreters of other languages. */
import type { Hidden } from './hidden.ts';
import { operandsOf, type Options } from './options.ts';
import { unclear } from './runners.ts';
import { unread } from './unreadable.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

/** Their language is bash's, as far as it is read here. */
const LIKE_BASH = new Set(['bash', 'sh', 'dash', 'ash']);
const SHELLS = new Set([...LIKE_BASH, 'zsh', 'ksh', 'mksh']);
const SHELL_OPTIONS: Options = {
  flags: 'abcefhiklmnprtuvxBCEHPT',
  values: 'oO',
  long: 'norc noprofile posix login version help',
};

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

export function shellHides(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), SHELL_OPTIONS);
  const options = found?.given.map(({ option }) => option) ?? [];
  if (words.length === 2 && (options[0] === '--version' || options[0] === '--help')) return {};
  if (found === undefined || options.some((option) => ['-i', '-k', '-s', '-O'].includes(option))) return unclear(name);
  const [first] = found.words;
  const text = textOf(first);
  if (first === undefined || text === '-' || text?.startsWith('/dev/') === true || text?.startsWith('/proc/') === true)
    return unread(`runs what it reads: ${name}`);
  const isLine = options.includes('-c');
  if (text === undefined)
    return unread(`runs a ${isLine ? 'line' : 'script'} that is only known when it runs: ${name}`);
  if (!isLine) return { ask: [`runs a script, whose commands are not read: ${name}`] };
  const ask = LIKE_BASH.has(name) ? [] : [`runs a line in another shell's language: ${name}`];
  return { lines: [text], ask };
}

const INTERPRETERS =
  /^(python|pypy|perl|ruby|node|lua|php|tclsh)[\d.]*$|^(nodejs|deno|bun|rscript|ghci|irb|luajit|wish)$/;

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}

/** With no file and no code among its words it runs what it reads. */
export function interpreterHides(words: readonly Word[], name: string): Hidden {
  const given = words
    .slice(1)
    .filter((_, index, all) => !/^(-[WXrI]|--require|--import|--loader)$/.test(textOf(all[index - 1]) ?? ''));
  const file = given.find((word) => textOf(word)?.startsWith('-') !== true || textOf(word) === '-');
  const text = textOf(file);
  const isCode = /^-[a-zA-Z]*[cemhpvV]|^--(version|help|eval|print|check|test|run)\b/;
  if (given.some((word) => isCode.test(textOf(word) ?? ''))) return {};
  if (file === undefined || text === '-' || /^\/(dev|proc)\//.test(text ?? ''))
    return { ask: [`runs what it reads: ${name}`] };
  if (text === undefined && mayBeOption(file))
    return { ask: [`runs a script that is only known when it runs: ${name}`] };
  return {};
}
