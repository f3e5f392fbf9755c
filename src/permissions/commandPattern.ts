/**
 * Patterns of commands, as in a rule `"git status *": "allow"` (P2). A pattern is a list of words, each a glob for one argument as
 * the program gets it: `*` any characters, `?` one, `[ab]` one of these, `{a,b}` either. Quotes and backslashes make characters
 * literal, as in a shell. A `*` that is the last word stands for any arguments, none included: `git status` is that alone,
 * `git status *` is it with whatever follows. Letter case counts.
 *
 * An argument that is only known when the command runs (`$file`, `*.ts`, `$(date)`) is matched by a last `*` and by nothing else.
 */
import { costOfGlob, matchesGlob, parseGlob, type Glob } from '../text/glob.ts';
import { programName } from './programName.ts';
import { gitCommandAt } from './shell/gitWords.ts';
import { DYNAMIC, type ShellWord } from './shell/word.ts';

export interface CommandPattern {
  /** One for each argument, the program's name included; `undefined` is the empty argument, which no glob describes. */
  readonly words: readonly (Glob | undefined)[];
  /** Any further arguments. */
  readonly rest: boolean;
}

const ACCEPTED = 'Write the words of a command, such as "git status", or "git status *" for any arguments behind them.';
/** What stands between commands, and what leads into files: a line is never matched as a whole. */
const OPERATORS = new Set('|&;<>()');
const GLOB_CHARACTERS = new Set('*?[]{},\\!^-');

/** The message of `error` says what is wrong and what would be accepted; it is meant to stand behind the pattern. */
export function parseCommandPattern(text: string): CommandPattern | { error: string } {
  if (/[\p{Cc}\u2028\u2029]/u.test(text.replaceAll('\t', ' ')))
    return { error: `it has a line break or another control character in it. ${ACCEPTED}` };
  const globs = splitWords(text);
  if ('error' in globs) return globs;
  if (globs.length === 0) return { error: `it is empty. ${ACCEPTED}` };
  if (/^\w+=/.test(globs[0] ?? ''))
    return { error: `it begins with a variable that is set, and a line that does so is always asked. ${ACCEPTED}` };
  const rest = globs.at(-1) === '*';
  const words: (Glob | undefined)[] = [];
  for (const glob of rest ? globs.slice(0, -1) : globs) {
    const parsed = glob === '' ? undefined : parseGlob(glob);
    if (parsed !== undefined && 'error' in parsed) return { error: `${JSON.stringify(glob)}: ${parsed.error}` };
    words.push(parsed);
  }
  return { words, rest };
}

/** As {@link costOfGlob}. */
export function costOfCommandPattern({ words }: CommandPattern): number {
  return words.reduce((sum, glob) => sum + (glob === undefined ? 0 : costOfGlob(glob)), 0);
}

/** The words as globs: what was quoted has a backslash before each character that means something in a glob. */
function splitWords(text: string): string[] | { error: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote === '' && (character === ' ' || character === '\t')) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = '';
    else if (character === '\\' && (quote === '' || (quote === '"' && /["\\$`]/.test(text[at + 1] ?? '')))) {
      const next = text[++at];
      if (next === undefined)
        return { error: `it ends in a single backslash; write \\\\ for a backslash. ${ACCEPTED}` };
      word = `${word ?? ''}${literal(next)}`;
    } else if (quote === '' && OPERATORS.has(character))
      return {
        error: `${character} is no part of a word: a pattern is for one command, and each command of a line is matched by itself. Put it in quotes where the character itself is meant.`,
      };
    else if (quote === '' && character === '*' && text[at + 1] === '*')
      return {
        error: '** is for paths; * is any characters in a word, and any further words where it is the last one.',
      };
    else word = `${word ?? ''}${quote === '' ? character : literal(character)}`;
  }
  if (quote !== '') return { error: `a ${quote} is never closed; write \\${quote} for the character itself.` };
  return word === undefined ? words : [...words, word];
}

function literal(character: string): string {
  return GLOB_CHARACTERS.has(character) ? `\\${character}` : character;
}

/** Whether these are words of such a command. */
export function matchesCommand({ words, rest }: CommandPattern, command: readonly ShellWord[]): boolean {
  if (rest ? command.length < words.length : command.length !== words.length) return false;
  return words.every((glob, index) => matchesWord(glob, command[index]));
}

function matchesWord(glob: Glob | undefined, word: ShellWord | undefined): boolean {
  if (typeof word !== 'string') return false;
  return glob === undefined ? word === '' : matchesGlob(glob, word, { slash: false });
}

/**
 * Whether these may be, or turn out to be, words of such a command, for rules that ask or deny: what {@link matchesCommand} says;
 * also when a word that is not known yet may become what is missing (it may be several words, or none), when the program is
 * named in another way (`/bin/rm` for `rm`), and when `git` has options before its command (`git -C src push`).
 */
export function mayMatchCommand(pattern: CommandPattern, command: readonly ShellWord[]): boolean {
  return otherNames(command).some((words) => {
    if (matchesCommand(pattern, words)) return true;
    const unknown = words.indexOf(DYNAMIC);
    return unknown >= 0 && pattern.words.slice(0, unknown).every((glob, index) => matchesWord(glob, words[index]));
  });
}

function otherNames(command: readonly ShellWord[]): (readonly ShellWord[])[] {
  const plain = byProgram(command);
  const inside = plain[0] === 'git' ? ['git', ...plain.slice(gitCommandAt(plain))] : plain;
  return [command, plain, inside];
}

/** Whether these surely are words of such a command, by whatever name its program is called, with or without options of `git`. */
export function matchesByAnyName(pattern: CommandPattern, command: readonly ShellWord[]): boolean {
  return otherNames(command).some((words) => matchesCommand(pattern, words));
}

/** The words with the program's name as {@link programName} gives it. */
function byProgram(command: readonly ShellWord[]): readonly ShellWord[] {
  const [name, ...others] = command;
  return typeof name === 'string' ? [programName(name), ...others] : command;
}

/** In UTF-16 units; what is longer is no rule that anyone would read. */
const LONGEST = 1000;

/** The pattern that matches these words and no others; undefined when one of them is not known, or cannot be written in one line. */
export function narrowestPattern(command: readonly ShellWord[]): string | undefined {
  const words = command.map((word) => (typeof word === 'string' ? quoted(word) : undefined));
  if (words.length === 0 || words.includes(undefined)) return undefined;
  const text = words.join(' ');
  return text.length > LONGEST || 'error' in parseCommandPattern(text) ? undefined : text;
}

function quoted(word: string): string | undefined {
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(word)) return undefined;
  if (/^[\w@%+:./,-][\w@%+=:./,-]*$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
