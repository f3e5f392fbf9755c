/**
 * Commands inside the words of a command: of programs that run another one (`sudo`, `xargs`, `bash -c`). What can be read there is
 * given, to be judged like any other command; what cannot, or what a program would run in another way, is a reason to ask.
 */
import { optionHides } from './commandOptions.ts';
import { findHides } from './find.ts';
import { gitHides } from './git.ts';
import { operandsOf, type Options } from './options.ts';
import { readerHides } from './readers.ts';
import { literalWord, mayBeOption, textOf, UNKNOWN, type Word } from './word.ts';

export interface Hidden {
  /** The words of inner commands. */
  commands?: readonly (readonly Word[])[];
  /** Shell lines that are run. */
  lines?: readonly string[];
  /** Why it is asked, each to stand behind "it". */
  ask?: readonly string[];
  /** Words that are no paths, though they may look like one: the pattern of `grep`. */
  notPaths?: readonly Word[];
}

type Reader = (words: readonly Word[], name: string) => Hidden;

/** What the command's name leads to: `/usr/bin/Env.exe` is `env`. */
export function programName(word: Word | undefined): string | undefined {
  return textOf(word)
    ?.replace(/^.*[\\/]/, '')
    .toLowerCase()
    .replace(/\.exe$/, '');
}

/** `words` are those of a simple command, its name first. */
export function hiddenIn(words: readonly Word[]): Hidden {
  const name = programName(words[0]);
  if (name === undefined) return { ask: [`runs a command that is only known when it runs: ${words[0]?.source ?? ''}`] };
  const reason = UNREADABLE.get(name);
  if (reason !== undefined) return { ask: [`${reason}: ${name}`] };
  if (name === 'git') return gitHides(words);
  if (name === 'find' || name === 'gfind') return findHides(words);
  if (Object.hasOwn(RUNNERS, name)) return runner(words, name, RUNNERS[name] ?? {});
  if (SHELLS.has(name)) return shell(words, name);
  if (INTERPRETERS.test(name)) return interpreter(words, name);
  if (Object.hasOwn(OTHERS, name)) return OTHERS[name]?.(words, name) ?? {};
  return { ...readerHides(words, name), ...optionHides(words, name) };
}

const RUNS = 'may run other commands in a way that is not read here';
const CHANGES = 'changes what later commands mean';
/** Programs that are asked each time, with the reason. */
const UNREADABLE = new Map<string, string>([
  ...words(
    RUNS,
    `parallel ssh su runuser chroot unshare nsenter script expect at batch crontab screen tmux entr systemd-run pkexec busybox
     toybox strace ltrace gdb lldb dbus-run-session dbus-launch xvfb-run fakeroot rlwrap unbuffer setpriv prlimit chpst taskset
     chrt numactl proot bwrap firejail run-parts start-stop-daemon fish csh tcsh rbash pwsh powershell cmd coproc fc caffeinate
     noglob nocorrect repeat linux32 linux64 setarch i386 x86_64 runcon sg newgrp cgexec catchsegv ld.so osascript`,
  ),
  ...words(CHANGES, 'alias unalias enable hash bind complete compopt shopt'),
  ...words('runs a script in this shell, whose commands are not read', 'source .'),
  ...words('goes back to a folder that is not known', 'popd'),
]);

function words(reason: string, names: string): [string, string][] {
  return names.split(/\s+/).map((name) => [name, reason]);
}

interface Runner extends Options {
  /** So many words come before the command. */
  operands?: number;
  /** Words such as `A=b` may come before it. */
  assigns?: boolean;
  /** A number as an option: `-5`. */
  number?: boolean;
}

/** Programs whose operands are a command, with the options that are known. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  nohup: {},
  setsid: { flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'] },
  time: { flags: 'pv', longFlags: ['--portability', '--verbose'] },
  nice: { values: 'n', longValues: ['--adjustment'], number: true },
  ionice: { flags: 't', values: 'cn', longFlags: ['--ignore'], longValues: ['--class', '--classdata'] },
  timeout: {
    flags: 'v',
    values: 'ks',
    longFlags: ['--foreground', '--preserve-status', '--verbose'],
    longValues: ['--kill-after', '--signal'],
    operands: 1,
  },
  stdbuf: { values: 'ioe', longValues: ['--input', '--output', '--error'] },
  env: {
    flags: 'i0v',
    values: 'uC',
    longFlags: ['--ignore-environment', '--null', '--debug'],
    longValues: ['--unset', '--chdir'],
    assigns: true,
  },
  sudo: { flags: 'AbEHknPS', values: 'ugpC', longValues: ['--user', '--group'], assigns: true },
  doas: { flags: 'n', values: 'u', assigns: true },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
};

function runner(words: readonly Word[], name: string, { operands = 0, assigns, number, ...options }: Runner): Hidden {
  let given = words.slice(1);
  // `env -` is `env -i`.
  if (name === 'env') given = given.filter((word, index) => index > 0 || textOf(word) !== '-');
  if (number === true && /^-\d+$/.test(textOf(given[0]) ?? '')) given = given.slice(1);
  const found = operandsOf(given, options);
  const skipped = found?.words.slice(0, operands);
  const command = found?.words.slice(operands);
  if (command === undefined || skipped?.some((word) => textOf(word) === undefined) === true) return unclear(name);
  return inner(command, assigns === true ? name : undefined);
}

/** A command in operands. Before it `A=b` sets a variable where the program takes it so; elsewhere it is a name nobody means. */
function inner(command: readonly Word[], assigns?: string): Hidden {
  if (command.length === 0) return {};
  const [name] = command;
  if (!/^[\w]+(\[.*\])?\+?=/.test(name?.pieces[0]?.is === 'text' ? name.pieces[0].text : ''))
    return { commands: [command] };
  const rest = assigns === undefined ? [] : command.slice(1);
  const more = inner(rest, assigns);
  return { ...more, ask: [...(more.ask ?? []), `sets a variable for a command: ${name?.source ?? ''}`] };
}

function unclear(name: string): Hidden {
  return { ask: [`may run a command that cannot be told from the options of ${name}`] };
}

const SHELLS = new Set(['bash', 'sh', 'dash', 'ash', 'zsh', 'ksh', 'mksh']);
/** Their language is bash's, as far as it is read here. */
const LIKE_BASH = new Set(['bash', 'sh', 'dash', 'ash']);

function shell(words: readonly Word[], name: string): Hidden {
  const plain = words.slice(1).filter((word) => !/^--(norc|noprofile|posix|login)$/.test(textOf(word) ?? ''));
  if (/^--(version|help)$/.test(textOf(plain[0]) ?? '') && plain.length === 1) return {};
  const found = operandsOf(plain, { flags: 'abcefhiklmnprtuvxBCEHPT', values: 'oO' });
  const [first] = found?.words ?? [];
  const text = textOf(first);
  if (found === undefined || found.given.some(({ option }) => 'iks'.includes(option.slice(1)))) return unclear(name);
  if (first === undefined || text === '-' || text?.startsWith('/dev/') === true || text?.startsWith('/proc/') === true)
    return { ask: [`runs what it reads: ${name}`] };
  const isLine = found.given.some(({ option }) => option === '-c');
  if (text === undefined)
    return { ask: [`runs a ${isLine ? 'line' : 'script'} that is only known when it runs: ${name}`] };
  if (!isLine) return {};
  const ask = LIKE_BASH.has(name) ? [] : [`runs a line in another shell's language: ${name}`];
  return { lines: [text], ask };
}

const INTERPRETERS =
  /^(python|pypy|perl|ruby|node|lua|php|tclsh)[\d.]*$|^(nodejs|deno|bun|rscript|ghci|irb|luajit|wish)$/;

/** With no file and no code among its words it runs what it reads. */
function interpreter(words: readonly Word[], name: string): Hidden {
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

function xargs(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), {
    flags: '0rtpx',
    values: 'InPLsdaE',
    longFlags: ['--null', '--no-run-if-empty', '--verbose', '--exit', '--interactive', '--open-tty'],
    longValues: ['--max-args', '--max-procs', '--max-lines', '--max-chars', '--delimiter', '--arg-file'],
  });
  if (found === undefined) return unclear(name);
  if (found.words.length === 0) return { commands: [[literalWord('echo'), UNKNOWN]] };
  const replace = found.given.find(({ option }) => option === '-I');
  if (replace === undefined) return inner([...found.words, UNKNOWN]);
  const mark = textOf(replace.value);
  if (mark === undefined || mark === '') return unclear(name);
  return inner(found.words.map((word) => (textOf(word)?.includes(mark) === false ? word : UNKNOWN)));
}

/** `eval`, `trap`, `watch`, `flock -c`: words that become a line. */
function joined(words: readonly Word[], name: string): Hidden {
  const texts = words.map((word) => textOf(word));
  return texts.includes(undefined)
    ? { ask: [`runs a line that is only known when it runs: ${name}`] }
    : { lines: texts.length === 0 ? [] : [texts.join(' ')] };
}

function watch(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), { flags: 'bcdegtpwx', values: 'n' });
  if (found === undefined) return unclear(name);
  return found.given.some(({ option }) => option === '-x') ? inner(found.words) : joined(found.words, name);
}

function flock(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), { flags: 'xesnuoFv', values: 'wE' });
  if (found === undefined) return unclear(name);
  const [, ...command] = found.words;
  return textOf(command[0]) === '-c' ? joined(command.slice(1), name) : inner(command);
}

function trap(words: readonly Word[], name: string): Hidden {
  const given = words.slice(textOf(words[1]) === '--' ? 2 : 1);
  if (/^(-|-[lp])?$/.test(textOf(given[0]) ?? 'x')) return {};
  return joined(given.slice(0, 1), name);
}

function command(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), { flags: 'pvV' });
  if (found === undefined) return unclear(name);
  return found.given.some(({ option }) => option !== '-p') ? {} : inner(found.words);
}

/** What these set must be variables of the line itself; a name such as `a[$(…)]` would be run. */
function setsVariables(words: readonly Word[], name: string): Hidden {
  const given =
    name === 'printf' ? (textOf(words[1])?.startsWith('-v') === true ? words.slice(1, 3) : []) : words.slice(1);
  const unknown =
    name === 'printf' && words[1] !== undefined && textOf(words[1]) === undefined && mayBeOption(words[1]);
  const fine = given.every((word) => /^([a-z][a-z0-9_]*|-[rvs]+|-[adnNtup]|\d+)$/.test(textOf(word) ?? ''));
  return fine && !unknown ? {} : { ask: [`may change what other commands do, by the variables it sets: ${name}`] };
}

function setOptions(words: readonly Word[], name: string): Hidden {
  const given = words.slice(1).map((word) => textOf(word) ?? '?');
  const fine = given.every((text) => /^([-+][euxvf]*o?|errexit|nounset|pipefail|xtrace|noglob)$/.test(text));
  return fine ? {} : { ask: [`${CHANGES}: ${name}`] };
}

function test(words: readonly Word[]): Hidden {
  const calculates = words.some(
    (word) => ['-v', '-R'].includes(textOf(word) ?? '') || (textOf(word) ?? '').includes('$('),
  );
  return calculates ? { ask: ['looks up a variable by a name that may run something: test'] } : {};
}

const OTHERS: Readonly<Record<string, Reader>> = {
  xargs,
  gxargs: xargs,
  eval: (words, name) => joined(words.slice(1), name),
  trap,
  watch,
  flock,
  command,
  read: setsVariables,
  mapfile: setsVariables,
  readarray: setsVariables,
  getopts: setsVariables,
  printf: setsVariables,
  let: (_, name) => ({ ask: [`calculates, which may run what a variable holds: ${name}`] }),
  set: setOptions,
  test,
  '[': test,
};
