/** What lasts from one command of a session to the next (P1). Kept in memory only; each command is a process of its own. */
import { promises as fs } from 'node:fs';

export class SessionShell {
  readonly #workspace: string;
  #folder: string;

  /** Of the session's workspace folder (absolute real path), where it starts. */
  constructor(workspace: string) {
    this.#workspace = workspace;
    this.#folder = workspace;
  }

  /** Absolute path of where the next command starts. Back in the workspace folder when it is no folder any more. */
  async folder(): Promise<string> {
    if (!(await isFolder(this.#folder))) this.#folder = this.#workspace;
    return this.#folder;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return fs.stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
