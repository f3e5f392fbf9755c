/**
 * Puts the body of a streamed answer into the plainest form of server-sent events before the `openai` client reads it. Its decoder
 * knows CR, CRLF, BOM and cut characters, but an event without data (a named keep-alive, an empty `data:`) ends the stream as
 * malformed JSON there, and a body that is no event stream at all gives no events and no error.
 *
 * What comes out are `data: <json>` lines with blank lines between the events, and `event: error` before an error's data. A body
 * that is one JSON text (an error, or a whole answer from a server that does not stream) becomes one event.
 */

import { isJson } from './json.ts';

/** Enough to recognise what a server sent instead of events, and more than is shown of it: a key must not be cut before it is found. */
const EXCERPT = 4000;

export class EventLines {
  #head = '';
  #lastData = '';
  readonly #decoder = new TextDecoder();
  #rest = '';
  #afterCarriageReturn = false;
  /** Known from the first line that is not blank. */
  #json: boolean | undefined;
  #inError = false;

  /** The beginning of the body, for an error message. */
  get head(): string {
    return this.#head;
  }

  /** The data that was passed on last. */
  get lastData(): string {
    return this.#lastData;
  }

  stream(): TransformStream<Uint8Array, Uint8Array> {
    const encoder = new TextEncoder();
    const pass = (text: string, controller: TransformStreamDefaultController<Uint8Array>) => {
      const lines = this.#lines(text);
      if (lines !== '') controller.enqueue(encoder.encode(lines));
    };
    return new TransformStream({
      transform: (chunk, controller) => pass(this.#decoder.decode(chunk, { stream: true }), controller),
      flush: (controller) => pass(`${this.#decoder.decode()}\n\n`, controller),
    });
  }

  /** Whole lines of the text so far, rewritten. */
  #lines(text: string): string {
    if (this.#head.length < EXCERPT) this.#head += text.slice(0, EXCERPT - this.#head.length);
    let out = '';
    let start = 0;
    for (const match of text.matchAll(/\r\n|\r|\n/g)) {
      const [ending] = match;
      const secondHalf = match.index === 0 && ending === '\n' && this.#afterCarriageReturn;
      if (!secondHalf) out += this.#line(this.#rest + text.slice(start, match.index));
      this.#rest = '';
      start = match.index + ending.length;
    }
    if (text !== '') this.#afterCarriageReturn = text.endsWith('\r');
    this.#rest += text.slice(start);
    return out;
  }

  #line(line: string): string {
    if (line.trim() !== '') this.#json ??= /^\s*[[{]/.test(line);
    if (this.#json === true) return line.trim() === '' ? '' : this.#data(line);
    if (line === '') {
      this.#inError = false;
      return '\n';
    }
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    if (colon > 0 && value !== '') {
      const field = line.slice(0, colon);
      if (field === 'data') {
        // Some servers put plain words behind `event: error`.
        return this.#data(this.#inError && !isJson(value) ? JSON.stringify(value) : value);
      }
      if (field === 'event' && value === 'error') {
        this.#inError = true;
        return 'event: error\n';
      }
    }
    // Comments, ids, retry times, other names of events, fields without a value.
    return '';
  }

  #data(json: string): string {
    this.#lastData = json.slice(0, EXCERPT);
    return `data: ${json}\n`;
  }
}
