/**
 * The watchdog's program (`watchdog.ts` starts it). It lives exactly as long as who started it: at the end of its input it ends
 * the commands that are not over, in the way in which Stop would have, and then itself.
 */
import { createInterface } from 'node:readline';

import { ProcessTree } from './processTree.ts';
import type { WatchdogLine } from './watchdog.ts';

const trees = new Map<string, ProcessTree>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const line = parse(text);
    if (line === undefined) return;
    if ('over' in line) trees.delete(line.over);
    else trees.set(line.mark, ProcessTree.known(line));
  })
  .on('close', () => {
    void Promise.allSettled([...trees.values()].map((tree) => tree.end())).then(() => process.exit());
  });

/** Undefined for a line that death cut off. */
function parse(text: string): WatchdogLine | undefined {
  try {
    return JSON.parse(text) as WatchdogLine;
  } catch {
    return undefined;
  }
}
