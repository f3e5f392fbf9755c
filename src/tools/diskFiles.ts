/** Files on the disk: what is read is a regular file of bearable size, what is written is there whole or not at all. */
import { constants, promises as fs, type Stats } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoid } from 'nanoid';

import { resolvePath } from '../permissions/paths.ts';
import { FileChangedError, type FileAccess } from './tool.ts';
import { ToolError } from './toolError.ts';

/** A whole file is held in memory to show or change it; what is larger is searched, or looked at by commands. */
const MOST_BYTES = 20_000_000;

export const diskFiles: FileAccess = { read, write };

/**
 * Rejects with ENOENT and the like, and with {@link ToolError} for what is no regular file (a pipe or device would hang or do
 * something) or too large.
 */
async function read(file: string): Promise<Uint8Array> {
  const before = await fs.stat(file);
  checkRegular(file, before);
  // O_NONBLOCK: should the path have become a pipe meanwhile, opening it does not wait for a writer.
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    checkRegular(file, await handle.stat());
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function checkRegular(file: string, stats: Stats): void {
  if (stats.isDirectory()) throw new ToolError(`${file} is a folder; file_list shows what is in it.`);
  if (!stats.isFile()) throw new ToolError(`${file} is no regular file but a pipe, socket or device.`);
  if (stats.size > MOST_BYTES)
    throw new ToolError(
      `${file} is too large: ${stats.size} bytes, and at most ${MOST_BYTES} are read. Use file_search, or run_command with head, tail or sed -n.`,
    );
}

/** See {@link FileAccess}. Nothing is left behind when it fails: no temporary file, no folder that it made. */
async function write(file: string, content: Uint8Array, expected: Uint8Array | null): Promise<void> {
  const target = await resolvePath(path.dirname(file), file);
  const folder = path.dirname(target);
  const made = await fs.mkdir(folder, { recursive: true });
  const temporary = path.join(folder, `.polyglav-${nanoid()}.tmp`);
  try {
    await prepare(temporary, content, target);
    await checkUnchanged(target, expected);
    if (expected === null) await putNew(temporary, target);
    else await replace(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    if (made !== undefined) await removeEmpty(folder, made);
    throw error;
  }
  await syncFolder(folder);
}

/** The content, durable, under the temporary name; with mode and owner of the file that it will replace. */
async function prepare(temporary: string, content: Uint8Array, target: string): Promise<void> {
  const old = await existing(target);
  // A file that must not be written must not be replaced either, which the folder's permission alone would allow.
  if (old !== undefined) await fs.access(target, constants.W_OK);
  // A new file is open to whom the umask says; a replaced one to nobody else before its mode is set.
  const handle = await fs.open(temporary, 'wx', old === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(content);
    if (old !== undefined) {
      const own = await handle.stat();
      // Only root can give a file away; for anybody else the owner is the same already.
      if (own.uid !== old.uid || own.gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => undefined);
      await handle.chmod(old.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function existing(target: string): Promise<Stats | undefined> {
  try {
    const stats = await fs.stat(target);
    if (!stats.isFile())
      throw new ToolError(
        `${target} is ${stats.isDirectory() ? 'a folder' : 'no regular file'}; it cannot be written.`,
      );
    return stats;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function checkUnchanged(target: string, expected: Uint8Array | null): Promise<void> {
  const now = await read(target).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (now === null && expected === null) return;
  if (now === null) throw new FileChangedError(`${target} was removed meanwhile; nothing was written.`);
  if (expected === null)
    throw new FileChangedError(`${target} was made by someone else meanwhile; it was left as it is.`);
  if (Buffer.compare(now, expected) !== 0)
    throw new FileChangedError(`${target} was changed by someone else meanwhile and was left as it is. Read it again.`);
}

/** A link under the final name fails when there is one by now, so nobody's file is replaced. */
async function putNew(temporary: string, target: string): Promise<void> {
  try {
    await fs.link(temporary, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new FileChangedError(`${target} was made by someone else meanwhile; it was left as it is.`);
    // A file system without hard links.
    await replace(temporary, target);
    return;
  }
  await fs.rm(temporary, { force: true });
}

const RENAME_TRIES = 10;
const RENAME_WAIT_MS = 50;

/** On Windows a rename is refused while another program, a virus scanner for one, has the file open: it is tried again. */
async function replace(temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fs.rename(temporary, target);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isBusy = process.platform === 'win32' && (code === 'EPERM' || code === 'EACCES' || code === 'EBUSY');
      if (!isBusy || attempt === RENAME_TRIES) throw error;
      await sleep(RENAME_WAIT_MS);
    }
  }
}

/** Removes the folders from `folder` up to `first` as far as they are empty. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  try {
    for (let at = folder; ; at = path.dirname(at)) {
      await fs.rmdir(at);
      if (at === first) return;
    }
  } catch {
    // Somebody put something there: it stays.
  }
}

/** Makes the name durable too. Not every system lets a folder be synced; the content is safe in any case. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => undefined);
  if (handle === undefined) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
