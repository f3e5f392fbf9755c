/** The ripgrep binary that ships with VS Code. */
import path from 'node:path';

import { RIPGREP } from '../tools/ripgrepBinary.ts';

/** Absolute paths under `appRoot` where it may be: its place has changed over the releases. */
export function editorRipgrep(appRoot: string): string[] {
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    path.join(appRoot, modules, '@vscode/ripgrep-universal/bin', `${process.platform}-${process.arch}`, RIPGREP),
    path.join(appRoot, modules, '@vscode/ripgrep/bin', RIPGREP),
  ]);
}
