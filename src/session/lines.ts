/** Bytes in pieces of any size → lines, with where each one ends. */

/** A reader that takes one line after the other; `end` is the offset behind the line's break. Throws to stop. */
export type LineTaker = (line: string, end: number) => void;
/**
 * The same for as many whole lines as it can take at once: `chunk` has a line's beginning at `start`, whose offset is `offset`.
 * Returns how many bytes it took; 0: it must have the next lines one after the other; undefined: it takes none at this place.
 */
export type BlockTaker = (chunk: Buffer, start: number, offset: number) => number | undefined;

export const NEWLINE = 10;
/** A block is not longer: what is as long as that alone gains nothing, and one letter beyond Latin-1 doubles a block's text. */
export const BLOCK_BYTES = 64 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes that are no UTF-8 would be lost with the next write, so they are refused (a TypeError). */
export function decode(bytes: Buffer): string {
  return utf8.decode(bytes);
}

export class LineSplitter {
  readonly #take: LineTaker;
  readonly #takeBlock: BlockTaker | undefined;
  /** Copies of what is not a whole line yet. */
  #rest: Buffer[] = [];
  #restLength = 0;
  #offset = 0;

  constructor(take: LineTaker, takeBlock?: BlockTaker) {
    this.#take = take;
    this.#takeBlock = takeBlock;
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
    /** Where a block may be tried again after one that could not be taken. */
    let again = 0;
    for (;;) {
      if (this.#restLength === 0 && start >= again) {
        const taken = this.#takeBlock?.(chunk, start, this.#offset);
        if (taken === 0) again = start + BLOCK_BYTES;
        else if (taken !== undefined) {
          start += taken;
          this.#offset += taken;
          continue;
        }
      }
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
    if (this.#restLength === 0) return decode(last);
    const line = decode(Buffer.concat([...this.#rest, last]));
    this.#rest = [];
    this.#restLength = 0;
    return line;
  }
}
