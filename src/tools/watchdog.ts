/**
 * Starts and feeds the watchdog: a process of our own that ends the commands of this program when this program dies without doing
 * so itself, also by `kill -9`. It learns of each command over its standard input; the end of that input is the news of the death.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import path from 'node:path';

import type { TreeIdentity } from './processTree.ts';

/** One line to the watchdog: a command to watch, as far as it is known yet, or one that is over. */
export type WatchdogLine = TreeIdentity | { over: string };

/** It is not started anew for ever, should something kill it again and again. */
const MOST_STARTS = 10;

export class Watchdog {
  readonly #file: string;
  readonly #onProblem: (message: string) => void;
  readonly #watched = new Map<string, TreeIdentity>();
  #process: ChildProcess | undefined;
  #told = false;
  /** How often it was started since nothing was watched. */
  #starts = 0;

  /** `file` is its program. It is started with the first command; `onProblem` is told once when it cannot be. */
  constructor(file: string, onProblem: (message: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  /** To be called before the process is started, with the mark alone, and again when more is known. */
  watch(tree: TreeIdentity): void {
    this.#watched.set(tree.mark, tree);
    if (this.#process !== undefined) this.#say(tree);
    else if (this.#starts < MOST_STARTS) this.#start();
  }

  /** Nothing of the command runs any more. */
  release(mark: string): void {
    this.#watched.delete(mark);
    this.#say({ over: mark });
    if (this.#watched.size === 0) this.#starts = 0;
  }

  #say(line: WatchdogLine): void {
    this.#process?.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #start(): void {
    this.#starts++;
    try {
      const child = spawn(process.execPath, [this.#file], {
        // No key is in it, nor the mark of a command that this program was started by.
        env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], ELECTRON_RUN_AS_NODE: '1' },
        cwd: path.parse(process.execPath).root,
        stdio: ['pipe', 'ignore', 'ignore'],
        // Ctrl+C in the terminal, and the end of it, are not for the watchdog.
        detached: true,
        windowsHide: true,
      });
      this.#process = child;
      child.on('error', (error) => this.#lost(child, error.message, false));
      child.on('exit', (code, signal) =>
        this.#lost(child, `it ended with ${signal ?? `code ${code}`}`, signal !== null),
      );
      child.stdin.on('error', () => undefined);
      // Neither holds the end of this program up.
      child.unref();
      if (child.stdin instanceof Socket) child.stdin.unref();
      for (const tree of this.#watched.values()) this.#say(tree);
    } catch (error) {
      this.#problem((error as Error).message);
    }
  }

  /** One that was killed is started anew at once: who killed it may be about to kill this program too. */
  #lost(child: ChildProcess, why: string, killed: boolean): void {
    if (this.#process === child) this.#process = undefined;
    if (!killed || this.#starts >= MOST_STARTS) this.#problem(why);
    else if (this.#watched.size > 0) this.#start();
  }

  #problem(why: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#onProblem(
      `The watchdog of commands does not run (${why}). Should Polyglav be killed, a command that runs then may go on.`,
    );
  }
}
