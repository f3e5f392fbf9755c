import { stripVTControlCharacters } from 'node:util';

import { codePointLength, takeEnd, takeStart } from '../text/codePoints.ts';

/** Longer than the remark on what is left out can get. */
const REMARK = 160;

/**
 * Collects the output of a command in bounded memory: all of it while that is no longer than `room` code points, else its
 * beginning and its end, with what is left out between them said.
 */
export class CommandOutput {
  readonly #headRoom: number;
  readonly #tailRoom: number;
  #head = '';
  #headLeft: number;
  #tail = '';
  /** Code points and line feeds that are in neither. */
  #omitted = { characters: 0, lines: 0 };

  constructor(room: number) {
    const usable = Math.max(0, room - REMARK);
    // Most of what matters stands at the end: the error, the summary.
    this.#headRoom = Math.floor(usable / 3);
    this.#tailRoom = usable - this.#headRoom;
    this.#headLeft = this.#headRoom;
  }

  /** `piece` must not end inside a code point. */
  push(piece: string): void {
    const start = takeStart(piece, this.#headLeft);
    this.#head += start;
    this.#headLeft -= codePointLength(start);
    this.#tail += piece.slice(start.length);
    // Cut now and then, not with every piece.
    if (this.#tail.length > 4 * this.#tailRoom + REMARK) this.#cutTail();
  }

  text(): string {
    this.#cutTail();
    const { characters, lines } = this.#omitted;
    if (characters === 0) return this.#head + this.#tail;
    const remark = `[${characters} characters (${lines} lines) left out here; filter the output, or send it to a file and read that.]`;
    return `${this.#head}\n${remark}\n${this.#tail}`;
  }

  #cutTail(): void {
    const kept = takeEnd(this.#tail, this.#tailRoom);
    const cut = this.#tail.slice(0, this.#tail.length - kept.length);
    this.#omitted.characters += codePointLength(cut);
    this.#omitted.lines += cut.split('\n').length - 1;
    this.#tail = kept;
  }
}

/** Beyond this share of characters that no text has, in an output that is long enough to tell, it is data. */
const MOST_UNREADABLE = 0.1;
const TELLING = 200;

/** What of an output is there to be read: as a terminal would show it in the end, and no binary data. */
export function readable(output: string): string {
  const unreadable = output.length < TELLING ? 0 : output.replace(/[^\0\uFFFD]+/g, '').length;
  if (unreadable > output.length * MOST_UNREADABLE)
    return '[The output is binary data and left out; send it to a file, or through a program that shows it, such as xxd.]';
  const lines = stripVTControlCharacters(output).split('\n');
  return lines.map(lastState).join('\n').replace(/\n$/, '');
}

/** A line that was written over again and again, as progress is, as it was in the end. */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(0, end).split('\r').at(-1) ?? '';
}
