/** Files, for commands that take one. */
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';

/** More is no help to anybody. */
const MOST = 100;

/** Paths that begin with `typed`, relative to `cwd`; a folder ends in `/`. Hidden ones only behind a dot. */
export async function completeFiles(cwd: string, typed: string): Promise<string[]> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const name = typed.slice(folder.length);
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.name.startsWith(name) && (name.startsWith('.') || !entry.name.startsWith('.')))
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort()
    .slice(0, MOST);
}
