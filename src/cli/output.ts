/** Standard output that is waited for: nothing is lost when the process ends, and a reader that went away is no fault (E2). */
import { once } from 'node:events';

import { sentence } from '../text/sentence.ts';
import { systemFault } from '../text/systemFault.ts';

export class Output {
  readonly #stream: NodeJS.WriteStream;
  #last: Promise<void> = Promise.resolve();
  #closed = false;
  #failure: Error | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => this.#ended(error));
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY;
  }

  /** The reader went away, or writing failed: nothing more will arrive. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Settles when the reader can take more, when it has gone, or when the signal fires. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#closed || !this.#stream.writableNeedDrain) return;
    // It throws at the signal and when the stream fails; the latter is known here already.
    await once(this.#stream, 'drain', { signal }).catch(() => undefined);
  }

  /** Settles when the reader has taken it, or has gone: who writes much waits for it. */
  write(text: string): Promise<void> {
    this.#last = new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error !== null && error !== undefined) this.#ended(error);
        resolve();
      });
    });
    return this.#last;
  }

  /** Waits for everything written. Throws when it could not be (a full disk). */
  async flush(): Promise<void> {
    await this.#last;
    if (this.#failure !== undefined)
      throw new Error(`Standard output could not be written: ${sentence(systemFault(this.#failure))}`);
  }

  #ended(error: NodeJS.ErrnoException): void {
    this.#closed = true;
    // EPIPE: whoever read has seen enough. Writes after it fail with other codes that say nothing new.
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#failure ??= error;
  }
}
