import { codePointLength, takeEnd, takeStart } from './codePoints.ts';

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
