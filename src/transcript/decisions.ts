/** Who allowed or refused a call: the permission decisions at the calls they belong to (R13). */
import type { PermissionEntry } from '../session/schema.ts';

/** The decisions by the call they name; those that no call took are shown apart, so that none is missing. */
export class Decisions {
  readonly #entries: readonly PermissionEntry[];
  readonly #byCall = new Map<string, PermissionEntry[]>();

  constructor(entries: readonly PermissionEntry[]) {
    this.#entries = entries;
    for (const entry of entries) {
      const key = `${entry.turn}.${entry.part}`;
      const same = this.#byCall.get(key);
      if (same === undefined) this.#byCall.set(key, [entry]);
      else same.push(entry);
    }
  }

  /** `part` counts from 1. */
  take(turn: number, part: number): readonly PermissionEntry[] {
    const key = `${turn}.${part}`;
    const entries = this.#byCall.get(key) ?? [];
    this.#byCall.delete(key);
    return entries;
  }

  /** Those that no call took. */
  rest(): PermissionEntry[] {
    const left = new Set([...this.#byCall.values()].flat());
    return this.#entries.filter((entry) => left.has(entry));
  }
}
