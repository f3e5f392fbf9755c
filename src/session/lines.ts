/** Bytes in pieces of any size → lines, with where each one ends. */

/** A reader that takes one line after the other; `end` is the offset behind the line's break. Throws to stop. */
export type LineTaker = (line: string, end: number) => void;

const NEWLINE = 10;
/** Bytes that are no UTF-8 would be lost with the next write, so they are refused (a TypeError). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class LineSplitter {
  readonly #take: LineTaker;
  /** Copies of what is not a whole line yet. */
  #rest: Buffer[] = [];
  #restLength = 0;
  #offset = 0;

  constructor(take: LineTaker) {
    this.#take = take;
  }

  /** Bytes of the lines that were whole. */
  get whole(): number {
    return this.#offset;
  }

  /** Bytes of the line that is not whole yet. */
  get partial(): number {
    return this.#restLength;
  }

  /** The lines are handed on before it returns; `chunk` may be used again afterwards. */
  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      const piece = chunk.subarray(start, end);
      this.#offset += this.#restLength + piece.length + 1;
      start = end + 1;
      this.#take(this.#join(piece), this.#offset);
    }
    if (start === chunk.length) return;
    this.#rest.push(Buffer.from(chunk.subarray(start)));
    this.#restLength += chunk.length - start;
  }

  /** A last line without a break is a line too. */
  finish(): void {
    if (this.#restLength === 0) return;
    this.#offset += this.#restLength;
    this.#take(this.#join(Buffer.alloc(0)), this.#offset);
  }

  #join(last: Buffer): string {
    if (this.#restLength === 0) return utf8.decode(last);
    const line = utf8.decode(Buffer.concat([...this.#rest, last]));
    this.#rest = [];
    this.#restLength = 0;
    return line;
  }
}
