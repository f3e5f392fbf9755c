/** Other functions in place of those of node:fs/promises, for every module that uses them. */
import fsp from 'node:fs/promises';
import { constants } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Returns how to undo it. */
export function replaceCalls(calls: { [Name in keyof typeof fsp]?: unknown }): () => void {
  const originals = Object.fromEntries(Object.keys(calls).map((name) => [name, fsp[name as keyof typeof fsp]]));
  const put = (functions: object) => {
    Object.assign(fsp, functions);
    syncBuiltinESMExports();
  };
  put(calls);
  return () => put(originals);
}

/** Whether who opens a file with `flags` may write to it. */
export function writes(flags: string | number): boolean {
  return typeof flags === 'string' ? flags !== 'r' : (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
}
