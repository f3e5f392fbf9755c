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
    return this.#kept.value.folds[this.session]?.[key] ?? byDefault;
  }

  set(key: string, open: boolean): void {
    const { [this.session]: folds, ...others } = this.#kept.value.folds;
    const newest = Object.entries(others).slice(1 - SESSIONS);
    this.#kept.value.folds = { ...Object.fromEntries(newest), [this.session]: { ...folds, [key]: open } };
    this.#kept.saveSoon();
  }
}
