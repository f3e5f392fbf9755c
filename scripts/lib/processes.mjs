/**
 * Child processes that never outlive the script: each is stopped with everything below it, also by Ctrl+C.
 * Needs nothing installed, and Node 20.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';

const WINDOWS = process.platform === 'win32';
/** How long a process may take to end itself before it is killed. */
const GRACE_MS = 4000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let guarded = false;
let ending = false;

/**
 * Starts a process in a group of its own, so that a terminal's Ctrl+C reaches this script alone, which then stops the
 * rest in order.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function start(command, args, options = {}) {
  guard();
  if (ending) throw new Error('stopping');
  const child = spawn(command, args, { detached: !WINDOWS, windowsHide: true, ...options });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/**
 * @typedef {object} Outcome
 * @property {number} code       exit code; 1 when it could not be started or was stopped by a signal
 * @property {string} output     stdout and stderr as they came, when not inherited
 * @property {boolean} timedOut
 * @property {number} ms
 */

/**
 * Runs a process to its end. Never rejects: a program that is not there is code 1 with the reason in `output`. It is stopped after
 * `timeoutMs`, or with `quietMs`, however long it takes, when it says nothing for so long.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { timeoutMs?: number, quietMs?: number, onOutput?: (text: string) => void }} [options]
 * @returns {Promise<Outcome>}
 */
export async function run(command, args, { timeoutMs = 10 * 60_000, quietMs, onOutput, ...options } = {}) {
  const from = Date.now();
  const child = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void stop(child);
  }, quietMs ?? timeoutMs);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
      if (quietMs !== undefined) timer.refresh();
      onOutput?.(text);
    });
  }
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += `${error.message}\n`;
      resolve(1);
    });
    // Not 'close' alone: a grandchild that inherited the pipe would hold it open after the child is gone.
    child.once('exit', (exitCode) => {
      const settle = () => resolve(exitCode ?? 1);
      child.once('close', settle);
      setTimeout(settle, 1000).unref();
    });
  });
  clearTimeout(timer);
  return { code, output, timedOut, ms: Date.now() - from };
}

/**
 * Ends a process and all its descendants: asks first, then kills what is left.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
export async function stop(child) {
  if (child.pid === undefined) return;
  if (WINDOWS) {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  // Descendants are looked up before the first signal: once their parent is gone nothing ties them to us.
  const tree = [child.pid, ...descendants(child.pid)].map((pid) => ({ pid, born: bornAt(pid) }));
  const left = () => tree.filter(({ pid, born }) => isAlive(pid) && bornAt(pid) === born);
  signal(-child.pid, 'SIGTERM');
  // Those that made a group of their own, as an editor's window or a terminal's shell does.
  for (const { pid } of left()) signal(pid, 'SIGTERM');
  const end = Date.now() + GRACE_MS;
  while (left().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  signal(-child.pid, 'SIGKILL');
  for (const { pid } of left()) signal(pid, 'SIGKILL');
  running.delete(child);
}

/** Ends everything that {@link start} started and that still runs. */
export async function stopAll() {
  await Promise.all([...running].map(stop));
}

/** @type {(() => void | Promise<void>)[]} */
const farewells = [];

/** Lets the script go no further when a signal is ending it: what it would conclude from stopped processes is wrong. */
export async function untilEnded() {
  if (ending) await new Promise(() => undefined);
}

/**
 * Work to do before the script ends by a signal (a browser that another library started, a temporary folder).
 *
 * @param {() => void | Promise<void>} work
 */
export function onInterrupt(work) {
  guard();
  farewells.push(work);
}

/** From the first child on, signals stop the children first and end this process with the code that shells expect. */
function guard() {
  if (guarded) return;
  guarded = true;
  /** @type {[NodeJS.Signals, number][]} */
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ];
  for (const [name, code] of signals) {
    process.on(name, () => {
      if (ending) return;
      ending = true;
      process.stderr.write('\nStopping …\n');
      // Farewells come last: what still runs would write again into a folder that they remove.
      void stopAll()
        .then(() => Promise.allSettled(farewells.map(async (work) => work())))
        .finally(() => process.exit(code));
    });
  }
  // A crash of the script itself leaves no time to be polite.
  process.on('exit', () => {
    for (const { pid } of running) if (pid !== undefined && !WINDOWS) signal(-pid, 'SIGKILL');
  });
}

/** Ends this script when the process that started it has gone without a word (kill -9): nothing may run on unowned. */
export function endWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 2000).unref();
}

/**
 * @param {number} pid  negative: a process group
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // already gone
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  if (process.platform === 'linux') {
    // A zombie answers to kill(0); it is dead all the same.
    const state = stat(pid)?.[0];
    return state !== undefined && state !== 'Z';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Something that tells this process from a later one with the same number; empty where the system does not say.
 *
 * @param {number} pid
 */
function bornAt(pid) {
  return stat(pid)?.[19] ?? '';
}

/**
 * The fields of /proc/<pid>/stat after the command's name, which may itself hold spaces and parentheses.
 *
 * @param {number} pid
 */
function stat(pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * @param {number} root
 * @returns {number[]}
 */
function descendants(root) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const [pid, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const below = children.get(pid) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

/** @returns {[pid: number, parent: number][]} */
function parents() {
  if (process.platform === 'linux') {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(stat(Number(name))?.[1] ?? 0)]);
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return [pid ?? 0, parent ?? 0];
    });
}
