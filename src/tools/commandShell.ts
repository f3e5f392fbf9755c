/** Which shell runs a command: bash, on Windows that of Git, else sh; never as a login shell, whose profile would take part. */
import path from 'node:path';

import { firstExecutable, pathFolders } from './executable.ts';
import { ToolError } from './toolError.ts';

/** Absolute path. Throws {@link ToolError} when there is none. */
export async function findShell(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const shell = await firstExecutable(process.platform === 'win32' ? onWindows(env) : onUnix(env));
  if (shell !== undefined) return shell;
  throw new ToolError(
    process.platform === 'win32'
      ? 'Commands need bash, and there is none. Git for Windows brings it; install that and restart.'
      : 'Commands need bash or sh, and there is neither.',
  );
}

/** In which language a shell (path) reads its lines, as far as is known. */
export function languageOf(shell: string): 'bash' | 'sh' {
  return /^bash(\.exe)?$/i.test(path.basename(shell)) ? 'bash' : 'sh';
}

function onUnix(env: NodeJS.ProcessEnv): string[] {
  return [...pathFolders(env).map((folder) => path.join(folder, 'bash')), '/bin/bash', '/bin/sh', '/usr/bin/sh'];
}

/** `bash` on the PATH may be that of WSL, another system; only Git's is meant. */
function onWindows(env: NodeJS.ProcessEnv): string[] {
  const installed = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = env[name];
    return folder === undefined ? [] : [path.join(folder, 'Git'), path.join(folder, 'Programs', 'Git')];
  });
  const besideGit = pathFolders(env)
    .filter((folder) => /[\\/]git[\\/](cmd|bin)[\\/]?$/i.test(folder))
    .map((folder) => path.dirname(folder));
  return [...installed, ...besideGit].map((folder) => path.join(folder, 'bin', 'bash.exe'));
}
