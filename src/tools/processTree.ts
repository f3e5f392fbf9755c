/**
 * All processes that one command started, found and ended however they tried to get away (T7): in the background, in a process
 * group or session of their own, or left behind by a parent that is gone. Out of reach is only what did all of it and wiped its
 * environment too before it was looked for.
 */
import { promises as fs } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

/** Variable in the environment of all of them; a command inside a command adds its own mark to the list. */
const MARK = 'POLYGLAV_CALL';
const TERM_MS = 400;
/** After this a process that even a kill does not end (it hangs in the kernel) is given up. */
const KILL_MS = 2000;
const POLL_MS = 25;

/** For the system's own programs: no failure is thrown, and no key is in their environment. */
const QUIETLY = {
  reject: false,
  extendEnv: false,
  env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '', SystemRoot: process.env['SystemRoot'] ?? '' },
} as const;

export interface RunningProcess {
  pid: number;
  parent: number;
  group: number;
  name: string;
  /** Tells apart two processes that had the same id one after the other. */
  started: string;
}

/** What the processes of one command are known by. */
export interface TreeIdentity {
  /** In the environment of all of them. */
  mark: string;
  /** The process id of the shell, and when it started; absent while it is not known yet. */
  root?: number | undefined;
  started?: string | undefined;
}

/** What to add to the environment of the command. */
export function markedEnvironment(mark: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { [MARK]: [...(env[MARK] ?? '').split(','), mark].filter(Boolean).join(',') };
}

export class ProcessTree {
  /** Those of this program's commands that have not been released yet. */
  static readonly #live = new Set<ProcessTree>();
  readonly identity: TreeIdentity;
  /** When each that was ever seen started, so that one whose parent is gone is known again. */
  readonly #known = new Map<number, string>();

  private constructor(identity: TreeIdentity) {
    this.identity = identity;
    const { root, started } = identity;
    if (root !== undefined && started !== undefined) this.#known.set(root, started);
  }

  /**
   * Of a process that was just started with the {@link markedEnvironment}; on Unix it leads a process group. It is to be given
   * back by `release`.
   */
  static async of(root: number, mark: string): Promise<ProcessTree> {
    const own = (await processTable()).find(({ pid }) => pid === root);
    const tree = new ProcessTree({ mark, root, started: own?.started });
    ProcessTree.#live.add(tree);
    return tree;
  }

  /** Of a command of another program. */
  static known(identity: TreeIdentity): ProcessTree {
    return new ProcessTree(identity);
  }

  /** Those that run now, the started one included. On Windows always none: only `end` reaches them there. */
  async running(): Promise<RunningProcess[]> {
    return (await this.#look()).found;
  }

  /** `groups`: the process groups in which nothing else is. */
  async #look(): Promise<{ found: RunningProcess[]; groups: number[] }> {
    const { root } = this.identity;
    const table = await processTable();
    const all = table.filter(({ pid }) => pid !== process.pid);
    // Another process that got the id of ours meanwhile leads a group of its own.
    const isReused = all.some((other) => other.pid === root && !this.#isKnown(other));
    const isMarked = await Promise.all(all.map(({ pid }) => this.#isMarked(pid)));
    const ours = all.filter(
      (other, index) => isMarked[index] === true || this.#isKnown(other) || (other.group === root && !isReused),
    );
    const ids = new Set(ours.map(({ pid }) => pid));
    // A child may stand before its parent in the table, so go on until nobody is added.
    for (let before = -1; ids.size !== before;) {
      before = ids.size;
      for (const { pid, parent } of all) if (ids.has(parent)) ids.add(pid);
    }
    const found = all.filter(({ pid }) => ids.has(pid));
    for (const { pid, started } of found) this.#known.set(pid, started);
    const others = new Set(table.filter(({ pid }) => !ids.has(pid)).map(({ group }) => group));
    const groups = [...new Set(found.map(({ group }) => group))].filter((group) => group > 1 && !others.has(group));
    return { found, groups };
  }

  /** Before this program ends at once: makes the processes of all its commands end, without asking them first. */
  static async killAll(): Promise<void> {
    await Promise.all([...ProcessTree.#live].map((tree) => tree.#kill()));
  }

  /** Asks them to end, then makes them. Settles when none runs any more; returns those that could not be ended. */
  async end(): Promise<RunningProcess[]> {
    if (process.platform !== 'win32') {
      for (const { pid } of await this.running()) send(pid, 'SIGTERM');
      await this.#gone(TERM_MS, () => undefined);
    }
    return this.#kill();
  }

  /** The command is over. */
  release(): void {
    ProcessTree.#live.delete(this);
  }

  async #kill(): Promise<RunningProcess[]> {
    if (process.platform === 'win32') {
      const { root } = this.identity;
      if (root !== undefined) await execa('taskkill', ['/PID', String(root), '/T', '/F'], QUIETLY);
      return [];
    }
    // Again and again, for those that were started meanwhile; a group at one blow, or one that forks for ever gets away.
    return this.#gone(KILL_MS, (pid) => send(pid, 'SIGKILL'));
  }

  /** Waits until none runs, for `ms` at most. */
  async #gone(ms: number, meanwhile: (pid: number) => void): Promise<RunningProcess[]> {
    const until = performance.now() + ms;
    for (;;) {
      const { found: left, groups } = await this.#look();
      if (left.length === 0 || performance.now() >= until) return left;
      for (const group of groups) meanwhile(-group);
      for (const { pid } of left) meanwhile(pid);
      await sleep(POLL_MS);
    }
  }

  #isKnown({ pid, started }: RunningProcess): boolean {
    return this.#known.get(pid) === started;
  }

  async #isMarked(pid: number): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    try {
      return (await fs.readFile(`/proc/${pid}/environ`, 'latin1')).includes(this.identity.mark);
    } catch {
      // Gone by now, or another user's.
      return false;
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

/** Those of all users, without the ones that have ended and wait to be collected. */
async function processTable(): Promise<RunningProcess[]> {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') return tableOfPs();
  const pids = (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap(parseStat);
}

/** `pid (name) state ppid pgrp … starttime …`; the name may have any character in it. */
function parseStat(stat: string): RunningProcess[] {
  const [, pid, name, rest] = /^(\d+) \((.*)\) (.*)$/s.exec(stat) ?? [];
  if (pid === undefined || name === undefined || rest === undefined) return [];
  const [state, parent, group, ...others] = rest.split(' ');
  if (state === 'Z' || state === 'X') return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), name, started: others[16] ?? '' }];
}

async function tableOfPs(): Promise<RunningProcess[]> {
  const { stdout } = await execa('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,comm='], QUIETLY);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, started, name] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith('Z')) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), name: name ?? '', started: started ?? '' },
    ];
  });
}
