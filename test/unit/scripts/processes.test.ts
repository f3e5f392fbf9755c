import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, run, start, stop } from '../../../scripts/lib/processes.mjs';
import { duration } from '../../../scripts/lib/say.mjs';

/** A program that starts another in a process group of its own, as a terminal's shell does, and says its number. */
const FAMILY = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 40 && isAlive(pid); tries++) await wait(50);
  return !isAlive(pid);
}

describe('child processes of the scripts', () => {
  it('gives code and output', async () => {
    const { code, output, timedOut } = await run(process.execPath, [
      '-e',
      'console.log(1); console.error(2); process.exit(3)',
    ]);
    assert.deepEqual([code, output.split('\n').sort().join(''), timedOut], [3, '12', false]);
  });

  it('tells of a program that is not there', async () => {
    const { code, output } = await run('/no/such/program', []);
    assert.equal(code, 1);
    assert.match(output, /ENOENT/);
  });

  it('ends what takes too long, with what it started', async () => {
    const { output, timedOut } = await run(process.execPath, ['-e', FAMILY], { timeoutMs: 700 });
    assert.equal(timedOut, true);
    assert.ok(await gone(Number(output)));
  }).timeout(15_000);

  it('gives what goes on saying something the time it needs, and ends what falls silent', async () => {
    const talks =
      'let said = 0; const timer = setInterval(() => { console.log(said); if (++said === 30) end(); }, 100);';
    const ends = await run(process.execPath, ['-e', `${talks} function end() { clearInterval(timer); }`], {
      quietMs: 1500,
    });
    assert.deepEqual([ends.code, ends.timedOut], [0, false]);
    assert.ok(ends.ms > 2000);
    const silent = await run(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
      quietMs: 1500,
    });
    assert.equal(silent.timedOut, true);
  }).timeout(30_000);

  it('kills what does not end when asked', async () => {
    const deaf = start(
      process.execPath,
      ['-e', "process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 1000)"],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await new Promise((resolve) => deaf.stdout?.once('data', resolve));
    await stop(deaf);
    assert.ok(await gone(deaf.pid!));
  }).timeout(15_000);

  it('words durations as a person would', () => {
    assert.deepEqual([400, 9960, 59_900, 65_000].map(duration), ['0.4 s', '10 s', '1 min 0 s', '1 min 5 s']);
  });
});
