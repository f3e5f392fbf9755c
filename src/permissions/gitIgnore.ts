/** Whether Git ignores a file, by its own name or a folder's, and by the two lists where such names are told by custom. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { matchesGlob, parseGlob } from '../text/glob.ts';

/** Rather not than wrongly: lines that tell a whole path are not looked at, but where they say that it is not ignored. */
export async function isIgnoredByName(repository: string, file: string): Promise<boolean> {
  const lists = ['.git/info/exclude', '.gitignore'].map((list) =>
    fs.readFile(path.join(repository, list), 'utf8').catch(() => ''),
  );
  // What the second says goes before the first.
  const lines = (await Promise.all(lists)).flatMap((text) => text.split(/\r?\n/));
  const names = path.relative(repository, file).split(path.sep);
  // What is in a folder that is ignored is so too.
  return names.some((name, index) => isIgnored(name, index < names.length - 1, lines));
}

function isIgnored(name: string, isFolder: boolean, lines: readonly string[]): boolean {
  let ignored = false;
  for (const line of lines) {
    const isNegated = line.startsWith('!');
    const pattern = line.replace(/^!/, '').trimEnd();
    const plain = pattern.replace(/\/$/, '');
    if (!isNegated && (plain.includes('/') || (plain !== pattern && !isFolder))) continue;
    const glob = parseGlob((plain.split('/').at(-1) ?? '').replace(/[{}]/g, '\\$&'));
    if (!('error' in glob) && matchesGlob(glob, name, { slash: true })) ignored = !isNegated;
  }
  return ignored;
}
