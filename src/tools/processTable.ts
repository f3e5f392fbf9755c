/** What the system tells of its processes. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { execa } from 'execa';

/** For the system's own programs: no failure is thrown, and no key is in their environment. */
export const QUIETLY = {
  reject: false,
  extendEnv: false,
  env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '', SystemRoot: process.env['SystemRoot'] ?? '' },
} as const;

export interface RunningProcess {
  pid: number;
  parent: number;
  group: number;
  /** Linux only. */
  session?: number;
  name: string;
  /** Tells apart two processes that had the same id one after the other. */
  started: string;
}

/** Those of all users, without the ones that have ended and wait to be collected. Rejects when the system does not tell. */
export async function processTable(): Promise<RunningProcess[]> {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') return tableOfPs();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => statOf(Number(pid)) ?? []);
}

/**
 * What of a process is read from `/proc`; undefined when it has ended meanwhile or is another user's. Whatever else goes wrong, as
 * when no file handle is left, is thrown: nobody may take it for an end. One after the other and at once, which takes one handle
 * however many processes there are, and less time than waiting for each.
 */
function ofProcess<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function statOf(pid: number): RunningProcess | undefined {
  return ofProcess(() => parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** `pid (name) state ppid pgrp … starttime …`; the name may have any character in it. */
function parseStat(stat: string): RunningProcess | undefined {
  const [, pid, name, rest] = /^(\d+) \((.*)\) (.*)$/s.exec(stat) ?? [];
  if (pid === undefined || name === undefined || rest === undefined) return undefined;
  const [state, parent, group, session, ...others] = rest.split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const ids = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...ids, name, started: others[15] ?? '' };
}

async function tableOfPs(): Promise<RunningProcess[]> {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,comm=';
  const { stdout } = await execa('ps', ['-A', '-o', columns], { ...QUIETLY, reject: true });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, started, name] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith('Z')) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), name: name ?? '', started: started ?? '' },
    ];
  });
}

/**
 * Those of `known` (process id, and when it started) that still run, with all that descend from them now. Linux only, and at once:
 * it is done while a command runs, again and again, and costs a few reads for each of its processes.
 */
export function withDescendants(known: ReadonlyMap<number, string>): RunningProcess[] {
  const found = new Map<number, RunningProcess>();
  const left = [...known.keys()];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    if (found.has(pid)) continue;
    const own = statOf(pid);
    // Another process may have got the id of one that has ended.
    if (own === undefined || (known.get(pid) ?? own.started) !== own.started) continue;
    found.set(pid, own);
    for (const task of ofProcess(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
      // Not every system keeps a list of children.
      const children = ofProcess(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? '';
      left.push(...(children.match(/\d+/g) ?? []).map(Number));
    }
  }
  return [...found.values()];
}

/** What its descendants are known by when it is gone. */
export interface Birth {
  started?: string | undefined;
  /** What it writes to: names of sockets or pipes, which no other has while they are open. */
  outputs: readonly string[];
}

/**
 * Of a shell that was started at this moment with a {@link reportingScript}, which moves its second output to the descriptor `way`.
 * At once, since it may be over before anything else is done. Linux only; nothing elsewhere.
 */
export function birthOf(pid: number | undefined, way: number): Birth {
  if (pid === undefined || process.platform !== 'linux') return { outputs: [] };
  const [first, second] = [outputOf(pid, 1), outputOf(pid, 2)];
  // As long as they differ nothing was moved, and what stands there may be another program's.
  const isMoved = first[0] === second[0] || first.length === 0 || second.length === 0;
  const outputs = [...new Set([...first, ...second, ...(isMoved ? outputOf(pid, way) : [])])];
  try {
    return { started: statOf(pid)?.started, outputs };
  } catch {
    // It is asked for again.
    return { outputs };
  }
}

function outputOf(pid: number, fd: number): string[] {
  try {
    const link = readlinkSync(`/proc/${pid}/fd/${fd}`);
    return /^(pipe|socket):/.test(link) ? [link] : [];
  } catch {
    // It is closed, or the process has ended.
    return [];
  }
}

/** Whether a process has one of these open. */
export function holds(pid: number, outputs: readonly string[]): boolean {
  const open = ofProcess(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return open.some((fd) => outputs.includes(ofProcess(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''));
}

/** Whether this stands in the environment that a process was started with. */
export function isMarked(pid: number, mark: string): boolean {
  return ofProcess(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))?.includes(mark) ?? false;
}
