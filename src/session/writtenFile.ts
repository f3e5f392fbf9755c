/**
 * The session's file as its owner last wrote it: a front that never changes, and behind it an end that is rewritten in place. A
 * write of another program is noticed by inode, size and time.
 */
import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, type FileHandle } from 'node:fs/promises';

import { keepAside, setAside } from './aside.ts';
import { replaceFile, writeAll } from './disk.ts';
import type { Front } from './journal.ts';
import { SessionError } from './parse.ts';
import { openRegular, readAt } from './regular.ts';
import { filePath, type Place } from './source.ts';

interface Stamp {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

export class WrittenFile {
  readonly #place: Place;
  #handle: FileHandle;
  #stamp: Stamp;
  #front: number;
  /** Over the front's bytes; made when the first journal needs it, because a long file takes a moment. */
  #frontHash: Hash | undefined;

  private constructor(place: Place, handle: FileHandle, stamp: Stamp, front: number) {
    this.#place = place;
    this.#handle = handle;
    this.#stamp = stamp;
    this.#front = front;
  }

  /** `front`: how many of its bytes never change. */
  static async open(place: Place, front: number): Promise<WrittenFile> {
    const handle = await openRegular(filePath(place), 'write');
    return new WrittenFile(place, handle, await stampOf(handle), front);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** What a journal vouches for. */
  async mark(): Promise<Front> {
    this.#frontHash ??= await hashOf(this.#handle, this.#front);
    return { length: this.#front, sum: this.#frontHash.copy().digest('hex') };
  }

  /** The first `fixed` bytes of the end belong to the front from then on. */
  async rewriteEnd(end: Buffer, fixed: number): Promise<void> {
    try {
      await writeAll(this.#handle, end, this.#front);
      await this.#handle.datasync();
      await this.#handle.truncate(this.#front + end.length);
      await this.#handle.datasync();
    } finally {
      this.#stamp = await stampOf(this.#handle); // half an end is ours too
    }
    this.#frontHash?.update(end.subarray(0, fixed));
    this.#front += fixed;
  }

  /** Whether the file at the path is not the one that we wrote last, or none is there. */
  async isReplaced(): Promise<boolean> {
    const now = await this.#standing();
    return (
      now === undefined ||
      now.ino !== this.#stamp.ino ||
      now.size !== this.#stamp.size ||
      now.mtimeNs !== this.#stamp.mtimeNs
    );
  }

  /**
   * The front's bytes through the handle, which outlives a rename; checked, because a write in place does not spare them. Undefined
   * when they are lost.
   */
  async front(): Promise<Buffer | undefined> {
    const bytes = await readAt(this.#handle, 0, this.#front);
    const sum = this.#frontHash?.copy().digest('hex');
    return bytes.length === this.#front && createHash('sha256').update(bytes).digest('hex') === sum ? bytes : undefined;
  }

  /**
   * Writes a new file, whole, and puts it in the place of what stands at the path, which is kept aside: at every moment one of them
   * is there. The first `fixed` bytes of the end belong to its front. Returns where the other version is kept; undefined when there
   * was none.
   */
  async replace(front: Buffer, end: Buffer, fixed: number): Promise<string | undefined> {
    const path = filePath(this.#place);
    const label = `${this.#place.name}.json`;
    const there = await this.#standing();
    const isFile = there?.isFile() === true;
    // What is no file is moved away at once: it is no session, and nothing can be renamed over a folder.
    let kept = there === undefined || isFile ? undefined : await setAside(this.#place, path, label);
    await replaceFile(path, [front, end], async () => {
      if (isFile) kept = await keepAside(this.#place, path, label);
    });
    const handle = await openRegular(path, 'write');
    await this.#handle.close().catch(() => undefined);
    this.#handle = handle;
    this.#stamp = await stampOf(handle);
    this.#front = front.length + fixed;
    this.#frontHash = createHash('sha256').update(front).update(end.subarray(0, fixed));
    return kept;
  }

  /** What is at the path; undefined when nothing is. */
  async #standing(): Promise<BigIntStats | undefined> {
    try {
      return await lstat(filePath(this.#place), { bigint: true });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }
}

async function hashOf(handle: FileHandle, length: number): Promise<Hash> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(1 << 20, length)));
  for (let offset = 0; offset < length;) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, length - offset), offset);
    if (bytesRead === 0) throw new SessionError('the session file is shorter than it was');
    hash.update(chunk.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return hash;
}

async function stampOf(handle: FileHandle): Promise<Stamp> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
  return { ino, size, mtimeNs };
}
