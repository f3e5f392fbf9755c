/** Where a transcript goes: a file that is there whole or not at all, and never in the place of a session (E2). */
import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { renameOver, syncFolder, writeNew } from '../session/disk.ts';
import { ForThePerson } from '../session/forThePerson.ts';
import { checkName } from '../session/names.ts';
import { sentence } from '../text/sentence.ts';
import { systemFault } from '../text/systemFault.ts';

/** A path that is refused, or that the disk does not take; the message says why and what would be accepted. Nothing was written. */
export class ExportError extends ForThePerson {
  override readonly name = 'ExportError';
}

/** The file is there already, and may be replaced when the person says so. */
export class ExistingFileError extends ExportError {}

export interface ExportTarget {
  /** Absolute real path of the folder of sessions. */
  sessions: string;
  /** The session that is exported. */
  name: string;
  format: 'md' | 'html';
  /**
   * Path of the file, relative to `cwd`. The default is `exports/<name>.<format>` beside the folder of sessions, which is made; a
   * Markdown file there is replaced.
   */
  out?: string | undefined;
  cwd: string;
  /** Replace an existing file. */
  force?: boolean | undefined;
}

/** The path that the transcript would go to, so that a refusal comes before the work. Throws ExportError. */
export async function exportPath(target: ExportTarget): Promise<string> {
  const path = target.out === undefined ? await defaultPath(target) : await givenPath(target.out, target);
  await assertReplaceable(path, target);
  return path;
}

/** Writes the pieces and returns the absolute path. When it throws, what was there before is still there. */
export async function exportFile(
  pieces: AsyncIterable<string> | Iterable<string>,
  target: ExportTarget,
): Promise<string> {
  const path = await exportPath(target);
  const temporary = join(dirname(path), `.polyglav-export-${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, buffers(pieces));
    await assertReplaceable(path, target);
    if (mayReplace(target)) await renameOver(temporary, path);
    else await placeNew(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error; // not the disk's: it says itself what is wrong
    throw new ExportError(
      `${path} could not be written: ${sentence(systemFault(error))} Nothing was changed. Name a file in another place.`,
      { cause: error },
    );
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

/** Standard output, or whatever takes text at its own pace. */
export interface Outlet {
  /** Settles when it was taken. */
  write(text: string): Promise<void>;
  /** Whoever read has gone: nothing more will arrive. */
  readonly closed: boolean;
}

/** Writes the pieces as fast as they are taken, and stops quietly when nobody takes them any more (J01). */
export async function exportTo(pieces: AsyncIterable<string> | Iterable<string>, outlet: Outlet): Promise<void> {
  for await (const chunk of chunks(pieces)) {
    if (outlet.closed) return;
    await outlet.write(chunk);
  }
}

function mayReplace({ out, format, force }: ExportTarget): boolean {
  return force === true || (out === undefined && format === 'md');
}

async function defaultPath({ sessions, name, format }: ExportTarget): Promise<string> {
  const folder = join(dirname(sessions), 'exports');
  // Not with its parents, which are there: that would say of a disk that can only be read that something does not exist.
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw new ExportError(
      `The folder ${folder} could not be made: ${sentence(systemFault(error))} Name a file in another folder.`,
      { cause: error },
    );
  });
  if ((await realpath(folder).catch(() => undefined)) !== folder)
    throw new ExportError(`${folder} is a link to another place. Remove it, or name a file with --out.`);
  return join(folder, `${name}.${format}`);
}

async function givenPath(out: string, { sessions, cwd }: ExportTarget): Promise<string> {
  if (out === '') throw new ExportError('The path of the export is empty. Name a file, or "-" for standard output.');
  if (out.includes('\0'))
    throw new ExportError('The path of the export holds a NUL character, which no file name can have.');
  if (out.endsWith('/') || out.endsWith(sep)) throw new ExportError(`${out} names a folder. Name a file in it.`);
  const path = resolve(cwd, out);
  const refusedName = fileNameFault(basename(path));
  if (refusedName !== undefined) throw new ExportError(refusedName);
  const parent = await realpath(dirname(path)).catch(() => undefined);
  if (parent === undefined || !(await stat(parent)).isDirectory())
    throw new ExportError(`The folder ${dirname(path)} does not exist. Make it first, or name a file in another one.`);
  if (isInSessions(parent) || (await isInside(parent, sessions)))
    throw new ExportError(
      `${path} is inside a sessions folder, which holds session files alone. Name a file elsewhere.`,
    );
  return path;
}

async function assertReplaceable(path: string, target: ExportTarget): Promise<void> {
  const existing = await lstat(path, { bigint: true }).catch(() => undefined);
  if (existing === undefined) return;
  if (existing.isSymbolicLink()) throw new ExportError(`${path} is a link. Name the file itself, or another one.`);
  if (existing.isDirectory()) throw new ExportError(`${path} is a folder. Name a file in it.`);
  if (!existing.isFile())
    throw new ExportError(`${path} is not a regular file. Name another one, or "-" for standard output.`);
  if (existing.nlink > 1n) {
    const alias = await sameFile(existing, target.sessions);
    if (alias !== undefined)
      throw new ExportError(`${path} is another name of the session file ${alias} (a hard link). Name another one.`);
  }
  if (!mayReplace(target)) throw alreadyThere(path);
}

interface Identity {
  dev: bigint;
  ino: bigint;
}

/** The file below `folder` that is the same as `file` under another name. */
async function sameFile(file: Identity, folder: string): Promise<string | undefined> {
  for (const path of await readdir(folder, { recursive: true }).catch(() => []))
    if (await isSame(file, join(folder, path))) return path;
  return undefined;
}

/** Of any workspace. Many disks do not tell letter case. */
function isInSessions(real: string): boolean {
  return join(real, sep)
    .toLowerCase()
    .includes(join(sep, '.polyglav', 'sessions', sep));
}

/** By identity, not by name: letter case and mounts give a folder several names. */
async function isInside(path: string, folder: string): Promise<boolean> {
  const sessions = await stat(folder, { bigint: true }).catch(() => undefined);
  if (sessions === undefined) return false;
  for (let at = path; ; at = dirname(at)) {
    if (await isSame(sessions, at)) return true;
    if (at === dirname(at)) return false;
  }
}

async function isSame({ dev, ino }: Identity, path: string): Promise<boolean> {
  const other = await stat(path, { bigint: true }).catch(() => undefined);
  return other?.dev === dev && other.ino === ino;
}

/** Fails when the name is taken meanwhile, where a rename would replace it. */
async function placeNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    // A file system without hard links; it was checked a moment ago that the name is free.
    await renameOver(temporary, path);
  }
}

function alreadyThere(path: string): ExistingFileError {
  return new ExistingFileError(`${path} exists already. Use --force to replace it, or name another file.`);
}

/** The same rules on every system, because files move between them; but a leading dot is fine for an export. */
function fileNameFault(name: string): string | undefined {
  return checkName(name.replace(/^\.+(?=.)/, ''))?.replace('session name', 'file name');
}

async function* buffers(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks(pieces)) yield Buffer.from(chunk);
}

const CHUNK_LENGTH = 64 * 1024;

/** Small pieces joined, so that each write is worth its system call. */
async function* chunks(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let chunk: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    chunk.push(piece);
    length += piece.length;
    if (length < CHUNK_LENGTH) continue;
    yield chunk.join('');
    chunk = [];
    length = 0;
  }
  if (length > 0) yield chunk.join('');
}
