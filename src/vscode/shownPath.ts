/** A file as a person knows it. */
import { homedir } from 'node:os';
import path from 'node:path';

/** `.polyglav/config.json` in the workspace, `~/.polyglav/config.json` below the home folder, else the absolute path. */
export function shownPath(file: string, workspace?: string): string {
  return below(workspace, '', file) ?? below(homedir(), '~', file) ?? file;
}

function below(folder: string | undefined, name: string, file: string): string | undefined {
  if (folder === undefined) return undefined;
  const rest = path.relative(folder, file);
  return rest.startsWith('..') || path.isAbsolute(rest) ? undefined : path.join(name, rest);
}
