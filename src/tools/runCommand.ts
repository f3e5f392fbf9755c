import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoid } from 'nanoid';
import { z } from 'zod';

import { mayChangeEnvironment } from '../permissions/shell/ownShell.ts';
import { oneLine } from '../text/codePoints.ts';
import { CommandOutput, readable } from './commandOutput.ts';
import { findShell, languageOf } from './commandShell.ts';
import { birthOf, type Birth, type RunningProcess } from './processTable.ts';
import { markedEnvironment, ProcessTree } from './processTree.ts';
import { MOST_REPORT_BYTES, readReport, reportingScript, reportWay, type ShellReport } from './shellReport.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, ToolError } from './toolError.ts';

/** A call may ask for so much time, or for as much as is configured if that is more. */
const MOST_SECS = 3600;
/** What the command left behind gets so long to end by itself when the shell has ended. */
const GRACE_MS = 500;
const POLL_MS = 50;
/** All processes have ended and the rest of their output is on its way. */
const CLOSE_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Room for the remarks and the exit code. */
const REMARKS = 400;

const schema = z.strictObject({
  command: z.string().min(1).describe('For bash -c'),
  timeout: z.number().int().positive().optional().describe('Seconds'),
});

type Input = z.infer<typeof schema>;

/** Runs a shell command to its end; nothing that it started is left when the result is given (P1, T7), but for its folder and exports. */
export const runCommand = defineTool({
  name: 'run_command',
  description:
    'Runs a shell command. The folder (cd) and exported variables last from one call to the next; functions, aliases and options do not. There is no input, no terminal, and background processes end with the command.',
  schema,
  reads_only: false,
  paths: (_input, cwd) => [cwd],
  commandLine: ({ command }) => command,
  language: () => findShell().then(languageOf, () => 'sh'),
  words: ({ command }) => ({ title: `Run ${oneLine(command)}`, detail: command }),
  execute: (input, context) => answer(context, () => run(input, context)),
});

/** How a command came to its end. */
type Ending =
  { by: 'itself'; code: number | null; signal: NodeJS.Signals | null } | { by: 'time limit' } | { by: 'stop' };

async function run(input: Input, context: ToolContext): Promise<ToolResult> {
  const secs = timeLimit(input.timeout, context.command_secs);
  const mark = nanoid();
  const { child, environment, report, birth } = await start(input.command, mark, context);
  const output = new CommandOutput(context.max_output_chars - REMARKS);
  const closed = collect(child, output, (piece) => context.onOutput(piece));
  const tree = await ProcessTree.of(child.pid as number, mark, birth);
  const tell = () => context.watchdog?.watch(tree.identity);
  let ending: Ending;
  let left: RunningProcess[] | undefined = [];
  let alive: RunningProcess[] | undefined = [];
  try {
    tell();
    tree.watch(tell);
    ending = await endingOf(child, secs, context.signal);
    if (ending.by === 'itself') left = await leftBehind(tree, closed, context.signal);
    if (ending.by !== 'itself' || left?.length !== 0) alive = await tree.end();
  } finally {
    tree.release();
    context.watchdog?.release(mark);
  }
  // A pipe that is still held open by something that could not be found is not waited for.
  await Promise.race([Promise.all([closed, report.closed]), sleep(CLOSE_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const text = readable(output.text());
  const remarks = [
    ...context.shell.takeNews(),
    ...(left === undefined || left.length === 0 ? [] : [`[Ended what the command had left running: ${names(left)}.]`]),
    ...remaining(alive),
    ...(ending.by === 'itself' && ending.signal === null
      ? await lasting(input.command, report.read(), environment, context)
      : []),
    endingText(ending, secs, context),
  ];
  return {
    output: [text === '' ? '(no output)' : text, ...remarks].join('\n'),
    is_error: ending.by !== 'itself' || ending.code !== 0,
  };
}

function timeLimit(asked: number | undefined, configured: number): number {
  const most = Math.max(MOST_SECS, configured);
  if (asked !== undefined && asked > most)
    throw new ToolError(`timeout: at most ${most} seconds are possible, not ${asked}.`);
  return asked ?? configured;
}

/**
 * What lasts of a command that ended by itself: of the variables nothing, unless its words say that they change. Such a line is
 * always asked, so no allowed command gives the next one another environment, however it got at the report.
 */
async function lasting(
  command: string,
  report: ShellReport | undefined,
  environment: Readonly<Record<string, string>>,
  { shell, secret_env, holdsKey }: ToolContext,
): Promise<string[]> {
  if (report === undefined)
    return ['[The folder and variables are as before: the shell did not say how it ended, or more than once.]'];
  const { folder } = report;
  const told = (await mayChangeEnvironment(command)) ? report : { folder, variables: new Map<string, string>() };
  return shell.take(told, environment, (name, value) => secret_env.includes(name) || holdsKey(value));
}

interface Started {
  child: ChildProcess;
  environment: Record<string, string>;
  /** What the shell tells of itself: whole when `closed` has settled. */
  report: { closed: Promise<void>; read(): ShellReport | undefined };
  birth: Birth;
}

/** Both streams go into one pipe, so that what the command wrote stays in order. Throws {@link ToolError}. */
async function start(command: string, mark: string, context: ToolContext): Promise<Started> {
  const [shell, cwd] = await Promise.all([
    findShell(),
    context.shell.folder().then((folder) => context.resolve(folder)),
  ]);
  const environment = context.shell.environment(context.secret_env, markedEnvironment(mark));
  const nonce = nanoid();
  // Before there is anything to be left behind.
  context.watchdog?.watch({ mark });
  try {
    const child = spawn(shell, ['-c', reportingScript(shell, nonce), shell, command], {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, which can be ended as a whole.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const birth = birthOf(child.pid, reportWay(shell));
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return { child, environment, report: reportOf(child, nonce), birth };
  } catch (error) {
    context.watchdog?.release(mark);
    throw new ToolError(`The command could not be started: ${(error as Error).message}`);
  }
}

function reportOf({ stderr }: ChildProcess, nonce: string): Started['report'] {
  const pieces: Uint8Array[] = [];
  let length = 0;
  stderr?.on('data', (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= MOST_REPORT_BYTES) pieces.push(bytes);
  });
  return {
    closed: new Promise((resolve) => stderr?.once('close', resolve)),
    read: () => (length > MOST_REPORT_BYTES ? undefined : readReport(Buffer.concat(pieces), nonce)),
  };
}

/** Settles when the output has ended. Characters that arrive in two pieces are put together. */
async function collect(child: ChildProcess, output: CommandOutput, onPiece: ToolContext['onOutput']): Promise<void> {
  const decoder = new TextDecoder();
  const add = (piece: string) => {
    if (piece === '') return;
    output.push(piece);
    return onPiece(piece);
  };
  await new Promise<void>((resolve) => {
    const { stdout } = child;
    const goOn = () => stdout?.resume();
    stdout?.on('data', (bytes: Uint8Array) => {
      const taken = add(decoder.decode(bytes, { stream: true }));
      if (taken === undefined || hasEnded(child)) return;
      stdout.pause();
      void taken.finally(goOn);
    });
    // The rest is short, and nobody waits long for it.
    child.once('exit', goOn);
    stdout?.once('close', resolve);
  });
  void add(decoder.decode());
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Settles when the shell has ended, when its time is over, or when the person stops it; whatever comes first. */
function endingOf(child: ChildProcess, secs: number, signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const onStop = () => settle({ by: 'stop' });
    const timer = setTimeout(() => settle({ by: 'time limit' }), Math.min(secs * 1000, LONGEST_TIMER_MS));
    const settle = (ending: Ending) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onStop);
      resolve(ending);
    };
    signal.addEventListener('abort', onStop, { once: true });
    child.once('exit', (code, by) => settle({ by: 'itself', code, signal: by }));
    if (signal.aborted) onStop();
    else if (hasEnded(child)) settle({ by: 'itself', code: child.exitCode, signal: child.signalCode });
  });
}

/**
 * What still runs when the shell has ended, after a moment in which it may finish by itself (the end of a process substitution
 * does); undefined when the system does not tell.
 */
async function leftBehind(
  tree: ProcessTree,
  closed: Promise<void>,
  signal: AbortSignal,
): Promise<RunningProcess[] | undefined> {
  const until = performance.now() + GRACE_MS;
  await Promise.race([closed, sleep(GRACE_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
  let left = await tree.running();
  while (left?.length !== 0 && performance.now() < until && !signal.aborted) {
    await sleep(POLL_MS);
    left = await tree.running();
  }
  return left;
}

function endingText(ending: Ending, secs: number, context: ToolContext): string {
  if (ending.by === 'stop') return '[Stopped by the person before it ended.]';
  if (ending.by === 'time limit')
    return `[Stopped after ${secs} seconds, its time limit. With timeout it may have up to ${Math.max(MOST_SECS, context.command_secs)}.]`;
  if (ending.signal !== null) return `[Ended by ${ending.signal}]`;
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === ending.code)?.[0];
  return `[Exit code ${ending.code ?? 'unknown'}${signal === undefined ? '' : `, ${signal}`}]`;
}

function remaining(alive: readonly RunningProcess[] | undefined): string[] {
  if (alive === undefined) return ['[Its processes could not be looked up, so some may still run.]'];
  return alive.length === 0 ? [] : [`[Could not be ended: ${names(alive)}.]`];
}

const MOST_NAMED = 5;

function names(processes: readonly RunningProcess[]): string {
  const named = processes.slice(0, MOST_NAMED).map(({ pid, name }) => `${name} (${pid})`);
  return `${named.join(', ')}${processes.length > MOST_NAMED ? ` and ${processes.length - MOST_NAMED} more` : ''}`;
}
