/** Two processes that open one session (R8, A05). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { SessionStore } from '../../src/session/store.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { buildChild, Child, removeChild } from './children.ts';
import type { Said } from './said.ts';

describe('two processes that open one session', function () {
  this.timeout(60_000);
  const folder = useTempFolder();
  let store: SessionStore;
  const children: Child[] = [];
  before(buildChild);
  after(removeChild);
  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '1.0.0' });
    await (await store.create({ name: 'one' })).close();
  });
  afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())));

  const start = async () => {
    const child = new Child('open', folder.path, 'one');
    children.push(child);
    await child.next(0);
    return child;
  };
  const answer = async (child: Child, line: string): Promise<Said> => {
    const count = child.said.length;
    child.tell(line);
    const said = await child.next(count);
    assert.ok(said, child.errors);
    return said;
  };

  it('do so one at a time, and the other is told who has it (30 times)', async () => {
    const both = [await start(), await start()];
    const won = [0, 0];
    for (let round = 0; round < 30; round++) {
      const at = String(Date.now() + 15);
      const answers = await Promise.all(both.map((child) => answer(child, at)));
      const winner = answers.findIndex((said) => 'opened' in said);
      const loser = answers[1 - winner];
      assert.ok(winner >= 0 && loser !== undefined && 'held' in loser, JSON.stringify(answers));
      assert.match(loser.held, new RegExp(`open in a test \\(process ${both[winner]?.process.pid} `));
      won[winner]!++;
      await answer(both[winner] as Child, 'close');
    }
    console.log(`      won ${won.join(' : ')}`);
  });

  it('take it from a killed one at once', async () => {
    for (let round = 0; round < 5; round++) {
      const holder = await start();
      assert.ok('opened' in (await answer(holder, '0')));
      await assert.rejects(store.open('one'), /is open in a test/);
      await holder.kill();
      const before = performance.now();
      const { file } = await store.open('one');
      assert.ok(performance.now() - before < 500);
      await file.close();
    }
  });

  it('take it from a dead one that its parent has not noticed', async function () {
    if (process.platform !== 'linux') this.skip();
    const child = [...Child.command('open', folder.path, 'one')].map((word) => `'${word}'`).join(' ');
    // The shell becomes a program that waits for no child.
    const parent = spawn('sh', ['-c', `${child} <&3 3<&- & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const lines: string[] = [];
      parent.stdout?.on('data', (data: Buffer) => lines.push(...data.toString().trim().split('\n')));
      const said = async (count: number) => {
        while (lines.length < count) await once(parent.stdout!, 'data');
      };
      await said(2);
      (parent.stdio[3] as NodeJS.WritableStream).write('0\n');
      await said(3);
      const pid = Number(lines.find((line) => /^\d+$/.test(line)));
      await assert.rejects(store.open('one'), new RegExp(`process ${pid} `));
      process.kill(pid, 'SIGKILL');
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise((r) => setTimeout(r, 5));
      await (await store.open('one')).file.close();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
