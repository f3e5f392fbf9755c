/**
 * What the windows on one folder remember, as a small file for each key. VS Code's own workspace state is in its store some
 * time after `update` has settled, and a reload right behind a prompt could forget which session it went to. Nothing but what
 * is being written is held in memory: the window before a reload may still be ending, and another may be open on the folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { nanoid } from 'nanoid';

import type { Memory } from './memory.ts';

const ENDING = '.json';

export class MemoryFolder implements Memory {
  readonly #folder: string;
  /** What is not on the disk yet. */
  readonly #written = new Map<string, unknown>();
  /** Keys whose write has not begun: it takes along what is updated meanwhile. */
  readonly #waiting = new Map<string, Promise<void>>();
  #last: Promise<void> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder when it is not there. */
  static async open(folder: string): Promise<MemoryFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new MemoryFolder(folder);
  }

  keys(): readonly string[] {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(ENDING));
    const keys = new Set([...names.map((name) => name.slice(0, -ENDING.length)), ...this.#written.keys()]);
    return [...keys].filter((key) => this.get(key) !== undefined);
  }

  /** A file that cannot be read, or is no JSON, counts as forgotten. */
  get(key: string): unknown {
    if (this.#written.has(key)) return this.#written.get(key);
    try {
      return JSON.parse(readFileSync(this.#file(key), 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** Undefined forgets. `get` has the value at once; settles when a reload or a crash of the window cannot lose it. */
  update(key: string, value: unknown): Promise<void> {
    this.#written.set(key, value);
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    this.#last = this.#last
      .catch(() => undefined)
      .then(() => {
        this.#waiting.delete(key);
        return this.#write(key);
      });
    this.#waiting.set(key, this.#last);
    return this.#last;
  }

  async #write(key: string): Promise<void> {
    const value = this.#written.get(key);
    const file = this.#file(key);
    if (value === undefined) await rm(file, { force: true });
    else {
      const temporary = `${file}.${nanoid()}.tmp`;
      await writeFile(temporary, JSON.stringify(value), { mode: 0o600 });
      await rename(temporary, file);
    }
    if (!this.#waiting.has(key)) this.#written.delete(key);
  }

  #file(key: string): string {
    return path.join(this.#folder, key + ENDING);
  }
}
