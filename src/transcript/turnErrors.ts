/** Which entries of a session's `errors` belong to which turn: an entry has the time of its turn's end (R12). */
import type { ErrorEntry, Session, Turn } from '../session/schema.ts';

export class TurnErrors {
  readonly #byTime = new Map<string, ErrorEntry[]>();

  constructor({ errors }: Session) {
    for (const entry of errors) {
      const same = this.#byTime.get(entry.timestamp);
      if (same === undefined) this.#byTime.set(entry.timestamp, [entry]);
      else same.push(entry);
    }
  }

  /** The one of a turn that failed; to be asked in the order of the turns, as several may have ended at the same time. */
  take({ status, ended_at }: Turn): ErrorEntry | undefined {
    const failed = status === 'error' || status === 'truncated' || status === 'empty';
    return failed ? this.#byTime.get(ended_at ?? '')?.shift() : undefined;
  }

  /** Those that no turn took, as another program may have written them. */
  rest(): ErrorEntry[] {
    return [...this.#byTime.values()].flat();
  }
}
