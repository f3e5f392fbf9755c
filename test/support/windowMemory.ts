import type { Memory } from '../../src/vscode/memory.ts';

/** What outlives the window, as JSON; writing a key of `broken` has no effect on the next window and rejects. */
export class WindowMemory implements Memory {
  readonly broken = new Set<string>();
  readonly #values = new Map<string, string>();

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  get(key: string): unknown {
    const value = this.#values.get(key);
    return value === undefined ? undefined : JSON.parse(value);
  }

  async update(key: string, value: unknown): Promise<void> {
    if (this.broken.has(key)) throw new Error(`no space left for ${key}`);
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, JSON.stringify(value));
  }
}
