import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { runCommand } from '../../../src/tools/runCommand.ts';
import { Watchdog } from '../../../src/tools/watchdog.ts';
import { Workspace } from './workspace.ts';

const PROGRAM = path.join(import.meta.dirname, '../../../src/tools/watchdogProcess.ts');

describe('the watchdog of commands (T7)', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  it('that cannot be started is told of once, and commands run all the same', async () => {
    const told: string[] = [];
    workspace.with({ watchdog: new Watchdog('/no/such/program.js', (message) => told.push(message)) });
    for (let time = 0; time < 2; time++)
      assert.equal((await workspace.call(runCommand, { command: 'sleep 0.2; echo ran' })).output, 'ran\n[Exit code 0]');
    assert.equal(told.length, 1);
    assert.match(told[0]!, /^The watchdog of commands does not run \(it ended with code 1\)\. /);
  });

  it('is no part of the command, and is started anew at once when it was killed', async function () {
    if (process.platform !== 'linux') this.skip();
    const told: string[] = [];
    workspace.with({ watchdog: new Watchdog(PROGRAM, (message) => told.push(message)) });
    assert.equal((await workspace.call(runCommand, { command: 'echo 1' })).output, '1\n[Exit code 0]');
    const [first] = await watchdogs();
    const running = workspace.call(runCommand, { command: 'sleep 3' });
    process.kill(first!, 'SIGKILL');
    await until(async () => (await watchdogs()).some((pid) => pid !== first));
    // Long enough for it to have set itself up.
    await running;
    const second = await watchdogs();
    assert.equal(second.length, 1);
    assert.notEqual(second[0], first);
    // It is deaf to what ends other programs: its life is that of its input.
    process.kill(second[0]!, 'SIGTERM');
    await wait(100);
    assert.deepEqual(await watchdogs(), second);
    process.kill(second[0]!, 'SIGKILL');
    await until(async () => (await watchdogs()).length === 0);
    assert.deepEqual(told, []);
  });

  it('leaves alone what is over, and ends the rest, when its program dies', async function () {
    if (process.platform !== 'linux') this.skip();
    // Marked processes as a command would have them; the program that watches them is killed at once.
    const marked = (mark: string) =>
      spawn('sleep', ['60'], {
        env: { POLYGLAV_CALL: mark, PATH: process.env['PATH'] },
        detached: true,
        stdio: 'ignore',
      });
    const [over, left] = [marked('mark-of-one-that-is-over'), marked('mark-of-one-that-runs')];
    const script = `
      import { Watchdog } from ${JSON.stringify(path.join(import.meta.dirname, '../../../src/tools/watchdog.ts'))};
      const dog = new Watchdog(${JSON.stringify(PROGRAM)}, console.error);
      dog.watch({ mark: 'mark-of-one-that-is-over' });
      dog.watch({ mark: 'mark-of-one-that-runs' });
      dog.release('mark-of-one-that-is-over');
      process.kill(process.pid, 'SIGKILL');`;
    spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    await until(async () => left.signalCode !== null);
    await wait(300);
    assert.equal(over.signalCode, null);
    over.kill('SIGKILL');
  });

  /** Those that this process started. */
  async function watchdogs(): Promise<number[]> {
    const found: number[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const [args, status] = await Promise.all(
        ['cmdline', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      if (args!.includes(PROGRAM) && status!.includes(`PPid:\t${process.pid}\n`)) found.push(Number(pid));
    }
    return found;
  }
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    assert.ok(tries < 400, `it did not happen: ${condition.toString()}`);
    await wait(25);
  }
}
