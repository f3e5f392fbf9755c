/**
 * What a window remembers of one folder, as a small file for each key. VS Code's own workspace state is in its store some time
 * after `update` has settled, and a reload right behind a prompt could forget which session it went to.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { nanoid } from 'nanoid';

import type { Memory } from './promptLedger.ts';

const ENDING = '.json';

export class MemoryFolder implements Memory {
  readonly #folder: string;
  readonly #values: Map<string, unknown>;
  #written: Promise<void> = Promise.resolve();

  private constructor(folder: string, values: Map<string, unknown>) {
    this.#folder = folder;
    this.#values = values;
  }

  /** Reads what is there; makes the folder when it is not. A file that cannot be read, or is no JSON, counts as forgotten. */
  static async open(folder: string): Promise<MemoryFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
    const values = await Promise.all(names.map((name) => read(path.join(folder, name))));
    return new MemoryFolder(folder, new Map(names.map((name, at) => [name.slice(0, -ENDING.length), values[at]])));
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Undefined forgets. `get` has the value at once; settles when a reload or a crash of the window cannot lose it. */
  update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
    this.#written = this.#written.catch(() => undefined).then(() => this.#write(key));
    return this.#written;
  }

  async #write(key: string): Promise<void> {
    const file = path.join(this.#folder, `${key}${ENDING}`);
    const value = this.get(key);
    if (value === undefined) return rm(file, { force: true });
    const temporary = `${file}.${nanoid()}.tmp`;
    await writeFile(temporary, JSON.stringify(value), { mode: 0o600 });
    await rename(temporary, file);
  }
}

async function read(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
