import assert from 'node:assert/strict';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Bench, promptsOf, until } from '../../support/engine.ts';
import { LeftRuns } from '../../../src/vscode/leftRuns.ts';

describe('runs of sessions that are not shown any more (R8)', () => {
  let bench: Bench;
  let left: LeftRuns;
  let told: (string | undefined)[];

  beforeEach(async () => {
    bench = await Bench.make();
    told = [];
    left = new LeftRuns(bench.engine, () => told.push(left.problem), 40);
  });
  afterEach(async () => {
    left.dispose();
    await bench.close();
  });

  const isFree = async (name: string) => (await bench.engine.store.holder(name)) === undefined;
  const sessions = () => dirname(bench.fileOf('x'));
  /** A file stands where the folder was: it cannot be made again. */
  const breakDisk = async () => {
    await rm(sessions(), { recursive: true });
    await writeFile(sessions(), '');
  };
  /** With a prompt that memory alone has. */
  const unsaved = async () => {
    const run = await bench.create('notes');
    await breakDisk();
    await assert.rejects(run.submit('Do not lose me.'), /could not be saved/);
    return run;
  };

  it('stay live while the disk does not take what only memory holds, which is told once', async () => {
    const run = await unsaved();
    left.add(run);
    await until(() => told.length > 0);
    await wait(150);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^The session notes stays open in this window, because it could not be saved: .*\.$/);
    assert.deepEqual(bench.engine.runs(), [run]);
    assert.equal(await bench.engine.open('notes'), run);
    await rm(sessions());
  });

  it('are given back, with all of it, when the disk takes it again', async () => {
    left.add(await unsaved());
    await until(() => told.length > 0);
    await rm(sessions());
    await until(() => bench.engine.runs().length === 0);
    await until(() => isFree('notes'));
    assert.deepEqual(promptsOf(await bench.onDisk({ name: 'notes' })), ['Do not lose me.']);
    assert.deepEqual([told.length, left.problem], [2, undefined]);
  });

  it('stay when they are shown again while they are saved', async () => {
    const run = await bench.create('notes');
    left.add(run);
    left.remove(run);
    await wait(100);
    assert.deepEqual([bench.engine.runs(), run.closed], [[run], false]);
  });

  it('leave alone a session that was deleted, and made again under the same name', async () => {
    const run = await unsaved();
    left.add(run);
    await until(() => told.length > 0);
    await assert.rejects(bench.engine.release('notes'));
    await rm(sessions());
    const again = await bench.create('notes');
    await until(() => left.problem === undefined);
    await wait(100);
    assert.deepEqual([bench.engine.runs(), again.closed], [[again], false]);
  });

  it('are not kept for what can never be saved, because another program has taken the session over', async () => {
    const run = await bench.create('notes');
    const lock = join(sessions(), '.journal', 'notes.lock.2');
    const foreign = { token: 't', host: 'elsewhere', boot: 'b', pid_namespace: 'n', pid: 1, started: '' };
    await writeFile(lock, JSON.stringify({ ...foreign, program: 'another window', since: '' }));
    await utimes(lock, new Date(), new Date());
    await assert.rejects(run.submit('Too late.'), /taken over/);
    left.add(run);
    await until(() => bench.engine.runs().length === 0);
    assert.deepEqual(told, []);
    assert.equal((await bench.engine.store.holder('notes'))?.program, 'another window');
  });
});
