/** Whether Git ignores a file, by its own name and the two places where such names are told by custom. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { matchesGlob, parseGlob } from '../text/glob.ts';

/** Rather not than wrongly: a name that is told with its folder is not looked at, but where that says it is not ignored. */
export async function isIgnoredByName(repository: string, file: string): Promise<boolean> {
  const name = path.basename(file);
  let ignored = false;
  // What the second says goes before the first.
  for (const list of ['.git/info/exclude', '.gitignore']) {
    const text = await fs.readFile(path.join(repository, list), 'utf8').catch(() => '');
    for (const line of text.split(/\r?\n/)) {
      const isNegated = line.startsWith('!');
      const pattern = line.replace(/^!/, '').trimEnd();
      if (pattern.includes('/') && !isNegated) continue;
      const glob = parseGlob((pattern.split('/').at(-1) ?? '').replace(/[{}]/g, '\\$&'));
      if (!('error' in glob) && matchesGlob(glob, name, { slash: true })) ignored = !isNegated;
    }
  }
  return ignored;
}
