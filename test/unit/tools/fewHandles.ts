/**
 * A program for `runCommand.test.ts`, which starts it with few file handles: runs a command, then has all handles in use but
 * `argv[3]`, stops the command, and prints its result and how many commands the watchdog still watches.
 */
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { runCommand } from '../../../src/tools/runCommand.ts';
import type { Watchdog } from '../../../src/tools/watchdog.ts';
import { Workspace } from './workspace.ts';

const [command = '', free = '0', ending = 'stop'] = process.argv.slice(2);
const workspace = await Workspace.make();
const stop = new AbortController();
const watched = new Set<string>();
const watchdog: Pick<Watchdog, 'watch' | 'release'> = {
  watch: ({ mark }) => void watched.add(mark),
  release: (mark) => void watched.delete(mark),
};
workspace.with({ signal: stop.signal, watchdog: watchdog as Watchdog });
const running = workspace.call(runCommand, { command }).catch((error: unknown) => ({ output: String(error) }));
while (!workspace.pieces.join('').includes('ready')) await sleep(10);
// The looks at the beginning are over.
await sleep(700);
const taken = takeHandles();
for (const handle of taken.splice(0, Number(free))) closeSync(handle);
// What a command that ends gives back is another's at once.
const again = free === '0' ? setInterval(() => taken.push(...takeHandles()), 1) : undefined;
if (ending === 'stop') stop.abort(new Error('stopped'));
const { output } = await running;
clearInterval(again);
for (const handle of taken) closeSync(handle);
console.log(JSON.stringify({ output, watched: watched.size }));
await workspace.remove();
// A command that still runs would hold it up.
process.exit();

function takeHandles(): number[] {
  const handles: number[] = [];
  try {
    for (;;) handles.push(openSync('/dev/null', 'r'));
  } catch {
    return handles;
  }
}
