/** Files on the disk: what is read is a regular file of bearable size, what is written is there whole or not at all. */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoid } from 'nanoid';

import { RealFolder } from './realFolder.ts';
import { FileChangedError, type FileAccess } from './tool.ts';
import { ToolError } from './toolError.ts';

/** A whole file is held in memory to show or change it; what is larger is searched, or looked at by commands. */
const MOST_BYTES = 20_000_000;
const PIECE_BYTES = 1 << 20;

/** How the system finds a file in its folder that is held, and the path that is shown of it. */
interface Target {
  target: string;
  file: string;
}

export const diskFiles: FileAccess = { read, write, unsaved: () => Promise.resolve([]) };

/**
 * Rejects with ENOENT and the like, and with {@link ToolError} for what is no regular file (a pipe or device would hang or do
 * something) or too large.
 */
async function read(file: string): Promise<Uint8Array> {
  const folder = await RealFolder.open(path.dirname(file));
  try {
    return await readIn(folder, file);
  } finally {
    await folder.close();
  }
}

async function readIn(folder: RealFolder, file: string): Promise<Uint8Array> {
  const name = path.basename(file);
  // A device may do something when it is opened.
  checkRegular(file, await fs.lstat(folder.at(name)));
  const handle = await folder.openFile(name);
  try {
    checkRegular(file, await handle.stat());
    return await readBounded(handle, file);
  } finally {
    await handle.close();
  }
}

function checkRegular(file: string, stats: Stats): void {
  if (stats.isDirectory()) throw new ToolError(`${file} is a folder; file_list shows what is in it.`);
  if (!stats.isFile() && !stats.isSymbolicLink())
    throw new ToolError(`${file} is no regular file but a pipe, socket or device.`);
  if (/^\/(proc|sys)\//.test(file))
    throw new ToolError(`${file} is no file on a disk but a view of the system; run_command can print it.`);
  if (stats.size > MOST_BYTES) throw tooLarge(file, `${stats.size} bytes`);
}

function tooLarge(file: string, size: string): ToolError {
  return new ToolError(
    `${file} is too large: ${size}, and at most ${MOST_BYTES} are read. Use file_search, or run_command with head, tail or sed -n.`,
  );
}

/** What grows while it is read, or does not say its size, ends at the limit too. */
async function readBounded(handle: fs.FileHandle, file: string): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: PIECE_BYTES })) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > MOST_BYTES) throw tooLarge(file, 'it goes on');
  }
  return Buffer.concat(pieces);
}

/** See {@link FileAccess}. Nothing is left behind when it fails: no temporary file, no folder that it made. */
async function write(file: string, content: Uint8Array, expected: Uint8Array | null): Promise<Uint8Array> {
  const opened: RealFolder[] = [];
  const made: { folder: RealFolder; name: string }[] = [];
  try {
    const folder = await openOrMake(path.dirname(file), opened, made);
    await writeIn(folder, file, content, expected);
    await syncFolder(folder.at());
    return content;
  } catch (error) {
    await removeEmpty(made);
    throw error;
  } finally {
    for (const folder of opened) await folder.close();
  }
}

async function writeIn(
  folder: RealFolder,
  file: string,
  content: Uint8Array,
  expected: Uint8Array | null,
): Promise<void> {
  const target = folder.at(path.basename(file));
  const temporary = folder.at(`.polyglav-${nanoid()}.tmp`);
  try {
    await prepare(temporary, content, { target, file });
    await checkUnchanged(folder, file, expected);
    await folder.check();
    if (expected === null) await putNew(temporary, { target, file });
    else await replace(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

/** The folder, made with those above it if need be; all that were opened and made on the way are added to the lists. */
async function openOrMake(
  real: string,
  opened: RealFolder[],
  made: { folder: RealFolder; name: string }[],
): Promise<RealFolder> {
  let folder: RealFolder;
  try {
    folder = await RealFolder.open(real);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || real === path.dirname(real)) throw error;
    const outer = await openOrMake(path.dirname(real), opened, made);
    const name = path.basename(real);
    try {
      await fs.mkdir(outer.at(name));
      made.push({ folder: outer, name });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    }
    folder = await outer.inner(name);
  }
  opened.push(folder);
  return folder;
}

/** The content, durable, under the temporary name; with mode and owner of the file that it will replace. */
async function prepare(temporary: string, content: Uint8Array, { target, file }: Target): Promise<void> {
  const old = await existing({ target, file });
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

async function existing({ target, file }: Target): Promise<Stats | undefined> {
  try {
    const stats = await fs.lstat(target);
    if (!stats.isFile())
      throw new ToolError(`${file} is ${stats.isDirectory() ? 'a folder' : 'no regular file'}; it cannot be written.`);
    return stats;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function checkUnchanged(folder: RealFolder, file: string, expected: Uint8Array | null): Promise<void> {
  const now = await readIn(folder, file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (now === null && expected === null) return;
  if (now === null) throw new FileChangedError(`${file} was removed meanwhile; nothing was written.`);
  if (expected === null)
    throw new FileChangedError(`${file} was made by someone else meanwhile; it was left as it is.`);
  if (Buffer.compare(now, expected) !== 0)
    throw new FileChangedError(`${file} was changed by someone else meanwhile and was left as it is. Read it again.`);
}

/** A link under the final name fails when there is one by now, so nobody's file is replaced. */
async function putNew(temporary: string, { target, file }: Target): Promise<void> {
  try {
    await fs.link(temporary, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new FileChangedError(`${file} was made by someone else meanwhile; it was left as it is.`);
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

/** Removes folders, the innermost of which comes last, as far as they are empty. */
async function removeEmpty(made: readonly { folder: RealFolder; name: string }[]): Promise<void> {
  try {
    for (const { folder, name } of made.toReversed()) await fs.rmdir(folder.at(name));
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
