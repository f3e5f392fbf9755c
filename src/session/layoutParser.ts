/**
 * Reads the lines of our layout one after the other, so that a session of any size can be read in bounded memory. Whoever wants
 * the content gives a {@link RecordVisitor}. A line that is not of the layout throws {@link NotOurLayout}: the file is then
 * read as any other JSON.
 */
import type { SessionEvent } from './events.ts';
import { ENDING_KEYS, SECTIONS, type Section } from './layout.ts';
import { BLOCK_BYTES, decode, NEWLINE } from './lines.ts';
import { wellFormed } from './wellFormed.ts';

export class NotOurLayout extends Error {
  override readonly name = 'NotOurLayout';
}

type Json = Record<string, unknown>;
export type WholeTurn = Json & { parts: unknown[] };

/** `text` is the JSON text of the thing as it stands in the file; `end` the offset of the line's end, before its comma. */
export interface RecordVisitor {
  header?(key: string, value: unknown, text: string): void;
  /** After the last header key; `end` is behind `"turns":[`. */
  turns?(end: number): void;
  /**
   * Several whole turns at once, of which none is running, with the keys in the order of the file; `end` is that of the last.
   * False: it wants them piece by piece. A visitor that has this may get turns in both ways.
   */
  wholeTurns?: ((turns: readonly WholeTurn[], end: number) => boolean) | undefined;
  /** The keys before the parts. */
  turnHead?(head: Json, text: string, end: number): void;
  part?(part: Json, text: string, end: number): void;
  /** The keys after the parts. */
  turnFoot?(foot: Json, text: string, end: number): void;
  section?(section: Section): void;
  entry?(section: Section, value: unknown, text: string): void;
  updatedAt?(value: unknown): void;
  /** After the last line: what a journal holds, in order. Throws DoesNotFollow when it cannot have happened. */
  event?(event: SessionEvent): void;
}

/** Keys that stand behind the header. */
const BEHIND = new Set<string>(['turns', ...SECTIONS, 'updated_at']);

/** With it the last line of a turn begins, and no other. */
const FOOT = Buffer.from('\n],"');

type State = 'header' | 'turns' | 'parts' | 'sections' | Section | 'end';

export class LayoutParser {
  readonly #visitor: RecordVisitor;
  #state: State = 'header';
  /** Of the turn whose parts come. */
  #head: Json = {};
  #first = true;
  /** Whether the last element had a comma, so that another one must follow. */
  #comma = true;
  /** So that each section comes once, and in order. */
  #sectionsSeen = 0;

  constructor(visitor: RecordVisitor) {
    this.#visitor = visitor;
  }

  readonly take = (line: string, end: number): void => {
    switch (this.#state) {
      case 'header':
        this.#header(line, end);
        break;
      case 'turns':
        this.#turns(line, end);
        break;
      case 'parts':
        this.#parts(line, end);
        break;
      case 'sections':
        this.#sections(line);
        break;
      case 'end':
        if (line.trim() !== '') throw new NotOurLayout('something after the end');
        break;
      default:
        this.#entries(this.#state, line);
    }
  };

  /** As many whole turns as `chunk` has, which costs half of what their lines do. */
  readonly takeTurns = (chunk: Buffer, start: number, offset: number): number | undefined => {
    if (this.#state !== 'turns' || this.#visitor.wholeTurns === undefined) return undefined;
    const foot = chunk.lastIndexOf(FOOT, start + BLOCK_BYTES);
    const end = foot < start ? -1 : chunk.indexOf(NEWLINE, foot + 1);
    if (end < 0) return 0;
    const { text, comma } = withoutComma(decode(chunk.subarray(start, end)));
    const turns = parseTurns(text);
    const length = end + 1 - start;
    if (turns === undefined || (!this.#first && !this.#comma)) return 0;
    if (!this.#visitor.wholeTurns(turns, offset + length - 1 - (comma ? 1 : 0))) return 0;
    this.#first = false;
    this.#comma = comma;
    return length;
  };

  /** Throws when the record stops before its end. */
  finish(): void {
    if (this.#state !== 'end') throw new NotOurLayout('it stops before its end');
  }

  #header(line: string, end: number): void {
    let text = line;
    if (this.#first) {
      if (!text.startsWith('{"')) throw new NotOurLayout('no header');
      text = text.slice(1);
      this.#first = false;
    }
    if (text === '"turns":[') {
      this.#state = 'turns';
      this.#comma = true;
      this.#first = true;
      this.#visitor.turns?.(end - 1);
      return;
    }
    if (!text.endsWith(',')) throw new NotOurLayout('header line without a comma');
    const [key, value] = parseMember(text.slice(0, -1));
    if (BEHIND.has(key)) throw new NotOurLayout(`${key} in the header`);
    this.#visitor.header?.(key, value, text.slice(JSON.stringify(key).length + 1, -1));
  }

  #turns(line: string, end: number): void {
    if (line === '],') {
      this.#closeList();
      this.#state = 'sections';
      return;
    }
    this.#next();
    if (!line.startsWith('{') || !line.endsWith('"parts":[')) throw new NotOurLayout('no turn');
    this.#head = parseObject(`${line}]}`);
    this.#visitor.turnHead?.(this.#head, line, end - 1);
    this.#state = 'parts';
    this.#first = true;
    this.#comma = true;
  }

  #parts(line: string, end: number): void {
    if (line.startsWith(']')) {
      this.#closeList();
      const { text, comma } = withoutComma(line);
      if (!text.startsWith('],')) throw new NotOurLayout('no end of a turn');
      const foot = parseObject(`{${text.slice(2)}`);
      if ('parts' in foot) throw new NotOurLayout('parts twice');
      const { status } = { ...this.#head, ...foot };
      if (status === 'running' && ENDING_KEYS.some((key) => key in this.#head))
        throw new NotOurLayout('what the end of a turn writes, before its parts');
      this.#visitor.turnFoot?.(foot, text, end - 1 - (comma ? 1 : 0));
      this.#state = 'turns';
      this.#first = false;
      this.#comma = comma;
      return;
    }
    this.#next();
    const { text, comma } = withoutComma(line);
    this.#visitor.part?.(parseObject(text), text, end - 1 - (comma ? 1 : 0));
    this.#comma = comma;
  }

  #sections(line: string): void {
    for (const section of SECTIONS.slice(this.#sectionsSeen)) {
      if (!line.startsWith(`"${section}":[`)) continue;
      this.#sectionsSeen = SECTIONS.indexOf(section) + 1;
      this.#visitor.section?.(section);
      if (line === `"${section}":[],`) return;
      if (line !== `"${section}":[`) throw new NotOurLayout('no section');
      this.#state = section;
      this.#first = true;
      this.#comma = true;
      return;
    }
    if (!line.startsWith('"updated_at":') || !line.endsWith('}')) throw new NotOurLayout('no section');
    this.#visitor.updatedAt?.(parseMember(line.slice(0, -1))[1]);
    this.#state = 'end';
  }

  #entries(section: Section, line: string): void {
    if (line === '],') {
      this.#closeList();
      this.#state = 'sections';
      return;
    }
    this.#next();
    const { text, comma } = withoutComma(line);
    this.#visitor.entry?.(section, parse(text), text);
    this.#comma = comma;
  }

  /** An element needs a comma before it, but for the first. */
  #next(): void {
    if (!this.#first && !this.#comma) throw new NotOurLayout('no comma');
    this.#first = false;
  }

  #closeList(): void {
    if (!this.#first && this.#comma) throw new NotOurLayout('a comma at the end of a list');
  }
}

function withoutComma(line: string): { text: string; comma: boolean } {
  return line.endsWith(',') ? { text: line.slice(0, -1), comma: true } : { text: line, comma: false };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return mayHoldHalves(text) ? wellFormed(value) : value;
  } catch {
    throw new NotOurLayout('a line is no JSON');
  }
}

/** Undefined when it is not as it would be line by line. */
function parseTurns(text: string): WholeTurn[] | undefined {
  if (mayHoldHalves(text)) return undefined;
  try {
    const turns = JSON.parse(`[${text}]`) as unknown[];
    return isInLines(text, turns) ? turns : undefined;
  } catch {
    return undefined;
  }
}

/** Whether each turn has a line for its head, for each part and for its foot. */
function isInLines(text: string, turns: unknown[]): turns is WholeTurn[] {
  let at = 0;
  for (const turn of turns) {
    const { parts } = Object(turn) as Json;
    if (!Array.isArray(parts)) return false;
    for (let line = -1; line <= parts.length; line++) {
      const found = text.indexOf('\n', at);
      const end = found < 0 ? text.length : found;
      const isFoot = line === parts.length;
      if (!text.startsWith(isFoot ? '],"' : '{', at)) return false;
      if (line < 0 ? !text.endsWith('"parts":[', end) : !text.endsWith('}', text[end - 1] === ',' ? end - 1 : end))
        return false;
      at = end + 1;
    }
  }
  return at > text.length;
}

/** Only an escape can bring a lone surrogate in. */
function mayHoldHalves(text: string): boolean {
  return text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text);
}

/** `"key":value`, of exactly one key. */
function parseMember(text: string): [key: string, value: unknown] {
  const [member, more] = Object.entries(parseObject(`{${text}}`));
  if (member === undefined || more !== undefined) throw new NotOurLayout('not one key in a line');
  return member;
}

function parseObject(text: string): Json {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotOurLayout('no object');
  return value as Json;
}
