import { setImmediate } from 'node:timers/promises';

/** For so long at most work goes on without a pause. */
const PIECE_MS = 20;

/** Long work in pieces, so that others have their turn and Stop is heard: many files times a model's or a project's patterns. */
export class Turns {
  readonly #signal: AbortSignal;
  #rested = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Between two small steps of it. Rejects with the abort reason. */
  async pause(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#rested <= PIECE_MS) return;
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#rested = performance.now();
  }
}
