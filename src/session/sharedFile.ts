/**
 * A small file outside of the record that several programs change, such as a person's own settings. A change is made to what the
 * file holds at that moment, under a short lock, and takes its place whole: two that come at the same time both count.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { replaceFile } from './disk.ts';
import { ForThePerson } from './forThePerson.ts';
import { HeldError, Lock } from './lock.ts';
import { NotRegular, openRegular, readAt } from './regular.ts';

const PROGRAM = 'Polyglav';
/** One change takes milliseconds; who holds the lock this long is stuck. */
const PATIENCE_MS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** What is there cannot be read or changed; nothing was. */
export class SharedFileError extends ForThePerson {
  override readonly name = 'SharedFileError';
}

/**
 * Puts what `change` makes of the file's bytes (undefined: there is no file) in their place, durably and readable for the owner
 * alone. A link stays one. Missing folders are made. Throws what `change` throws, with nothing changed; {@link SharedFileError};
 * what the system says.
 */
export async function changeShared(
  file: string,
  change: (before: Buffer | undefined) => Buffer | Promise<Buffer>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const real = await realpath(file).catch(() => file);
  const lock = await lockOf(real);
  try {
    const before = await readWhole(real);
    const after = await change(before);
    if (before?.equals(after) !== true) await replaceFile(real, [after]);
  } finally {
    await lock.release();
  }
}

async function lockOf(file: string): Promise<Lock> {
  const place = { dir: dirname(file), name: basename(file) };
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await Lock.acquire(place, PROGRAM);
    } catch (error) {
      if (!(error instanceof HeldError)) throw error;
      if (Date.now() > end)
        throw new SharedFileError(`${file} was not changed: another program is about to change it. Try again.`);
      await sleep(20 + Math.random() * 30);
    }
  }
}

async function readWhole(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await openRegular(file);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw new SharedFileError(`${file} was not changed: it is far larger than it can be.`);
      return await readAt(handle, 0, size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof NotRegular) throw new SharedFileError(`${file} was not changed: it is not a regular file.`);
    throw error;
  }
}
