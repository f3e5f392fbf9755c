import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';

import { processTable } from '../../../src/tools/processTable.ts';
import { ProcessTree } from '../../../src/tools/processTree.ts';

describe('process tree', () => {
  it('never ends what is older than the command, nor this process and those above it', async function () {
    if (process.platform !== 'linux') this.skip();
    const older = spawn('sleep', ['60']);
    // The system counts in hundredths of a second.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const child = spawn('sleep', ['60']);
    const kill = process.kill;
    const hit: number[] = [];
    try {
      const table = await processTable();
      const found = (pid: number | undefined) => table.find((one) => one.pid === pid);
      const [own, above, before, root] = [process.pid, process.ppid, older.pid, child.pid].map(found);
      assert.ok(own && above && before && root);
      const seen = [own, above, before].map(({ pid, started }) => [pid, started] as const);
      const led = [own.group, own.session ?? own.group];
      const tree = ProcessTree.known({ mark: 'none-such', root: root.pid, started: root.started, seen, led });
      process.kill = (pid, signal) => {
        hit.push(pid);
        return pid === root.pid ? kill.call(process, pid, signal) : true;
      };
      assert.deepEqual(await tree.end(), []);
      assert.deepEqual([...new Set(hit)], [root.pid]);
    } finally {
      process.kill = kill;
      older.kill('SIGKILL');
      child.kill('SIGKILL');
    }
  });
});
