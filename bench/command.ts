/** What a command costs: how long Stop takes to end all of it (T7), and the memory that its output takes, however much it is. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

import { diskFiles } from '../src/tools/diskFiles.ts';
import { runCommand } from '../src/tools/runCommand.ts';
import { SessionShell } from '../src/tools/sessionShell.ts';
import type { ToolContext } from '../src/tools/tool.ts';
import { median, ms, quantile, size, type Row } from './table.ts';

const TIMES = 10;
const MOST_STOP_MS = 1000;
const FLOOD = 1e9;
const MOST_MEMORY = 100e6;

/** Deaf to every polite request, one of them in a session of its own. */
const DEAF = `deaf() { trap "" TERM HUP INT; while :; do sleep 1; done; }; export -f deaf; setsid bash -c deaf & deaf`;

function contextIn(workspace: string, signal: AbortSignal): ToolContext {
  return {
    workspace,
    files: diskFiles,
    resolve: (given) => Promise.resolve(given),
    shell: new SessionShell(workspace),
    watchdog: undefined,
    reading: () => 'allow',
    seen: () => undefined,
    ripgrep: undefined,
    max_output_chars: 20_000,
    secret_env: [],
    holdsKey: () => false,
    command_secs: 600,
    signal,
    onOutput: () => undefined,
  };
}

async function stopMs(workspace: string): Promise<number> {
  const stop = new AbortController();
  const running = runCommand.execute({ command: DEAF }, contextIn(workspace, stop.signal));
  await sleep(500);
  const from = performance.now();
  stop.abort(new Error('stopped'));
  await running;
  return performance.now() - from;
}

async function floodMemory(workspace: string): Promise<number> {
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const look = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const command = `head -c ${FLOOD} /dev/zero | tr '\\0' x`;
  await runCommand.execute({ command }, contextIn(workspace, new AbortController().signal));
  clearInterval(look);
  return peak - idle;
}

export async function commandRows(folder: string): Promise<Row[]> {
  const workspace = realpathSync(mkdtempSync(join(folder, 'command-')));
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push(await stopMs(workspace));
  const memory = await floodMemory(workspace);
  rmSync(workspace, { recursive: true, force: true });
  return [
    {
      what: 'from Stop to the end of a command that is deaf',
      measured: ms(median(times)),
      max: ms(quantile(times, 1)),
      against: ms(MOST_STOP_MS),
      ratio: median(times) / MOST_STOP_MS,
      bar: 1,
    },
    {
      what: `memory of a command that writes ${size(FLOOD)}`,
      measured: `${size(memory)} above idle`,
      against: size(MOST_MEMORY),
      ratio: memory / MOST_MEMORY,
      bar: 1,
    },
  ];
}
