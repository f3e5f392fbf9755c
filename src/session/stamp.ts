/** By what a file is known to be the one that was seen last: inode, size and time. */
import { lstat, type FileHandle } from 'node:fs/promises';

export interface Stamp {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  isFile(): boolean;
}

export function stampOf(handle: FileHandle): Promise<Stamp> {
  return handle.stat({ bigint: true });
}

/** Of what is at the path, links not followed; undefined when nothing is. */
export async function stampAt(path: string): Promise<Stamp | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export function isSame(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
