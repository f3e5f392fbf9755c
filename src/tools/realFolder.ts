/**
 * A folder that stays the one it was: what is opened in it is in that folder, whatever happens to the names above it (P4). A
 * path is judged first and used later; in between somebody may put a link in its place.
 *
 * On Linux the folder is held open and reached through `/proc`, so nothing can be put in its place. Elsewhere it is looked at
 * again before each step that counts, which leaves an instant between the look and the step.
 */
import { constants, existsSync, promises as fs, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { PathError } from '../permissions/paths.ts';

const HELD = process.platform === 'linux' && existsSync('/proc/self/fd');
/** Opens a name without reading what it stands for, so that a folder which may only be passed through can be held too. */
const O_PATH = 0o10000000;

export class RealFolder {
  /** Absolute real path. */
  readonly real: string;
  readonly #handle: FileHandle | undefined;
  readonly #stats: BigIntStats | undefined;

  private constructor(real: string, handle: FileHandle | undefined, stats: BigIntStats | undefined) {
    this.real = real;
    this.#handle = handle;
    this.#stats = stats;
  }

  /** `real` is an absolute real path. Rejects with ENOENT and the like, and with {@link PathError} when it leads elsewhere by now. */
  static async open(real: string): Promise<RealFolder> {
    return RealFolder.#open(real, real);
  }

  static async #open(at: string, real: string): Promise<RealFolder> {
    if (!HELD) {
      const folder = new RealFolder(real, undefined, await fs.stat(at, { bigint: true }));
      await folder.check();
      return folder;
    }
    const handle = await fs
      .open(at, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
      .catch(async (error: unknown) => {
        if (await isLink(at)) throw leadsElsewhere(real);
        throw error;
      });
    const folder = new RealFolder(real, handle, undefined);
    try {
      await checkHandle(handle, real);
      return folder;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  /** A folder in it. */
  async inner(name: string): Promise<RealFolder> {
    return RealFolder.#open(this.at(name), path.join(this.real, name));
  }

  /** Where the system finds the folder, or a name in it, while it is open: also for a child process of ours. */
  at(name = ''): string {
    return this.#handle === undefined
      ? path.join(this.real, name)
      : path.join(`/proc/${process.pid}/fd/${this.#handle.fd}`, name);
  }

  /** Opens a file in it for reading, by no link, and without waiting for the other end of a pipe. */
  async openFile(name: string): Promise<FileHandle> {
    // Windows has not all of these; what is not there counts as nothing.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    const handle = await fs.open(this.at(name), flags).catch(async (error: unknown) => {
      if (await isLink(this.at(name))) throw leadsElsewhere(path.join(this.real, name));
      throw error;
    });
    try {
      await this.check();
      if (!HELD && !same(await handle.stat({ bigint: true }), await fs.lstat(this.at(name), { bigint: true })))
        throw leadsElsewhere(path.join(this.real, name));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Rejects when its path leads elsewhere by now. Where it is held nothing can come of that. */
  async check(): Promise<void> {
    if (this.#stats === undefined) return;
    const real = await fs.realpath(this.real);
    if (real !== this.real || !same(await fs.stat(real, { bigint: true }), this.#stats))
      throw leadsElsewhere(this.real);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function checkHandle(handle: FileHandle, real: string): Promise<void> {
  if ((await fs.readlink(`/proc/self/fd/${handle.fd}`)) !== real) throw leadsElsewhere(real);
}

async function isLink(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

function same(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function leadsElsewhere(real: string): PathError {
  return new PathError(`${real} was moved, or a link was put in its place, while the call ran. Nothing was done.`);
}
