/** What a search shows although it leaves out what begins with a dot: it goes by the files that say what is ignored. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { parseGlob, type Glob } from '../text/glob.ts';
import { plainNames } from './shell/namePatterns.ts';

const FILES = ['.gitignore', '.ignore', '.rgignore', '.agignore', '.git/info/exclude'];

/** Names that a file of this folder takes out of what is ignored, as `!.env.example` does; rather too many. */
export async function unignoredIn(folder: string): Promise<Glob[]> {
  const texts = await Promise.all(FILES.map((name) => fs.readFile(path.join(folder, name), 'utf8').catch(() => '')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('!'));
  const names = lines.flatMap((line) => line.slice(1).trim().split('/')).filter((name) => name !== '');
  return names.flatMap((name) => {
    const globs = plainNames([name]);
    const any = parseGlob('*');
    return globs.length > 0 || 'error' in any ? globs : [any];
  });
}

/** {@link unignoredIn} of the folders from `top` to above `folder`. */
export async function unignoredAbove(folder: string, top: string): Promise<Glob[]> {
  const found: Glob[] = [];
  for (let at = folder; at !== top && at !== path.dirname(at);)
    found.push(...(await unignoredIn((at = path.dirname(at)))));
  return found;
}
