/** Asks by the front end's asker, and keeps count of what waits for an answer, so that every front end can show it. */
import type { AskAnswer, Asker, PermissionAsk } from '../permissions/ask.ts';
import type { PendingAsk } from './events.ts';

export class OpenAsks implements Asker {
  #open: readonly PendingAsk[] = [];
  readonly #asker: Asker;
  readonly #now: () => Date;
  readonly #changed: () => void;

  constructor(asker: Asker, now: () => Date, changed: () => void) {
    this.#asker = asker;
    this.#now = now;
    this.#changed = changed;
  }

  get open(): readonly PendingAsk[] {
    return this.#open;
  }

  async ask(ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> {
    this.#open = [...this.#open, { ...ask, since: this.#now().getTime() }];
    this.#changed();
    try {
      return await this.#asker.ask(ask, signal);
    } finally {
      this.#open = this.#open.filter((pending) => pending.id !== ask.id);
      this.#changed();
    }
  }
}
