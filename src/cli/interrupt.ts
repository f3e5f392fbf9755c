/**
 * Ctrl+C: the first one cancels what runs, the second quits at once and leaves no command running. A terminal that closes may say
 * so twice: it only cancels.
 */
import { ProcessTree } from '../tools/processTree.ts';
import { EXIT } from './usage.ts';

export class Interrupt {
  #cancel: (() => void) | undefined;
  #fired = false;
  readonly #onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT' || !this.#fired) this.fire();
  };

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, this.#onSignal);
  }

  /** Whether anything was cancelled. */
  get fired(): boolean {
    return this.#fired;
  }

  /** What the first Ctrl+C does from now on; before that it quits. */
  onCancel(cancel: () => void): void {
    this.#cancel = cancel;
  }

  fire(): void {
    if (this.#fired || this.#cancel === undefined) return this.#quit();
    this.#fired = true;
    this.#cancel();
  }

  /** A third Ctrl+C changes nothing: what is left to do takes two seconds at most. */
  #quit(): void {
    void ProcessTree.killAll().finally(() => process.exit(EXIT.cancelled));
  }

  dispose(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, this.#onSignal);
  }
}
