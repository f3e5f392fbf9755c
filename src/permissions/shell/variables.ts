/** What the variables of a line hold, as far as the line itself says it: by `x=…` and `for x in …`. */
import { operandsOf, type Options } from './options.ts';
import { isList, makeWord, MIXED, textOf, type Piece, type Word } from './word.ts';

/** The words that each variable is set to somewhere in the line; undefined for one that is also set in a way that is not read. */
export type Values = ReadonlyMap<string, readonly Word[] | undefined>;

export interface Variants {
  /** The word with each of the values in it. */
  words: readonly Word[];
  /** Something in it is known only when it runs. */
  open: boolean;
}

const MOST = 32;
const DEEPEST = 4;

/** By custom small letters are for the line itself, others are what programs heed. */
export function isOfTheLine(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !/^npm_|_proxy$/.test(name);
}

/** A builtin that sets variables which its words name, with the options by which it does no more than that. */
interface Setter {
  options: Options;
  /** The option whose values are names. */
  by?: string;
  /** From this operand on they are names. */
  from?: number;
}

const LINES: Setter = { options: { flags: 't', values: 'dnOsu' }, from: 0 };
const SETTERS: Readonly<Record<string, Setter>> = {
  read: { options: { flags: 'rs', values: 'adnNptu' }, by: '-a', from: 0 },
  mapfile: LINES,
  readarray: LINES,
  getopts: { options: {}, from: 1 },
  printf: { options: { values: 'v' }, by: '-v' },
  wait: { options: { flags: 'nf', values: 'p' }, by: '-p' },
};

/** What a builtin sets, by the words behind its name: names, if it does not fail. Undefined when that cannot be told. */
export function namesSetBy(name: string, words: readonly Word[]): readonly string[] | undefined {
  const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
  if (setter === undefined) return [];
  // `$!` is the number of the last process in the background.
  const found = operandsOf(
    name === 'wait' ? words.filter(({ source }) => !/^("?)\$!\1$/.test(source)) : words,
    setter.options,
  );
  if (found === undefined) return undefined;
  const format = name === 'printf' ? found.words[0] : undefined;
  // In a format `%n` sets the variable that an argument names.
  if (format !== undefined && /%[-+ #0'*.\dhjlLtz]*n/.test(textOf(format)?.replaceAll('%%', '') ?? '%n'))
    return undefined;
  const values = found.given.flatMap(({ option, value }) => (option === setter.by ? [value] : []));
  const names = [...values, ...found.words.slice(setter.from ?? found.words.length)].map((word) => textOf(word));
  return names.every((text) => text !== undefined) ? names : undefined;
}

export function variantsOf(word: Word, values: Values): Variants {
  const { ways, open } = waysOf(word.pieces, values, 0);
  const given = new Set(word.pieces);
  // Braces are read before variables are: what these hold is no part of a list.
  const isMixed = (piece: Piece) => piece.is === 'text' && !given.has(piece) && /[{},]/.test(piece.text);
  if (isList(word) && ways.some((way) => way.some(isMixed)))
    return { words: [{ ...word, pieces: [MIXED] }], open: true };
  return { words: ways.map((pieces) => makeWord(pieces, word.source)), open };
}

interface Ways {
  ways: readonly (readonly Piece[])[];
  open: boolean;
}

function waysOf(pieces: readonly Piece[], values: Values, depth: number): Ways {
  let ways: Piece[][] = [[]];
  let open = false;
  for (const piece of pieces) {
    const found = waysOfPiece(piece, values, depth);
    open ||= found.open;
    if (ways.length * found.ways.length > MOST) return { ways: [pieces], open: true };
    const [only = [], ...others] = found.ways;
    // A long word is not to be copied for each of its pieces.
    if (others.length === 0) for (const way of ways) way.push(...only);
    else ways = ways.flatMap((before) => found.ways.map((after) => [...before, ...after]));
  }
  return { ways, open };
}

function waysOfPiece(piece: Piece, values: Values, depth: number): Ways {
  if (piece.is !== 'unknown') return { ways: [[piece]], open: false };
  if (piece.noPath === true) return { ways: [[{ is: 'text', text: '0', quoted: true }]], open: false };
  const words = piece.variable === undefined ? undefined : values.get(piece.variable);
  if (words === undefined || depth >= DEEPEST || words.length > MOST) return { ways: [[piece]], open: true };
  const found = words.map((word) => waysOf(word.pieces, values, depth + 1));
  const ways = found.flatMap((each) => each.ways);
  const open = found.some((each) => each.open);
  if (piece.quoted === true) return { ways, open };
  // Outside of quotes a value with blanks in it is several words, and a backslash quotes what stands behind it in a pattern.
  const isPlain = ways.every((way) => way.every((each) => each.is !== 'text' || !/[\s\\]/.test(each.text)));
  return isPlain ? { ways: ways.map((way) => way.flatMap(unquoted)), open } : { ways: [[piece]], open: true };
}

/** Wildcards that were in quotes when the variable was set count where it is used without, and what they found counts as such again. */
function unquoted(piece: Piece): Piece[] {
  if (piece.is === 'glob') return [{ ...piece, again: true }];
  if (piece.is !== 'text') return [piece];
  const parts = piece.text.split(/([*?[])/);
  return parts.map((text, index): Piece =>
    index % 2 === 1 ? { is: 'glob', text } : { is: 'text', text, quoted: true },
  );
}
