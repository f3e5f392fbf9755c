/** Where a program is. */
import { constants, promises as fs } from 'node:fs';
import path from 'node:path';

/** The absolute folders of the `PATH`, in its order. */
export function pathFolders(env: NodeJS.ProcessEnv): string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** The first of some files that exists and may be run. */
export async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const runs = await fs.access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}
