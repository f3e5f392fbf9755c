import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Engine } from '../../../src/agent/engine.ts';
import type { Run } from '../../../src/agent/run.ts';
import { ActiveSession } from '../../../src/vscode/activeSession.ts';
import { PromptLedger } from '../../../src/vscode/promptLedger.ts';
import { HeldError, SessionStore } from '../../../src/session/store.ts';
import { Bench, gate, turn, until } from '../../support/engine.ts';
import { WindowMemory } from '../../support/windowMemory.ts';

describe('the active session', () => {
  let bench: Bench;
  let memory: WindowMemory;
  let engine: Engine;
  let ledger: PromptLedger;
  let active: ActiveSession;
  let slow: ReturnType<typeof gate>;

  beforeEach(async () => {
    bench = await Bench.make();
    memory = new WindowMemory();
    slow = gate();
    const real = bench.engine;
    for (const name of ['slow', 'fast']) await bench.create(name);
    engine = Object.assign(Object.create(real) as Engine, {
      open: async (name: string): Promise<Run> => {
        if (name === 'slow') await slow.opened;
        return real.open(name);
      },
      release: (name: string): Promise<void> => real.release(name),
      create: async (name?: string): Promise<Run> => {
        await slow.opened;
        return real.create(name);
      },
    });
    ledger = new PromptLedger(memory);
    active = new ActiveSession(engine, ledger, memory);
  });
  afterEach(() => bench.close());

  it('is the one that was asked for last, also when an earlier one loads for longer', async () => {
    const first = active.load('slow');
    await active.load('fast');
    slow.open();
    await first;
    assert.equal(active.run?.name, 'fast');
    assert.equal(memory.get('polyglav.session'), 'fast');
  });

  it('stays none when a new one was asked for while another loaded', async () => {
    const first = active.load('slow');
    await active.startNew();
    slow.open();
    await first;
    assert.equal(active.run, undefined);
  });

  it('is not the one that is being made when the person has gone to another meanwhile', async () => {
    await active.restore();
    const [made, twice] = [active.begin(), active.begin()];
    await active.load('fast');
    slow.open();
    assert.equal((await made).name, (await twice).name);
    assert.equal(active.run?.name, 'fast');
  });

  it('is told to whoever listens, until they stop', async () => {
    let told = 0;
    const stop = active.onDidChange(() => (told += 1));
    await active.load('fast');
    await active.load('fast');
    assert.equal(told, 1);
    stop();
    await active.startNew();
    assert.equal(told, 1);
  });

  it('reads along in a session that another program holds, and has it as soon as it is free (R8)', async () => {
    const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const held = await elsewhere.create({ name: 'held' });
    await active.load('held');
    const shown = () => [active.run?.name, active.followed?.holder.program];
    assert.deepEqual(shown(), [undefined, 'another window']);
    assert.equal(active.isFor('held'), true);
    await assert.rejects(active.ensure(), /"held" is open in another window \(process \d+ on/);

    const at = '2026-08-17T12:00:00.000+00:00';
    await held.append({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [] } });
    await held.append({ type: 'turn_ended', at, status: 'ok' });
    const turns = () => active.followed?.session.turns.length;
    await until(() => turns() === 1);

    await held.close();
    await until(() => shown()[0] === 'held');
    assert.deepEqual(shown(), ['held', undefined]);
    assert.equal((await active.ensure()).session.turns.length, 1);
  });

  it('leaves a session that its owner has deleted, and says so', async () => {
    const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const held = await elsewhere.create({ name: 'held' });
    await active.load('held');
    await held.close();
    await elsewhere.delete('held');
    await until(() => active.followed === undefined);
    assert.deepEqual([active.run, memory.get('polyglav.session')], [undefined, undefined]);
    assert.match(active.problem ?? '', /^The session held is not there any more.*next prompt begins a new one\.$/);
    await active.load('fast');
    assert.deepEqual([active.run?.name, active.problem], ['fast', undefined]);
  });

  it('tells why a session that is free cannot be taken over, and tries again', async () => {
    const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const held = await elsewhere.create({ name: 'held' });
    await active.load('held');
    await held.close();
    const path = join(elsewhere.dir, 'held.json');
    const whole = await readFile(path);
    await writeFile(path, 'broken');
    await until(() => active.problem !== undefined);
    assert.match(active.problem ?? '', /^The session held cannot be taken over yet: .*not JSON.*tried again\.$/);
    assert.equal(active.followed?.name, 'held');
    await writeFile(path, whole);
    await until(() => active.run?.name === 'held');
    assert.deepEqual([active.problem, active.followed], [undefined, undefined]);
  });

  it('reads along with the next owner when that one was faster', async () => {
    const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const held = await elsewhere.create({ name: 'held' });
    await active.load('held');
    const next = { program: 'a third window', pid: 1, host: 'here', since: '' };
    engine.open = (name) => Promise.reject(new HeldError(name, next));
    let told = 0;
    active.onDidChange(() => (told += 1));
    await held.close();
    await until(() => told > 0);
    assert.deepEqual([active.followed?.holder, active.problem], [next, undefined]);
  });

  it('reads along no more when another session was asked for', async () => {
    const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const held = await elsewhere.create({ name: 'held' });
    await active.load('held');
    await active.load('fast');
    await held.close();
    await wait(1200);
    assert.equal(active.run?.name, 'fast');
  });

  describe('reads along no more, however long the disk takes', () => {
    const follow = async () => {
      const elsewhere = new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
      const held = await elsewhere.create({ name: 'held' });
      await active.load('held');
      return held;
    };

    it('when the person has gone to another session since it became free', async () => {
      const held = await follow();
      const { store } = engine;
      const [asked, listed] = [gate(), gate()];
      const names = store.names.bind(store);
      store.names = async () => {
        asked.open();
        await listed.opened;
        return names();
      };
      await held.close();
      await asked.opened;
      await active.load('fast');
      listed.open();
      await wait(100);
      assert.deepEqual([active.run?.name, active.followed], ['fast', undefined]);
      assert.equal(await store.holder('held'), undefined);
    });

    it('when the session that the person asked for is still loading', async () => {
      const held = await follow();
      const asked = active.load('slow');
      await held.close();
      await until(() => active.followed === undefined);
      slow.open();
      await asked;
      assert.equal(active.run?.name, 'slow');
      await until(async () => (await engine.store.holder('held')) === undefined);
    });

    it('when the person has gone elsewhere while it was opened', async () => {
      const held = await follow();
      const [begun, opened] = [gate(), gate()];
      const { open } = engine;
      engine.open = async (name) => {
        const run = await open(name);
        if (name !== 'held') return run;
        begun.open();
        await opened.opened;
        return run;
      };
      await held.close();
      await begun.opened;
      await active.load('fast');
      opened.open();
      await until(async () => (await engine.store.holder('held')) === undefined);
      assert.equal(active.run?.name, 'fast');
    });
  });

  describe('gives a session back that is left (R8)', () => {
    const elsewhere = () => new SessionStore(bench.folder, { version: '1.0.0', program: 'another window' });
    const isFree = async (name: string) => (await elsewhere().holder(name)) === undefined;
    beforeEach(() => slow.open());

    it('for another or for none, and has it again when it comes back', async () => {
      await active.load('slow');
      await active.load('fast');
      await until(() => isFree('slow'));
      assert.equal(await isFree('fast'), false);
      await active.startNew();
      await until(() => isFree('fast'));
      await Promise.all([active.load('slow'), active.load('fast'), active.load('slow')]);
      await turn(active.run!, 'Go on.');
      assert.equal(active.run?.name, 'slow');
    });

    it('also one that was overtaken while it loaded', async () => {
      for (const name of ['a', 'b', 'c']) await (await elsewhere().create({ name })).close();
      await Promise.all(['a', 'b', 'a', 'c'].map((name) => active.load(name)));
      assert.equal(active.run?.name, 'c');
      await until(async () => (await isFree('a')) && (await isFree('b')));
      assert.equal(await isFree('c'), false);
    });

    it('not what is shown in the end, when it was overtaken before', async () => {
      for (const name of ['a', 'b']) await (await elsewhere().create({ name })).close();
      await Promise.all(['a', 'b', 'a'].map((name) => active.load(name)));
      await until(() => isFree('b'));
      assert.equal(active.run?.name, 'a');
      await turn(active.run, 'Go on.');
      assert.equal(await isFree('a'), false);
    });

    it('and offers the prompt of a turn that another program left open in it', async () => {
      await active.load('slow');
      await active.load('fast');
      await until(() => isFree('slow'));
      const { file } = await elsewhere().open('slow');
      const at = '2026-08-17T12:00:00.000+00:00';
      const parts = [{ type: 'user', text: 'Go on.', timestamp: at }];
      await file.append({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts } });
      await file.close();
      await active.load('slow');
      assert.deepEqual(
        ledger.offersOf('slow').map(({ text }) => text),
        ['Go on.'],
      );
    });

    it('only when nothing works in it any more', async () => {
      const answer = gate();
      bench.provider.otherwise = () => [() => answer.opened, 'done'];
      await active.load('slow');
      const { run } = active;
      const { done } = await run!.submit('Work.');
      await active.load('fast');
      assert.equal(await isFree('slow'), false);
      answer.open();
      assert.equal(await done, 'ok');
      await until(() => isFree('slow'));
    });

    it('not while it cannot be saved, and says why', async () => {
      await active.load('slow');
      const run = active.run!;
      run.save = () => Promise.reject(new Error('The disk is full.'));
      await active.load('fast');
      await until(() => active.problem !== undefined);
      assert.match(
        active.problem ?? '',
        /^The session slow stays open in this window, .*: The disk is full\. It is tried/,
      );
      assert.equal(await isFree('slow'), false);
      await active.load('slow');
      assert.deepEqual([active.run, active.problem], [run, undefined]);
    });

    it('not while it is the one that is shown again', async () => {
      const answer = gate();
      bench.provider.otherwise = () => [() => answer.opened, 'done'];
      await active.load('slow');
      const { done } = await active.run!.submit('Work.');
      await active.load('fast');
      await active.load('slow');
      answer.open();
      await done;
      await wait(100);
      assert.equal(await isFree('slow'), false);
      await turn(active.run!, 'Go on.');
    });
  });
});
