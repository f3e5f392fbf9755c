/** Which shell runs a command: bash, on Windows that of Git, else sh; never as a login shell, whose profile would take part. */
import { constants, promises as fs } from 'node:fs';
import path from 'node:path';

import { ToolError } from './toolError.ts';

/** Absolute path. Throws {@link ToolError} when there is none. */
export async function findShell(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  for (const candidate of process.platform === 'win32' ? onWindows(env) : onUnix(env))
    if (await isExecutable(candidate)) return candidate;
  throw new ToolError(
    process.platform === 'win32'
      ? 'Commands need bash, and there is none. Git for Windows brings it; install that and restart.'
      : 'Commands need bash or sh, and there is neither.',
  );
}

function onUnix(env: NodeJS.ProcessEnv): string[] {
  return [...folders(env).map((folder) => path.join(folder, 'bash')), '/bin/bash', '/bin/sh', '/usr/bin/sh'];
}

/** `bash` on the PATH may be that of WSL, another system; only Git's is meant. */
function onWindows(env: NodeJS.ProcessEnv): string[] {
  const installed = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = env[name];
    return folder === undefined ? [] : [path.join(folder, 'Git'), path.join(folder, 'Programs', 'Git')];
  });
  const besideGit = folders(env)
    .filter((folder) => /[\\/]git[\\/](cmd|bin)[\\/]?$/i.test(folder))
    .map((folder) => path.dirname(folder));
  return [...installed, ...besideGit].map((folder) => path.join(folder, 'bin', 'bash.exe'));
}

function folders(env: NodeJS.ProcessEnv): string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

async function isExecutable(file: string): Promise<boolean> {
  return fs.access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
