/** Which cards are open: each has its own beginning, and what a person opened or shut stays so. */
import type { KeptState } from './kept.ts';

/** Of so many sessions, the ones touched last, the folds are kept. */
const SESSIONS = 30;

export class Folds {
  /** The session that is shown; '' is one that has no name yet. */
  session = '';
  readonly #kept: KeptState;

  constructor(kept: KeptState) {
    this.#kept = kept;
  }

  isOpen(key: string, byDefault = false): boolean {
    return this.#shown()[key] ?? byDefault;
  }

  set(key: string, open: boolean): void {
    const { [this.session]: _, ...others } = this.#kept.value.folds;
    const newest = Object.entries(others).slice(1 - SESSIONS);
    this.#kept.value.folds = { ...Object.fromEntries(newest), [this.session]: { ...this.#shown(), [key]: open } };
    this.#kept.saveSoon();
  }

  /** A session may be called `constructor`. */
  #shown(): Record<string, boolean> {
    const { folds } = this.#kept.value;
    return Object.hasOwn(folds, this.session) ? (folds[this.session] ?? {}) : {};
  }
}
