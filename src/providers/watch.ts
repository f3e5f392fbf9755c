/**
 * Runs the steps of one request under the caller's signal and a limit on silence. A step is raced, not trusted: neither a `fetch`
 * that ignores its signal nor a server that says nothing can hold the turn (T2, T7).
 */

/** Nothing came for `idle_ms`. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

export class Watch {
  /** For the request itself: fires on the caller's abort, on silence and at the end, so that no connection is left behind. */
  readonly signal: AbortSignal;
  readonly #caller: AbortSignal;
  readonly #idle_ms: number;
  readonly #stop = new AbortController();

  constructor(caller: AbortSignal, idle_ms: number) {
    this.#caller = caller;
    this.#idle_ms = idle_ms;
    this.signal = AbortSignal.any([caller, this.#stop.signal]);
  }

  /**
   * What `begin` resolves to. Rejects with the caller's reason at once when the caller aborts, with {@link SilenceError} after
   * `idle_ms`; what becomes of the step after that is nobody's business any more.
   */
  async step<T>(begin: () => PromiseLike<T>): Promise<T> {
    this.#caller.throwIfAborted();
    let end = () => {};
    const interrupted = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new SilenceError(`nothing for ${this.#idle_ms} ms`)), this.#idle_ms);
      // The caller decides what the reason of its signal is, and gets it back as it is.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      const onAbort = () => reject(this.#caller.reason);
      this.#caller.addEventListener('abort', onAbort);
      end = () => {
        clearTimeout(timer);
        this.#caller.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([begin(), interrupted]);
    } finally {
      end();
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
