/** Runs a shell line in a real bash, where the only programs are canaries that tell with which words they were run. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { PermissionConfig } from '../../../src/permissions/policy.ts';

/** What stands in files that are held back. */
export const SECRET = 'the-canary-sings';

/** A user's rules that allow these programs with whatever words, and let these paths not be read. */
export function allowing(programs: readonly string[], held: readonly string[]): PermissionConfig {
  const commands = Object.fromEntries(programs.map((name) => [`${name} *`, 'allow'] as const));
  const paths = Object.fromEntries(held.map((pattern) => [pattern, 'deny'] as const));
  return [{ layer: 'user', rules: { tools: { run_command: { commands }, file_read: { paths } } } }];
}

const CANARIES = ['p1', 'p2', 'p3'];
/** Programs that run others, and some that read. */
const REAL = [
  'bash',
  'sh',
  'env',
  'xargs',
  'timeout',
  'nice',
  'nohup',
  'find',
  'cat',
  'true',
  'grep',
  'stdbuf',
  'setsid',
];
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin'];
/** The first byte ends a word, the second a run; one write, so that two at once do not mix. */
const CANARY = `#!/bin/bash\nwords=$(printf '%s\\1' "\${0##*/}" "$@"; printf '\\2')\nprintf %s "$words" >> "$CANARY_LOG"\n`;
const LONGEST_MS = 5000;

export const hasBash = process.platform !== 'win32' && existsSync('/bin/bash');

export interface Trial {
  /** The words of each run, the program's name first. */
  runs: string[][];
  /** Names of files that were not there before. */
  files: string[];
}

export class Canaries {
  readonly #base: string;
  #trials = 0;

  constructor(base: string) {
    this.#base = base;
  }

  async setUp(): Promise<void> {
    const bin = path.join(this.#base, 'bin');
    await mkdir(bin, { recursive: true });
    for (const name of CANARIES) {
      await writeFile(path.join(bin, name), CANARY);
      await chmod(path.join(bin, name), 0o755);
    }
    for (const name of REAL) {
      const real = FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
      if (real !== undefined) await symlink(real, path.join(bin, name));
    }
  }

  async run(line: string): Promise<Trial> {
    const cwd = path.join(this.#base, `trial-${this.#trials++}`);
    const log = `${cwd}.log`;
    await mkdir(cwd);
    await writeFile(path.join(cwd, 'f'), 'p1 of the file\n');
    await writeFile(log, '');
    const child = spawn('/bin/bash', ['-c', line], {
      cwd,
      env: { PATH: path.join(this.#base, 'bin'), CANARY_LOG: log, HOME: '/nonexistent', LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    child.stdout.resume();
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LONGEST_MS);
    await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    const runs = (await readFile(log, 'utf8')).split('\x02').filter((run) => run !== '');
    const files = (await readdir(cwd)).filter((name) => name !== 'f');
    await rm(cwd, { recursive: true });
    return { runs: runs.map((run) => run.split('\x01').slice(0, -1)), files };
  }
}
