/** Where a ripgrep binary is: the npm package's, else one on the `PATH`. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/** Absolute path; undefined when there is none, which searching then says. */
export async function findRipgrep(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const onPath = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const file of [await packaged(), ...onPath.map((folder) => path.join(folder, binary))])
    if (file !== undefined && (await isExecutable(file))) return file;
  return undefined;
}

/** The package is not part of the bundle, and has no binary for every platform. */
async function packaged(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return undefined;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
