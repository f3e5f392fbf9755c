/** Files as they must be: what a name may stand for instead (a link, a folder, a pipe, a device) is never opened for long. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { setImmediate as otherWork } from 'node:timers/promises';

export class NotRegular extends Error {
  override readonly name = 'NotRegular';
}

/** Windows has neither flag. */
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;
const NO_LINK = (constants.O_NOFOLLOW as number | undefined) ?? 0;
/** A link where none is followed, a socket, a folder that is to be written to. */
const ODD = new Set(['ELOOP', 'ENXIO', 'EISDIR', 'EMLINK', 'EFTYPE', 'EOPNOTSUPP', 'ENODEV']);

/** Waits for nobody, as opening a pipe would. Throws {@link NotRegular}, or what the system says. */
export async function openRegular(path: string, access: 'read' | 'write' = 'read'): Promise<FileHandle> {
  return (await openWithInfo(path, access)).handle;
}

/** The same, with what the file was when it was opened. */
export async function openWithInfo(
  path: string,
  access: 'read' | 'write' = 'read',
): Promise<{ handle: FileHandle; info: Stats }> {
  const mode = access === 'write' ? constants.O_RDWR : constants.O_RDONLY;
  if (NO_LINK === 0) assertRegular(path, await lstat(path));
  const handle = await open(path, mode | NO_WAIT | NO_LINK).catch(refuseOdd(path));
  try {
    // Of an open file this takes no time worth giving the thread away for.
    const info = fstatSync(handle.fd);
    assertRegular(path, info);
    return { handle, info };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** An open file, for as long as it is looked into. */
export interface Glance {
  /** From when it was opened. */
  info: Stats;
  /** As it is now. */
  stat(): Stats;
  /** Up to `most` bytes from `start` on; fewer where the file ends. */
  read(start: number, most: number): Promise<Buffer>;
}

/** So many short files are looked into before other work has its turn. */
const AT_ONCE = 16;
let glances = 0;

/**
 * Lets `use` look into a file, and closes it. A list does so with thousands, and to wait for another thread to open, read and close
 * each costs several times what that itself does: so it is done here, a few at a time. Throws {@link NotRegular}, or what the
 * system says.
 */
export async function glanceInto<T>(path: string, use: (file: Glance) => Promise<T>): Promise<T> {
  if (++glances % AT_ONCE === 0) await otherWork();
  if (NO_LINK === 0) assertRegular(path, await lstat(path));
  const descriptor = opened(path);
  try {
    const info = fstatSync(descriptor);
    assertRegular(path, info);
    return await use({
      info,
      stat: () => fstatSync(descriptor),
      read: (start, most) => readUpTo(most, start, async (...where) => ({ bytesRead: readSync(descriptor, ...where) })),
    });
  } finally {
    closeSync(descriptor);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | NO_WAIT | NO_LINK);
  } catch (error) {
    return refuseOdd(path)(error);
  }
}

type Read = (buffer: Buffer, offset: number, length: number, position: number) => Promise<{ bytesRead: number }>;

async function readUpTo(most: number, start: number, read: Read): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, most));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Up to `most` bytes from `start` on; fewer where the file ends. */
export function readAt(handle: FileHandle, start: number, most: number): Promise<Buffer> {
  return readUpTo(most, start, (...where) => handle.read(...where));
}

function refuseOdd(path: string): (error: unknown) => never {
  return (error) => {
    throw ODD.has((error as NodeJS.ErrnoException).code ?? '')
      ? new NotRegular(`${path} is not a regular file`)
      : error;
  };
}

function assertRegular(path: string, info: { isFile(): boolean }): void {
  if (!info.isFile()) throw new NotRegular(`${path} is not a regular file`);
}
