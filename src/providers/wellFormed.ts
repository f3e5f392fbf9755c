/** Cutting and joining text between code points. What is broken already stays so: the record mends it (session/wellFormed.ts). */

/** Joins the pieces of one streamed text so that none is cut inside a code point: a high surrogate waits for its other half. */
export class Pieces {
  #held = '';

  /** What can be shown of the text so far; may be empty. */
  push(piece: string): string {
    const text = this.#held + piece;
    const cut = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
    this.#held = text.slice(cut);
    return text.slice(0, cut);
  }

  /** The half whose other one never came, else nothing. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** The first `most` code points, with `…` where something was left out. */
export function shorten(text: string, most: number): string {
  // Twice as many units are enough for any `most` code points, and an error page can be megabytes long.
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length <= most ? text : `${points.slice(0, most).join('').toWellFormed()}…`;
}
