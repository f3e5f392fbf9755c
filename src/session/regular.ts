/** Files as they must be: what a name may stand for instead (a link, a folder, a pipe, a device) is never opened for long. */
import { constants, fstatSync, type Stats } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';

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
  const handle = await open(path, mode | NO_WAIT | NO_LINK).catch((error: unknown) => {
    throw ODD.has((error as NodeJS.ErrnoException).code ?? '')
      ? new NotRegular(`${path} is not a regular file`)
      : error;
  });
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

/** Up to `most` bytes from `start` on; fewer where the file ends. */
export async function readAt(handle: FileHandle, start: number, most: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, most));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function assertRegular(path: string, info: { isFile(): boolean }): void {
  if (!info.isFile()) throw new NotRegular(`${path} is not a regular file`);
}
