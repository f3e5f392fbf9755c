/**
 * The options among the words of a command. Where an option may stand that is not seen (in a variable, a wildcard, or in what another
 * option seems to take for its value), nothing is said of the words at all.
 */
import { mayBeOption, textOf, type Word } from './word.ts';

/** The options of a program that are known; any other one makes its words unreadable, also one that is cut short. */
export interface Options {
  /** Letters that stand alone, such as `-x`. */
  flags?: string;
  /** Letters with a value, in the same word or the next. */
  values?: string;
  /**
   * Long options without their dashes, parted by blanks: `name` stands alone, `name=` has a value behind `=` or in the next word,
   * `name=?` may have one behind `=`.
   */
  long?: string;
  /** A number is an option too: `-5`. */
  number?: true;
  /** Options may stand behind operands. */
  anywhere?: true;
}

export interface Operands {
  words: readonly Word[];
  /** The options, each with its value if it has one: `-u`, `--user`. */
  given: readonly Given[];
}

interface Given {
  option: string;
  value: Word | undefined;
}

/** What is no option among `words`, which are without the program's name; undefined when that cannot be told. */
export function operandsOf(words: readonly Word[], options: Options): Operands | undefined {
  const operands: Word[] = [];
  const given: Given[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    if (text === '--') return { words: [...operands, ...words.slice(at + 1)], given };
    if (text === undefined ? mayHoldOption(word) : !isKnown(text, options, given)) return undefined;
    if (text === undefined || !isOption(text)) {
      if (options.anywhere !== true) return { words: words.slice(at), given };
      operands.push(word);
      continue;
    }
    const last = given.at(-1);
    if (last === undefined || last.value !== MISSING) continue;
    const value = words[++at];
    if (value !== undefined && mayHoldOption(value)) return undefined;
    given[given.length - 1] = { ...last, value };
  }
  return { words: operands, given };
}

/** Stands for a value until the next word is read. */
const MISSING: Word = { pieces: [], source: '' };

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-';
}

/** Adds the options in one word to `given`. */
function isKnown(text: string, options: Options, given: Given[]): boolean {
  if (!isOption(text) || (options.number === true && /^-\d+$/.test(text))) return true;
  if (text.startsWith('--')) {
    const [option = '', ...value] = text.slice(2).split('=');
    const takes = longOptions(options).get(option);
    if (takes === undefined || (takes === '' && value.length > 0)) return false;
    const attached = value.length > 0 ? literalOf(value.join('=')) : undefined;
    given.push({ option: `--${option}`, value: attached ?? (takes === '=' ? MISSING : undefined) });
    return true;
  }
  for (const [index, letter] of [...text].entries()) {
    if (index === 0) continue;
    if (options.values?.includes(letter) === true) {
      const attached = [...text].slice(index + 1).join('');
      given.push({ option: `-${letter}`, value: attached === '' ? MISSING : literalOf(attached) });
      return true;
    }
    if (options.flags?.includes(letter) !== true) return false;
    given.push({ option: `-${letter}`, value: undefined });
  }
  return true;
}

const LONG = new WeakMap<Options, Map<string, string>>();

function longOptions(options: Options): Map<string, string> {
  const known = LONG.get(options);
  if (known !== undefined) return known;
  const pairs = (options.long ?? '').split(/\s+/).map((text): [string, string] => {
    const [, name = '', takes = ''] = /^([^=]*)(=?\??)$/.exec(text) ?? [];
    return [name, takes];
  });
  const made = new Map(pairs);
  LONG.set(options, made);
  return made;
}

function literalOf(text: string): Word {
  return { pieces: [{ is: 'text', text, quoted: true }], source: text };
}

/** In quotes a variable or a command stands for one word; elsewhere for as many as there are blanks in it. */
const ONE_WORD =
  /^(?:[^"'`$\\]|\\.|'[^']*'|"(?:[^"`$\\]|\\.|\$\w+(?!\w)|\$\{\w[^"'`$(){}@*[\]]*\}|\$\([^"'`()]*\))*")*$/s;

/** Whether the word may turn out to be several. */
export function maySplit(word: Word): boolean {
  return word.pieces.some(({ is }) => is === 'unknown') && !ONE_WORD.test(word.source);
}

/** Whether the word is, or may turn out to be, or to hold, an option (`-` alone is none). */
export function mayHoldOption(word: Word): boolean {
  const text = textOf(word);
  return text === undefined ? mayBeOption(word) || maySplit(word) : isOption(text);
}

/** Options of a program with many others, which are not told one by one. */
export interface Among {
  /** Letters. */
  letters?: string;
  /** Long options, without their dashes and parted by blanks. */
  long?: string;
  /** Long options that are none of those cut short, though they read so. */
  others?: string;
  /** Words that are no options, but mean the same. */
  operands?: RegExp;
}

/** The first of the words that is one of these options, or may turn out to be; long options may be cut short. */
export function findOption(words: readonly Word[], among: Among): Word | undefined {
  const { letters = '', long = '', others = '', operands } = among;
  const names = long === '' ? [] : long.split(/\s+/);
  return words.find((word) => {
    const text = textOf(word);
    if (text === undefined) return mayHoldOption(word);
    if (text.startsWith('--')) {
      const [given = ''] = text.slice(2).split('=');
      return given !== '' && !others.split(' ').includes(given) && names.some((name) => name.startsWith(given));
    }
    if (!text.startsWith('-')) return operands?.test(text) === true;
    return [...letters].some((letter) => text.includes(letter));
  });
}
