/** The few ways in which the record is put on a disk so that it is still there after a crash. Owner-only (R15). */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

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

/** Temp, sync, rename, folder sync: after a crash the file is the old one or the new one, whole. */
export async function replaceFile(path: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  await writeNew(temporary, pieces);
  await renameOver(temporary, path).catch(async (error: unknown) => {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  });
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
