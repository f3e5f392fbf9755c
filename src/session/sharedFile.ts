/**
 * A small file outside of the record that several programs change, such as a person's own settings. A change is made to what the
 * file holds at that moment, under a short lock, and takes its place whole: two that come at the same time both count.
 */
import { mkdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
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
 * alone. A link stays one, also where nothing is behind it yet. Missing folders are made. `before` is awaited when that can be done
 * and nothing is changed yet. Throws what these two throw, with nothing changed; {@link SharedFileError}; what the system says.
 */
export async function changeShared(
  file: string,
  change: (present: Buffer | undefined) => Buffer | Promise<Buffer>,
  before?: () => Promise<void>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const real = await targetOf(file);
  await mkdir(dirname(real), { recursive: true, mode: 0o700 });
  // Beside the link, which is the program's own folder; what is behind it may be a repository of the person's.
  const lock = await lockOf(file);
  try {
    const present = await readShared(real).catch((error: unknown) => {
      if (error instanceof UnfitFile) throw new SharedFileError(`${file} was not changed: ${error.message}.`);
      throw error;
    });
    const after = await change(present);
    if (present?.equals(after) === true) await before?.();
    else await replaceFile(real, [after], before);
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

/** What is there is no such file, as the message says; it is meant to stand behind a colon. */
class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
}

/** The file's bytes; undefined when there is none. Waits for nobody. Throws with a reason for the person, or what the system says. */
export async function readShared(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await openRegular(await realpath(file));
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw new UnfitFile('it is far larger than it can be');
      return await readAt(handle, 0, size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof NotRegular) throw new UnfitFile('it is not a regular file');
    throw error;
  }
}

const MOST_LINKS = 40;

/** Where a file is, or would be made: behind its links, the last of which may lead to nothing. */
async function targetOf(file: string, left = MOST_LINKS): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const link = left > 0 ? await readlink(file).catch(() => undefined) : undefined;
    if (link === undefined) return file;
    return targetOf(resolve(await realpath(dirname(file)), link), left - 1);
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
