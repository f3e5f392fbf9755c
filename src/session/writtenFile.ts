/**
 * The session's file as its owner last wrote it: a front that never changes, and behind it an end that is rewritten in place. A
 * write of another program is noticed by inode, size and time.
 */
import { createHash, type Hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as soon } from 'node:timers/promises';

import { keepAside, setAside } from './aside.ts';
import { replaceFile, writeAll } from './disk.ts';
import type { Front } from './journal.ts';
import { attempt } from './machine.ts';
import { SessionError } from './parse.ts';
import { openRegular, readAt } from './regular.ts';
import { filePath, type Place } from './source.ts';
import { isSame, stampAt, stampOf, type Stamp } from './stamp.ts';

export class WrittenFile {
  readonly #place: Place;
  #handle: FileHandle;
  #stamp: Stamp;
  #frontLength: number;
  /** The bytes that never change: whatever another program does to the file, it can be written again as it was. */
  #front: Promise<Buffer[]> | undefined;
  /** Over the front; made when the first journal needs it, because a long file takes a moment. */
  #frontHash: Hash | undefined;

  private constructor(place: Place, handle: FileHandle, stamp: Stamp, frontLength: number) {
    this.#place = place;
    this.#handle = handle;
    this.#stamp = stamp;
    this.#frontLength = frontLength;
  }

  /** `frontLength`: how many of its bytes never change. They are read at once, but nobody waits for that. */
  static async open(place: Place, frontLength: number): Promise<WrittenFile> {
    const handle = await openRegular(filePath(place), 'write');
    const file = new WrittenFile(place, handle, await stampOf(handle), frontLength);
    file.#readFront().catch(() => undefined); // who needs it tries again
    return file;
  }

  async close(): Promise<void> {
    await this.#front?.catch(() => undefined);
    await this.#handle.close();
  }

  /** What a journal vouches for. */
  async mark(): Promise<Front> {
    this.#frontHash ??= await hashOf(await this.#readFront());
    return { length: this.#frontLength, sum: this.#frontHash.copy().digest('hex') };
  }

  /** The first `fixed` bytes of the end belong to the front from then on. */
  async rewriteEnd(end: Buffer, fixed: number): Promise<void> {
    const front = await this.#readFront();
    try {
      await writeAll(this.#handle, end, this.#frontLength);
      await this.#handle.datasync();
      await this.#handle.truncate(this.#frontLength + end.length);
      await this.#handle.datasync();
    } finally {
      this.#stamp = await stampOf(this.#handle); // half an end is ours too
    }
    this.#advance(front, end.subarray(0, fixed));
  }

  #advance(front: Buffer[], fixed: Buffer): void {
    if (fixed.length === 0) return;
    this.#frontHash?.update(fixed);
    front.push(Buffer.from(fixed)); // a copy: the rest of the end need not be kept
    this.#frontLength += fixed.length;
  }

  #readFront(): Promise<Buffer[]> {
    return (this.#front ??= this.#readPieces().catch((error: unknown) => {
      this.#front = undefined;
      throw error;
    }));
  }

  async #readPieces(): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < this.#frontLength; offset += 1 << 20)
      pieces.push(await readAt(this.#handle, offset, Math.min(1 << 20, this.#frontLength - offset)));
    if (isSame(await stampOf(this.#handle), this.#stamp)) return pieces;
    throw new SessionError(
      `${this.#place.name}.json was changed by another program while it was being opened. Load the session again to go on.`,
    );
  }

  /** {@link isReplaced} without waiting, for each entry; what cannot be looked at counts as replaced. */
  isReplacedNow(): boolean {
    return !isSame(
      attempt(() => lstatSync(filePath(this.#place), { bigint: true })),
      this.#stamp,
    );
  }

  /** Whether the file at the path is not the one that we wrote last, or none is there. */
  async isReplaced(): Promise<boolean> {
    return !isSame(await stampAt(filePath(this.#place)), this.#stamp);
  }

  /**
   * Writes a new file, whole, and puts it in the place of what stands at the path, which is kept aside: at every moment one of them
   * is there. The first `fixed` bytes of the end belong to the front. Returns where the other version is kept; undefined when there
   * was none.
   */
  async replace(end: Buffer, fixed: number): Promise<string | undefined> {
    const path = filePath(this.#place);
    const label = `${this.#place.name}.json`;
    const front = await this.#readFront();
    const there = await stampAt(path);
    const isFile = there?.isFile() === true;
    // What is no file is moved away at once: it is no session, and nothing can be renamed over a folder.
    let kept = there === undefined || isFile ? undefined : await setAside(this.#place, path, label);
    await replaceFile(path, [...front, end], async () => {
      if (isFile) kept = await keepAside(this.#place, path, label);
    });
    const handle = await openRegular(path, 'write');
    await this.#handle.close().catch(() => undefined);
    this.#handle = handle;
    this.#stamp = await stampOf(handle);
    this.#advance(front, end.subarray(0, fixed));
    return kept;
  }
}

async function hashOf(pieces: readonly Buffer[]): Promise<Hash> {
  const hash = createHash('sha256');
  for (const piece of pieces) {
    hash.update(piece);
    await soon(); // other work goes on meanwhile
  }
  return hash;
}
