/** The words of a shell line: what the program would get, as far as the text tells. */

/** In place of a word that is only known when the line runs; then it may be several words, or none. */
export const DYNAMIC = Symbol('known when it runs');
export type ShellWord = string | typeof DYNAMIC;

/** A word is made of these, in order. */
export type Piece =
  | { is: 'text'; text: string; quoted: boolean }
  /** `*`, `?`, `[`, `{1..3}`: what stands there depends on the folder, or is several things. Empty before a list in braces. `again`: what is found
   * is read once more as words and wildcards. */
  | { is: 'glob'; text: string; again?: true }
  /** `~`, `$HOME` */
  | { is: 'home' }
  /** `$PWD`, `~+` */
  | { is: 'here' }
  /**
   * `user`: the home folder of another user, `~name`. `variable`: what that holds, and nothing else; `quoted`: as one word.
   * `noPath`: a number, or a pipe. `braces`: a list in braces that has some in quotes.
   */
  | { is: 'unknown'; user?: true; variable?: string; quoted?: true; noPath?: true; braces?: true };

export interface Word {
  readonly pieces: readonly Piece[];
  /** As it stands in the line, for the person. */
  readonly source: string;
}

/** A word that nothing is known of, as what `xargs` adds. */
export const UNKNOWN: Word = { pieces: [{ is: 'unknown' }], source: '…' };

/** What `find` puts for `{}`: it begins with where it started, so it is no option. */
export const FOUND: Word = { pieces: [{ is: 'text', text: './', quoted: true }, { is: 'unknown' }], source: '{}' };

/** A list in braces of which it is not told what parts it. */
export const MIXED: Piece = { is: 'unknown', braces: true };

export function literalWord(text: string): Word {
  return { pieces: [{ is: 'text', text, quoted: true }], source: text };
}

/** The word as the program gets it; undefined when that is only known when it runs. */
export function textOf(word: Word | undefined): string | undefined {
  if (word === undefined) return undefined;
  let text = '';
  for (const piece of word.pieces) {
    if (piece.is !== 'text') return undefined;
    text += piece.text;
  }
  return text;
}

export function shellWord(word: Word): ShellWord {
  return textOf(word) ?? DYNAMIC;
}

/** True when the word may turn out to be an option: it is one, or how it begins is not known. */
export function mayBeOption(word: Word): boolean {
  const [first] = word.pieces;
  if (first?.is === 'text' && first.text !== '') return first.text.startsWith('-');
  return first !== undefined && first.is !== 'home' && first.is !== 'here' && textOf(word) !== '';
}

/** Neighbouring texts become one; a list in braces becomes a glob from its brace on. */
export function makeWord(pieces: readonly Piece[], source: string): Word {
  const open = openingBrace(pieces);
  const cut = open === undefined ? pieces : [...cutAt(pieces, open)];
  // Which of them are quoted, and so part no list, is not told by the text as a whole.
  const isMixed = pieces.some((piece) => piece.is === 'text' && piece.quoted && /[{},]/.test(piece.text));
  const first = open === undefined || !isMixed ? -1 : cut.findIndex(({ is }) => is === 'glob');
  return { pieces: joinTexts(first < 0 ? cut : [...cut.slice(0, first), MIXED]), source };
}

/** Whether there is a list in braces in it. */
export function isList({ pieces }: Word): boolean {
  return pieces.some((piece) => piece.is === 'glob' && (piece.text === '' || piece.text.startsWith('{')));
}

/** What has quotes around any part of it counts as quoted. */
function joinTexts(pieces: Iterable<Piece>): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.is !== 'text' || piece.is !== 'text') joined.push(piece);
    else joined[joined.length - 1] = { is: 'text', text: last.text + piece.text, quoted: last.quoted || piece.quoted };
  }
  const isEmpty = (piece: Piece | undefined) => piece?.is === 'text' && piece.text === '';
  return joined.length > 1 ? joined.filter((piece) => !isEmpty(piece)) : joined;
}

interface Place {
  piece: number;
  at: number;
}

/** Where a list such as `{a,b}` or `{1..3}` begins. */
function openingBrace(pieces: readonly Piece[]): Place | undefined {
  let open: Place | undefined;
  let several = false;
  for (const [piece, part] of pieces.entries()) {
    if (part.is !== 'text' || part.quoted) continue;
    const { text } = part;
    for (let at = 0; at < text.length; at++) {
      if (text[at] === '{') open ??= { piece, at };
      else if (open !== undefined && (text[at] === ',' || text.startsWith('..', at))) several = true;
      else if (text[at] === '}' && several) return open;
    }
  }
  return undefined;
}

function* cutAt(pieces: readonly Piece[], { piece: cut, at }: Place): Generator<Piece> {
  for (const [index, piece] of pieces.entries()) {
    if (index !== cut || piece.is !== 'text') yield piece;
    else {
      if (at > 0) yield { ...piece, text: piece.text.slice(0, at) };
      yield { is: 'glob', text: '' };
      yield { ...piece, text: piece.text.slice(at) };
    }
  }
}

/**
 * What stands outside of quotes, as pieces; undefined when a shell would not read it as (a part of) one word. `first`: it is at
 * the beginning of its word, where `~` counts.
 */
export function unquotedPieces(source: string, first: boolean): Piece[] | undefined {
  const pieces: Piece[] = [];
  let text = '';
  const flush = (next?: Piece) => {
    if (text !== '') pieces.push({ is: 'text', text, quoted: false });
    text = '';
    if (next !== undefined) pieces.push(next);
  };
  if (first && source.startsWith('#')) return undefined;
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '\\') {
      const next = source[++at];
      if (next === undefined) return undefined;
      flush();
      if (next !== '\n') pieces.push({ is: 'text', text: next, quoted: true });
    } else if (/[\s\p{Cc}|&;()<>'"$`]/u.test(character)) return undefined;
    else if (character === '*' || character === '?' || character === '[') flush({ is: 'glob', text: character });
    else if (character === '~' && (at === 0 ? first : /[=:]/.test(source[at - 1] ?? ''))) {
      const name = /^[^/:]*/.exec(source.slice(at + 1))?.[0] ?? '';
      flush(name === '' ? { is: 'home' } : name === '+' ? { is: 'here' } : { is: 'unknown', user: true });
      at += name.length;
    } else text += character;
  }
  flush();
  return pieces;
}

/** What stands in double quotes between two expansions; undefined when it has something in it that a shell would expand. */
export function doubleQuotedText(source: string): string | undefined {
  let text = '';
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '"' || character === '`') return undefined;
    if (character === '$' && /^[\w{([@*#?$!-]/.test(source.slice(at + 1))) return undefined;
    const next = source[at + 1];
    if (character !== '\\' || next === undefined || !'$`"\\\n'.includes(next)) text += character;
    else {
      at++;
      if (next !== '\n') text += next;
    }
  }
  return text;
}

const ANSI_C: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
const NUMBERED = /^(?:([0-7]{1,3})|x([\da-fA-F]{1,2}))/;

/** What is between `$'` and `'`; undefined when it is single bytes, `\u…`, which depends on the locale, or what ends a word. */
export function ansiCText(source: string): string | undefined {
  let text = '';
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === "'") return undefined;
    if (character !== '\\') {
      text += character;
      continue;
    }
    const known = ANSI_C[source[++at] ?? ''];
    if (known !== undefined) {
      text += known;
      continue;
    }
    const number = NUMBERED.exec(source.slice(at));
    if (number === null) return undefined;
    const [all, octal, byte = ''] = number;
    const code = octal === undefined ? parseInt(byte, 16) : parseInt(octal, 8);
    if (code === 0 || code > 0x7f) return undefined;
    text += String.fromCodePoint(code);
    at += all.length - 1;
  }
  return text;
}
