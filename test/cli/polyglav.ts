/** Runs the built command line in a folder of its own, under Node 20 where there is one, as its users do. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Session } from '../../src/session/schema.ts';
import { plantCanary } from '../support/canary.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const CLI = path.join(ROOT, 'dist/cli.js');

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `script` of util-linux gives a program a terminal; a test that needs one says that it is skipped where there is none. */
export const hasTerminal =
  process.platform === 'linux' && String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** A program at a terminal, and somebody who sits in front of it. */
export interface AtTerminal {
  type(keys: string): void;
  /** Everything that was written to the screen. */
  screen(): string;
  /** Waits, ten seconds at most, until the screen shows it. */
  sees(text: string): Promise<void>;
}

export interface Options {
  /** What standard input holds; empty unless told. */
  input?: string;
  env?: Record<string, string>;
  /** Where it runs; the workspace unless told. */
  cwd?: string;
  /** Called with the running process. */
  during?(child: ChildProcess): void | Promise<void>;
}

/** Builds what is missing, so that these tests also run alone. */
export function ensureBuilt(): void {
  if (!existsSync(CLI)) execFileSync(process.execPath, [path.join(ROOT, 'esbuild.mjs')], { stdio: 'inherit' });
}

/** The first Node 20 on the PATH that is not one of the packages; without one, a test says that it is skipped. */
export const node20 = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => folder !== '' && !folder.includes('node_modules'))
  .map((folder) => path.join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
  .find((file) => existsSync(file) && execFileSync(file, ['--version'], { encoding: 'utf8' }).startsWith('v20.'));

/** A workspace and a home in a temporary folder. */
export class Place {
  readonly workspace: string;
  readonly home: string;

  constructor(folder: string) {
    this.workspace = path.join(folder, 'workspace');
    this.home = path.join(folder, 'home');
  }

  async make(): Promise<void> {
    await mkdir(this.workspace);
    await mkdir(this.home);
  }

  /** Writes the user's configuration. */
  configure(config: unknown): Promise<void> {
    return writeFile(path.join(this.home, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  }

  async run(
    args: readonly string[],
    { input = '', env = {}, cwd = this.workspace, during }: Options = {},
  ): Promise<Result> {
    const checkAround = plantCanary(path.dirname(this.workspace));
    const child = spawn(node20 ?? process.execPath, [CLI, ...args], {
      cwd,
      env: { ...process.env, POLYGLAV_HOME: this.home, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (piece: string) => (output[name] += piece));
    await during?.(child);
    const code = await ended;
    checkAround();
    return { code, ...output };
  }

  /** At a terminal, where input, output and messages are one. Returns the exit code and the whole screen. */
  async runAtTerminal(
    args: readonly string[],
    during: (terminal: AtTerminal) => Promise<void>,
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; screen: string }> {
    const command = [node20 ?? process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command.join(' ')}`, '/dev/null'], {
      cwd: this.workspace,
      env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm', POLYGLAV_HOME: this.home, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (screen += piece));
    const ended = once(child, 'close') as Promise<[number | null]>;
    try {
      await during({
        type: (keys) => void child.stdin.write(keys),
        screen: () => screen,
        sees: async (text) => {
          for (let tries = 0; !screen.includes(text); tries++) {
            if (tries > 200) throw new Error(`${text} is not on the screen:\n${screen}`);
            await wait(50);
          }
        },
      });
      const [code] = await ended;
      return { code, screen };
    } finally {
      child.kill();
    }
  }

  file(...names: string[]): string {
    return path.join(this.workspace, ...names);
  }

  /** Names of the sessions on disk. */
  async sessions(): Promise<string[]> {
    const files = await readdir(this.file('.polyglav', 'sessions')).catch(() => []);
    return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  }

  async session(name?: string): Promise<Session> {
    const file = this.file('.polyglav', 'sessions', `${name ?? (await this.sessions())[0]!}.json`);
    return JSON.parse(await readFile(file, 'utf8')) as Session;
  }
}
