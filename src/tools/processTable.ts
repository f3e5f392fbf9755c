/** What the system tells of its processes. */
import { promises as fs, readdirSync, readFileSync, readlinkSync } from 'node:fs';
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

/** Those of all users, without the ones that have ended and wait to be collected. */
export async function processTable(): Promise<RunningProcess[]> {
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
  const [state, parent, group, session, ...others] = rest.split(' ');
  if (state === 'Z' || state === 'X') return [];
  const ids = { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
  return [{ ...ids, name, started: others[15] ?? '' }];
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

/**
 * Those of `known` (process id, and when it started) that still run, with all that descend from them now. Linux only, and at once:
 * it is done while a command runs, again and again, and costs a few reads for each of its processes.
 */
export function withDescendants(known: ReadonlyMap<number, string>): RunningProcess[] {
  const found = new Map<number, RunningProcess>();
  const left = [...known.keys()];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    if (found.has(pid)) continue;
    try {
      const [own] = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      // Another process may have got the id of one that has ended.
      if (own === undefined || (known.get(pid) ?? own.started) !== own.started) continue;
      found.set(pid, own);
      for (const task of readdirSync(`/proc/${pid}/task`))
        left.push(...(readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').match(/\d+/g) ?? []).map(Number));
    } catch {
      // It has ended meanwhile, or this system keeps no list of children.
    }
  }
  return [...found.values()];
}

/** What its descendants are known by when it is gone. */
export interface Birth {
  started?: string;
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
    const [own] = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return own === undefined ? { outputs } : { started: own.started, outputs };
  } catch {
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
export async function holds(pid: number, outputs: readonly string[]): Promise<boolean> {
  try {
    const open = await fs.readdir(`/proc/${pid}/fd`);
    const links = await Promise.all(open.map((fd) => fs.readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    return links.some((link) => outputs.includes(link));
  } catch {
    // Gone by now, or another user's.
    return false;
  }
}
