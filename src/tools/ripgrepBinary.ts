/** Where a ripgrep binary is. */
import path from 'node:path';

import { firstExecutable, pathFolders } from './executable.ts';

export const RIPGREP = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** Absolute path: the first of `own` that can be run, else one on the `PATH`; undefined when there is none, which searching says. */
export function findRipgrep(own: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return firstExecutable([...own, ...pathFolders(env).map((folder) => path.join(folder, RIPGREP))]);
}
