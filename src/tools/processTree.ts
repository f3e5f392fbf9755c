/**
 * All processes that one command started, found and ended however they tried to get away (T7): in the background, in a process
 * group or session of their own, or left behind by a parent that is gone. Out of reach is only what did all of it, wiped its
 * environment and closed what it had inherited before it was ever seen.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

import {
  holds,
  isMarked,
  processTable,
  QUIETLY,
  withDescendants,
  type Birth,
  type RunningProcess,
} from './processTable.ts';

/** Variable in the environment of all of them; a command inside a command adds its own mark to the list. */
const MARK = 'POLYGLAV_CALL';
const TERM_MS = 400;
/** After this a process that even a kill does not end (it hangs in the kernel) is given up. */
const KILL_MS = 2000;
const POLL_MS = 25;
/** How often it is looked which processes there are while the command runs: soon at first, then as often as this. */
const FIRST_SAMPLE_MS = 10;
const SAMPLE_MS = 200;

/** What the processes of one command are known by. */
export interface TreeIdentity {
  /** In the environment of all of them. */
  mark: string;
  /** The process id of the shell, and when it started; absent while it is not known yet. */
  root?: number | undefined;
  started?: string | undefined;
  /** What the shell writes to ({@link Birth}); who is born later and has it open is one of them. */
  outputs?: readonly string[];
  /** Those that were seen and may still run: process id, and when it started. */
  seen?: readonly (readonly [pid: number, started: string])[];
  /** Process groups and sessions that one of them has led. */
  led?: readonly number[];
}

/** What to add to the environment of the command. */
export function markedEnvironment(mark: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { [MARK]: [...(env[MARK] ?? '').split(','), mark].filter(Boolean).join(',') };
}

export class ProcessTree {
  /** Those of this program's commands that have not been released yet. */
  static readonly #live = new Set<ProcessTree>();
  readonly #origin: TreeIdentity;
  /** When each that was ever seen started, so that one whose parent is gone is known again. */
  readonly #known: Map<number, string>;
  readonly #led: Set<number>;
  #timer: NodeJS.Timeout | undefined;

  private constructor(origin: TreeIdentity) {
    this.#origin = origin;
    const { root, started, seen = [], led = [] } = origin;
    this.#known = new Map(seen);
    this.#led = new Set(led);
    if (root !== undefined) this.#led.add(root);
    if (root !== undefined && started !== undefined) this.#known.set(root, started);
  }

  /**
   * Of a shell that was just started with the {@link markedEnvironment}; on Unix it leads a process group. It is to be given back by
   * `release`.
   */
  static async of(root: number, mark: string, { started, outputs }: Birth): Promise<ProcessTree> {
    const table = started === undefined ? await processTable().catch(() => []) : [];
    const own = started ?? table.find(({ pid }) => pid === root)?.started;
    const tree = new ProcessTree({ mark, root, started: own, outputs });
    ProcessTree.#live.add(tree);
    return tree;
  }

  /** Of a command of another program. */
  static known(identity: TreeIdentity): ProcessTree {
    return new ProcessTree(identity);
  }

  get identity(): TreeIdentity {
    return { ...this.#origin, seen: [...this.#known], led: [...this.#led] };
  }

  /**
   * Gets to know the processes while the command runs, so that one is known when its parent is gone, until it is released; `onNews`
   * is told when there are new ones. On Linux only; elsewhere a look costs too much.
   */
  watch(onNews: () => void): void {
    if (process.platform !== 'linux') return;
    const next = (ms: number) => {
      this.#timer = setTimeout(() => {
        if (this.#sample()) onNews();
        next(Math.min(2 * ms, SAMPLE_MS));
      }, ms).unref();
    };
    next(FIRST_SAMPLE_MS);
  }

  /** Whether there are new ones. What has ended is forgotten, but nothing when the system does not tell. */
  #sample(): boolean {
    const before = new Map(this.#known);
    let now: RunningProcess[];
    try {
      now = withDescendants(before);
    } catch {
      return false;
    }
    this.#known.clear();
    now = now.filter((one) => !this.#isOlder(one));
    for (const one of now) this.#learn(one);
    return now.some(({ pid, started }) => before.get(pid) !== started);
  }

  /**
   * Those that run now, the started one included; undefined when the system does not tell. On Windows always none: only `end` reaches
   * them there.
   */
  async running(): Promise<RunningProcess[] | undefined> {
    return (await this.#look())?.found;
  }

  /** `groups`: the process groups in which nothing else is. */
  async #look(): Promise<{ found: RunningProcess[]; groups: number[] } | undefined> {
    try {
      return this.#ours(await processTable());
    } catch {
      return undefined;
    }
  }

  #ours(table: readonly RunningProcess[]): { found: RunningProcess[]; groups: number[] } {
    const above = ancestorsIn(table);
    const all = table.filter((other) => !above.has(other.pid) && !this.#isOlder(other));
    // Another process that got the id of one of ours meanwhile leads a group of its own.
    const reused = new Set(
      all.filter((other) => this.#led.has(other.pid) && !this.#isKnown(other)).map(({ pid }) => pid),
    );
    const isLed = (id: number | undefined) => id !== undefined && this.#led.has(id) && !reused.has(id);
    const isOurs = (other: RunningProcess): boolean =>
      this.#isKnown(other) ||
      isLed(other.group) ||
      isLed(other.session) ||
      this.#isMarked(other) ||
      this.#holdsOutput(other);
    const ids = new Set(all.filter(isOurs).map(({ pid }) => pid));
    // A child may stand before its parent in the table, so go on until nobody is added.
    for (let before = -1; ids.size !== before;) {
      before = ids.size;
      for (const { pid, parent } of all) if (ids.has(parent)) ids.add(pid);
    }
    const found = all.filter(({ pid }) => ids.has(pid));
    for (const one of found) this.#learn(one);
    const others = new Set(table.filter(({ pid }) => !ids.has(pid)).map(({ group }) => group));
    const groups = [...new Set(found.map(({ group }) => group))].filter((group) => group > 1 && !others.has(group));
    return { found, groups };
  }

  #learn({ pid, started, group, session }: RunningProcess): void {
    this.#known.set(pid, started);
    if (pid === group || pid === session) this.#led.add(pid);
  }

  /** Before this program ends at once: makes the processes of all its commands end, without asking them first. */
  static async killAll(): Promise<void> {
    await Promise.all([...ProcessTree.#live].map((tree) => tree.#kill()));
  }

  /**
   * Asks them to end, then makes them. Settles when none runs any more; returns those that could not be ended, undefined when the
   * system does not tell.
   */
  async end(): Promise<RunningProcess[] | undefined> {
    if (process.platform !== 'win32') {
      for (const { pid } of (await this.running()) ?? []) send(pid, 'SIGTERM');
      await this.#gone(TERM_MS, () => undefined);
    }
    return this.#kill();
  }

  /** The command is over. */
  release(): void {
    clearTimeout(this.#timer);
    ProcessTree.#live.delete(this);
  }

  async #kill(): Promise<RunningProcess[] | undefined> {
    if (process.platform === 'win32') {
      const { root } = this.#origin;
      if (root !== undefined) await execa('taskkill', ['/PID', String(root), '/T', '/F'], QUIETLY);
      return [];
    }
    // Again and again, for those that were started meanwhile; a group at one blow, or one that forks for ever gets away.
    return this.#gone(KILL_MS, (pid) => send(pid, 'SIGKILL'));
  }

  /** Waits until none runs, for `ms` at most. */
  async #gone(ms: number, meanwhile: (pid: number) => void): Promise<RunningProcess[] | undefined> {
    const until = performance.now() + ms;
    const { root } = this.#origin;
    for (;;) {
      const seen = await this.#look();
      if (seen?.found.length === 0 || performance.now() >= until) return seen?.found;
      // Without a look the shell's own group is certain, and nothing else.
      const groups = seen?.groups ?? (root === undefined ? [] : [root]);
      for (const group of groups) meanwhile(-group);
      for (const { pid } of seen?.found ?? []) meanwhile(pid);
      await sleep(POLL_MS);
    }
  }

  #isKnown({ pid, started }: RunningProcess): boolean {
    const { root, started: first = started } = this.#origin;
    return (this.#known.get(pid) ?? (pid === root ? first : undefined)) === started;
  }

  /** Born before the command's shell, and so none of its processes, whatever else speaks for it. Only Linux counts in numbers. */
  #isOlder({ started }: RunningProcess): boolean {
    return Number(started) < Number(this.#origin.started);
  }

  /** A server that was there before may have been handed it over, and is not of the command. */
  #holdsOutput({ pid, started }: RunningProcess): boolean {
    const { outputs = [], started: first } = this.#origin;
    return outputs.length > 0 && first !== undefined && Number(started) >= Number(first) && holds(pid, outputs);
  }

  #isMarked({ pid }: RunningProcess): boolean {
    return process.platform === 'linux' && isMarked(pid, this.#origin.mark);
  }
}

/** This process, and those that it descends from. */
function ancestorsIn(table: readonly RunningProcess[]): Set<number> {
  const parents = new Map(table.map(({ pid, parent }) => [pid, parent]));
  const above = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && !above.has(pid); pid = parents.get(pid))
    above.add(pid);
  return above;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}
