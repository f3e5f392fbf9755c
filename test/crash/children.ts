/** Starts the program that the crash tests kill, and listens to it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

import type { Said } from './said.ts';

let folder: string | undefined;

/** The child in one file, so that it starts fast. */
export async function buildChild(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'polyglav-child-'));
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile: join(folder, 'child.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
}

export function removeChild(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

export class Child {
  /** All that it said, and was read until now. */
  readonly said: Said[] = [];
  readonly process: ChildProcess;
  /** Settles when it has ended and everything it said was read. */
  readonly ended: Promise<unknown>;
  errors = '';
  #heard: () => void = () => undefined;

  static command(...args: string[]): [program: string, ...args: string[]] {
    return [process.execPath, join(folder as string, 'child.mjs'), ...args];
  }

  constructor(...args: string[]) {
    const [program, ...words] = Child.command(...args);
    this.process = spawn(program, words);
    const { stdout, stderr } = this.process;
    if (stdout === null || stderr === null) throw new Error('the child has no output');
    const lines = createInterface(stdout);
    lines.on('line', (line) => {
      this.said.push(JSON.parse(line) as Said);
      this.#heard();
    });
    stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    this.ended = Promise.all([once(this.process, 'close'), once(lines, 'close')]).then(() => this.#heard());
  }

  tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  kill(): Promise<unknown> {
    this.process.kill('SIGKILL');
    return this.ended;
  }

  /** Waits until it has said more than `count` things; returns the next. Undefined when it ended before. */
  async next(count: number): Promise<Said | undefined> {
    while (this.said.length <= count) {
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        await this.ended;
        break;
      }
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
    return this.said[count];
  }
}
