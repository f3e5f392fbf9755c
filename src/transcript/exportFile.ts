/** Where a transcript goes: a file that is there whole or not at all, and never in the place of a session (E2). */
import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import { ForThePerson } from '../session/forThePerson.ts';
import { checkName } from '../session/names.ts';

/** A path that is refused; the message says why and what would be accepted. Nothing was written. */
export class ExportError extends ForThePerson {
  override readonly name = 'ExportError';
}

export interface ExportTarget {
  /** Absolute real path of the workspace folder. */
  workspace: string;
  /** The session that is exported. */
  name: string;
  /** Path of the file, relative to `cwd`; the default is `<workspace>/.polyglav/exports/<name>.md`, which is replaced. */
  out?: string | undefined;
  cwd: string;
  /** Replace an existing file at `out`. */
  force?: boolean | undefined;
}

/** Writes the pieces and returns the absolute path. When it throws, what was there before is still there. */
export async function exportFile(pieces: Iterable<string>, target: ExportTarget): Promise<string> {
  const path = target.out === undefined ? await defaultPath(target) : await givenPath(target.out, target);
  const temporary = join(dirname(path), `.polyglav-export-${randomUUID()}.tmp`);
  try {
    await writeSynced(temporary, pieces);
    if (target.out === undefined || target.force === true) await rename(temporary, path);
    else await placeNew(temporary, path);
  } catch (error) {
    if (error instanceof ExportError) throw error;
    throw new Error(`${path} could not be written: ${(error as Error).message}.`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}

async function defaultPath({ workspace, name }: ExportTarget): Promise<string> {
  const folder = join(workspace, '.polyglav', 'exports');
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Error(`The folder ${folder} could not be made: ${(error as Error).message}.`, { cause: error });
  });
  if ((await realpath(folder)) !== folder)
    throw new ExportError(`${folder} is a link to another place. Remove it, or name a file with --out.`);
  const path = join(folder, `${name}.md`);
  if ((await lstat(path).catch(() => undefined))?.isDirectory() === true)
    throw new ExportError(`${path} is a folder. Remove it, or name a file with --out.`);
  return path;
}

async function givenPath(out: string, { workspace, cwd, force }: ExportTarget): Promise<string> {
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
  const sessions = join(workspace, '.polyglav', 'sessions');
  if (isInside(parent, await realpath(sessions).catch(() => sessions)))
    throw new ExportError(
      `${path} is inside the sessions folder, which holds session files alone. Name a file elsewhere.`,
    );
  const existing = await lstat(path).catch(() => undefined);
  if (existing === undefined) return path;
  if (existing.isSymbolicLink()) throw new ExportError(`${path} is a link. Name the file itself, or another one.`);
  if (existing.isDirectory()) throw new ExportError(`${path} is a folder. Name a file in it.`);
  if (!existing.isFile())
    throw new ExportError(`${path} is not a regular file. Name another one, or "-" for standard output.`);
  if (existing.nlink > 1)
    throw new ExportError(`${path} is one of several names of the same file (a hard link). Name another one.`);
  if (force !== true) throw alreadyThere(path);
  return path;
}

/** Fails when the name is taken meanwhile, where `rename` would replace it. */
async function placeNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    // A file system without hard links; it was checked a moment ago that the name is free.
    await rename(temporary, path);
  }
}

function alreadyThere(path: string): ExportError {
  return new ExportError(`${path} exists already. Use --force to replace it, or name another file.`);
}

/** The same rules on every system, because files move between them; but a leading dot is fine for an export. */
function fileNameFault(name: string): string | undefined {
  return checkName(name.replace(/^\.+(?=.)/, ''))?.replace('session name', 'file name');
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

async function writeSynced(path: string, pieces: Iterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const chunk of chunks(pieces)) await file.appendFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

const CHUNK_LENGTH = 64 * 1024;

/** Small pieces joined, so that each write is worth its system call. */
export function* chunks(pieces: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
