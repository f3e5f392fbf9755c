/** The few ways in which the record is put on a disk so that it is still there after a crash. Owner-only (R15). */
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { nanoid } from 'nanoid';

/** A write may take less than it was given. `position` null: where the file stands. Returns the position behind it. */
export async function writeAll(handle: FileHandle, buffer: Buffer, position: number | null = null): Promise<void> {
  for (let offset = 0; offset < buffer.length;) {
    const at = position === null ? null : position + offset;
    const { bytesWritten } = await handle.write(buffer, offset, buffer.length - offset, at);
    offset += bytesWritten;
  }
}

/** A new file with these pieces, synced. Fails when it exists; leaves nothing behind when it fails. */
export async function writeNew(path: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) await writeAll(handle, piece);
    await handle.sync();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  await handle.close();
}

/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR']);

/**
 * A new file under a name that nobody has, synced; whole from its first moment, where there are hard links. False when the name is
 * taken: of many who ask at once one gets it.
 */
export async function claim(path: string, content: Buffer): Promise<boolean> {
  const temporary = `${path}.${nanoid()}.new`;
  await writeNew(temporary, [content]);
  try {
    // It fails when the name exists, where rename would replace it.
    await link(temporary, path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (NO_LINKS.has(code)) return await claimEmpty(path, temporary);
    throw error;
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** The name first, with nothing in it; then the content, at once. */
async function claimEmpty(path: string, temporary: string): Promise<boolean> {
  try {
    await writeNew(path, []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await renameOver(temporary, path);
  return true;
}

/** What a file holds under another name too, which nobody has: by a link, or by a copy where there are none. */
export async function secondName(path: string, other: string): Promise<void> {
  try {
    await link(path, other);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(path, other, constants.COPYFILE_EXCL);
    const handle = await open(other, 'r+');
    await handle.sync().finally(() => handle.close());
  }
}

/**
 * Temp, sync, rename, folder sync: after a crash the file is the old one or the new one, whole. `beforeRename` is called when the
 * new one stands whole beside the old one; when it throws, the old one stays.
 */
export async function replaceFile(
  path: string,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  beforeRename?: () => Promise<void>,
): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  await writeNew(temporary, pieces);
  try {
    await beforeRename?.();
    await renameOver(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Windows refuses a rename while another program has the file open, which is soon over. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (process.platform !== 'win32' || attempt === 10 || !['EPERM', 'EACCES', 'EBUSY'].includes(code ?? ''))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
    }
  }
}

/** So that a new, renamed or removed name outlives a crash. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // it cannot
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
