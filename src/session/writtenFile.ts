/**
 * The session's file as its owner last wrote it: a front that never changes, and behind it an end that is rewritten in place. A
 * write of another program is noticed by inode, size and time.
 */
import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, type FileHandle } from 'node:fs/promises';
import { setImmediate as soon } from 'node:timers/promises';

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
  /** The bytes that never change: whatever another program does to the file, it can be written again as it was. */
  readonly #front: Buffer[];
  #frontLength: number;
  /** Over the front; made when the first journal needs it, because a long file takes a moment. */
  #frontHash: Hash | undefined;

  private constructor(place: Place, handle: FileHandle, stamp: Stamp, front: Buffer[], frontLength: number) {
    this.#place = place;
    this.#handle = handle;
    this.#stamp = stamp;
    this.#front = front;
    this.#frontLength = frontLength;
  }

  /** `frontLength`: how many of its bytes never change. */
  static async open(place: Place, frontLength: number): Promise<WrittenFile> {
    const handle = await openRegular(filePath(place), 'write');
    try {
      const stamp = await stampOf(handle);
      return new WrittenFile(place, handle, stamp, await readFront(handle, frontLength), frontLength);
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** What a journal vouches for. */
  async mark(): Promise<Front> {
    this.#frontHash ??= await hashOf(this.#front);
    return { length: this.#frontLength, sum: this.#frontHash.copy().digest('hex') };
  }

  /** The first `fixed` bytes of the end belong to the front from then on. */
  async rewriteEnd(end: Buffer, fixed: number): Promise<void> {
    try {
      await writeAll(this.#handle, end, this.#frontLength);
      await this.#handle.datasync();
      await this.#handle.truncate(this.#frontLength + end.length);
      await this.#handle.datasync();
    } finally {
      this.#stamp = await stampOf(this.#handle); // half an end is ours too
    }
    this.#advance(end.subarray(0, fixed));
  }

  #advance(fixed: Buffer): void {
    if (fixed.length === 0) return;
    this.#frontHash?.update(fixed);
    this.#front.push(Buffer.from(fixed)); // a copy: the rest of the end need not be kept
    this.#frontLength += fixed.length;
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
   * Writes a new file, whole, and puts it in the place of what stands at the path, which is kept aside: at every moment one of them
   * is there. The first `fixed` bytes of the end belong to the front. Returns where the other version is kept; undefined when there
   * was none.
   */
  async replace(end: Buffer, fixed: number): Promise<string | undefined> {
    const path = filePath(this.#place);
    const label = `${this.#place.name}.json`;
    const there = await this.#standing();
    const isFile = there?.isFile() === true;
    // What is no file is moved away at once: it is no session, and nothing can be renamed over a folder.
    let kept = there === undefined || isFile ? undefined : await setAside(this.#place, path, label);
    await replaceFile(path, [...this.#front, end], async () => {
      if (isFile) kept = await keepAside(this.#place, path, label);
    });
    const handle = await openRegular(path, 'write');
    await this.#handle.close().catch(() => undefined);
    this.#handle = handle;
    this.#stamp = await stampOf(handle);
    this.#advance(end.subarray(0, fixed));
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

async function readFront(handle: FileHandle, length: number): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < length;) {
    const piece = await readAt(handle, offset, Math.min(1 << 20, length - offset));
    if (piece.length === 0) throw new SessionError('The session file became shorter while it was read. Try again.');
    pieces.push(piece);
    offset += piece.length;
  }
  return pieces;
}

async function hashOf(pieces: readonly Buffer[]): Promise<Hash> {
  const hash = createHash('sha256');
  for (const piece of pieces) {
    hash.update(piece);
    await soon(); // other work goes on meanwhile
  }
  return hash;
}

async function stampOf(handle: FileHandle): Promise<Stamp> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
  return { ino, size, mtimeNs };
}
