/**
 * A session in any other JSON layout (any key order, pretty or compact) → the same record in ours, with every entry in its own
 * text: `1.0` and long integers survive, unknown keys stay, absent ones stay absent (R2).
 */
import { ENDING_KEYS, HEADER_KEYS, SECTIONS, json, type Section } from './layout.ts';

interface Range {
  start: number;
  end: number;
}

/** `text` must be valid JSON of an object with a list `turns` of objects with a list `parts`; the caller has checked that. */
export function toLayout(text: string): string {
  const top = new Map([...members(text, text.indexOf('{'))]);
  const special = new Set<string>(['turns', ...SECTIONS, 'updated_at']);
  const known = HEADER_KEYS.filter((key) => top.has(key));
  const unknown = [...top.keys()].filter(
    (key) => !special.has(key) && !(HEADER_KEYS as readonly string[]).includes(key),
  );
  const header = [...known, ...unknown].map((key) => `${json(key)}:${line(text, top.get(key) as Range)},\n`).join('');
  const turns = elementTexts(text, top.get('turns')).map((turn) => turnText(turn));
  const sections = SECTIONS.filter((section) => top.has(section)).map((section) =>
    sectionText(text, section, top.get(section) as Range),
  );
  const updated = top.get('updated_at') ?? top.get('created_at');
  return `{${header}"turns":[${lines(turns)}\n],\n${sections.join('')}"updated_at":${updated === undefined ? '""' : line(text, updated)}}\n`;
}

function turnText(turn: string): string {
  const keys = new Map([...members(turn, turn.indexOf('{'))]);
  const parts = elementTexts(turn, keys.get('parts'));
  const rest = [...keys].filter(([key]) => key !== 'parts');
  // `status` is there in every turn, so what follows the parts is never empty.
  const late = rest.filter(([key]) => ENDING_KEYS.includes(key));
  const early = rest.filter(([key]) => !ENDING_KEYS.includes(key));
  const member = ([key, range]: [string, Range]) => `${json(key)}:${line(turn, range)}`;
  return `{${early.map((entry) => `${member(entry)},`).join('')}"parts":[${lines(parts)}\n],${late.map(member).join(',')}}`;
}

function sectionText(text: string, section: Section, range: Range): string {
  const entries = elementTexts(text, range);
  return `"${section}":[${entries.length === 0 ? '' : `${lines(entries)}\n`}],\n`;
}

function lines(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `\n${texts.join(',\n')}`;
}

function elementTexts(text: string, list: Range | undefined): string[] {
  return list === undefined ? [] : [...elements(text, text.indexOf('[', list.start))].map((range) => line(text, range));
}

/** A value in one line. A line break is never inside a string in JSON, so what stands around one is only white space. */
function line(text: string, { start, end }: Range): string {
  const value = text.slice(start, end);
  return /[\r\n]/.test(value) ? value.replace(/[\t ]*[\r\n][\t\r\n ]*/g, '') : value;
}

/** Key and value range of each member of the object that opens at `open`. Throws SyntaxError where it is no JSON. */
export function* members(text: string, open: number): Generator<[string, Range]> {
  let at = skipSpace(text, open + 1);
  while (text[at] !== '}') {
    const keyEnd = skipValue(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    yield [key, { start, end }];
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** Range of each element of the list that opens at `open`. Where it is no JSON a range is empty or the text's last: stop there. */
export function* elements(text: string, open: number): Generator<Range> {
  let at = skipSpace(text, open + 1);
  while (text[at] !== ']') {
    const end = skipValue(text, at);
    yield { start: at, end };
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return at;
}

/** Behind the value that begins at `at`. Strings are skipped whole, so brackets inside them do not count. */
function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return skipString(text, at);
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',]} \t\r\n'.includes(text[at] as string)) at++;
    return at;
  }
  let depth = 0;
  for (; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = skipString(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return at;
}

function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
