/** Where the ripgrep binary is that ships with VS Code. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/**
 * The editor's own binary under `appRoot` (its place has changed over the releases), else one on the `PATH`; undefined when
 * there is neither.
 */
export async function findRipgrep(appRoot: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const own = ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    path.join(appRoot, modules, '@vscode/ripgrep-universal/bin', `${process.platform}-${process.arch}`, binary),
    path.join(appRoot, modules, '@vscode/ripgrep/bin', binary),
  ]);
  const onPath = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const file of [...own, ...onPath.map((folder) => path.join(folder, binary))]) {
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}
