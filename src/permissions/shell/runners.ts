/** Programs whose operands are a command. */
import type { Hidden, HiddenReader } from './hidden.ts';
import { mayHoldOption, operandsOf, type Options } from './options.ts';
import { unread } from './unreadable.ts';
import { literalWord, textOf, UNKNOWN, type Word } from './word.ts';

interface Runner extends Options {
  /** So many words come before the command. */
  operands?: number;
  /** Words such as `A=b` may come before it. */
  assigns?: true;
}

const SIMPLE: Readonly<Record<string, Runner>> = {
  nohup: {},
  setsid: { flags: 'cfw', long: 'ctty fork wait' },
  time: { flags: 'pv', long: 'portability verbose' },
  nice: { values: 'n', long: 'adjustment=', number: true },
  ionice: { flags: 't', values: 'cn', long: 'ignore class= classdata=' },
  timeout: { flags: 'v', values: 'ks', long: 'foreground preserve-status verbose kill-after= signal=', operands: 1 },
  stdbuf: { values: 'ioe', long: 'input= output= error=' },
  env: { flags: 'i0v', values: 'uC', long: 'ignore-environment null debug unset= chdir=', assigns: true },
  sudo: { flags: 'AbEHknPS', values: 'ugpC', long: 'user= group=', assigns: true },
  doas: { flags: 'n', values: 'u', assigns: true },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
};

const XARGS: Options = {
  flags: '0rtpx',
  values: 'InPLsdaE',
  long: `null no-run-if-empty verbose exit interactive open-tty max-args= max-procs= max-lines=? max-chars= delimiter=
    arg-file=`,
};
const WATCH: Options = { flags: 'bcdegtpwx', values: 'n' };
const FLOCK: Options = { flags: 'xesnuoFv', values: 'wE' };
const COMMAND: Options = { flags: 'pvV' };

export const RUNNERS: ReadonlyMap<string, HiddenReader> = new Map<string, HiddenReader>([
  ...Object.entries(SIMPLE).map(([name, options]): [string, HiddenReader] => [
    name,
    (words) => simple(words, name, options),
  ]),
  ['xargs', xargs],
  ['gxargs', xargs],
  ['watch', watch],
  ['flock', flock],
  ['command', command],
]);

function simple(words: readonly Word[], name: string, { operands = 0, assigns, ...options }: Runner): Hidden {
  let given = words.slice(1);
  // `env -` is `env -i`.
  if (name === 'env') given = given.filter((word, index) => index > 0 || textOf(word) !== '-');
  const found = operandsOf(given, options);
  const skipped = found?.words.slice(0, operands);
  const inside = found?.words.slice(operands);
  if (inside === undefined || skipped?.some((word) => textOf(word) === undefined) === true) return unclear(name);
  return inner(inside, assigns === true ? name : undefined);
}

/** A command in operands. Before it `A=b` sets a variable where the program takes it so; elsewhere it is a name nobody means. */
function inner(words: readonly Word[], assigns?: string): Hidden {
  const [name] = words;
  if (name === undefined) return {};
  const [first] = name.pieces;
  if (!/^[\w]+(\[.*\])?\+?=/.test(first?.is === 'text' ? first.text : '')) return { commands: [words] };
  const rest = assigns === undefined ? [] : words.slice(1);
  const more = inner(rest, assigns);
  return { ...more, ask: [...(more.ask ?? []), `sets a variable for a command: ${name.source}`] };
}

export function unclear(name: string): Hidden {
  return unread(`may run a command that cannot be told from the options of ${name}`);
}

function xargs(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), XARGS);
  if (found === undefined) return unclear(name);
  if (found.words.length === 0) return { commands: [[literalWord('echo'), UNKNOWN]] };
  const replace = found.given.find(({ option }) => option === '-I');
  if (replace === undefined) return inner([...found.words, UNKNOWN]);
  const mark = textOf(replace.value);
  if (mark === undefined || mark === '') return unclear(name);
  return inner(found.words.map((word) => (textOf(word)?.includes(mark) === false ? word : UNKNOWN)));
}

/** `eval`, `trap`, `watch`, `flock -c`: words that become a line. */
export function joined(words: readonly Word[], name: string): Hidden {
  const texts = words.map((word) => textOf(word));
  return texts.includes(undefined)
    ? unread(`runs a line that is only known when it runs: ${name}`)
    : { lines: texts.length === 0 ? [] : [texts.join(' ')] };
}

function watch(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), WATCH);
  if (found === undefined) return unclear(name);
  return found.given.some(({ option }) => option === '-x') ? inner(found.words) : joined(found.words, name);
}

function flock(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), FLOCK);
  const [file, ...inside] = found?.words ?? [];
  if (found === undefined || (file !== undefined && mayHoldOption(file))) return unclear(name);
  return textOf(inside[0]) === '-c' ? joined(inside.slice(1), name) : inner(inside);
}

function command(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), COMMAND);
  if (found === undefined) return unclear(name);
  return found.given.some(({ option }) => option !== '-p') ? {} : inner(found.words);
}
