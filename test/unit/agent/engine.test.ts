import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Run } from '../../../src/agent/run.ts';
import { ProviderError } from '../../../src/providers/provider.ts';
import { SessionError } from '../../../src/session/store.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, gate, noAnswer, ScriptedProvider, silence, tool, turn, until } from '../../support/engine.ts';

describe('agent/engine', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  it('makes a session with its file at once, under a minted or a given name', async () => {
    const minted = await bench.create();
    const named = await bench.create('notes');
    assert.match(minted.name, /^ses_/);
    assert.equal(named.name, 'notes');
    for (const run of [minted, named]) assert.deepEqual(faultsOf(await bench.onDisk(run)), []);
    assert.deepEqual(bench.engine.runs(), [minted, named]);
  });

  it('makes none under a name that is refused or taken, and keeps no run of it', async () => {
    await bench.create('notes');
    for (const name of ['notes', 'NOTES', '../x', 'CON', ''])
      await assert.rejects(bench.create(name), SessionError, name);
    assert.deepEqual(
      bench.engine.runs().map(({ name }) => name),
      ['notes'],
    );
  });

  it('says what was left of an earlier session of that name', async () => {
    const run = await bench.create('notes');
    await (
      await run.submit('Go.')
    ).done;
    const { dir } = bench.engine.store;
    const journals = (await readdir(join(dir, '.journal'))).filter((file) => file.endsWith('.jsonl'));
    const left = await readFile(join(dir, '.journal', journals[0] as string));
    await bench.engine.release('notes');
    await rm(join(dir, 'notes.json'));
    await writeFile(join(dir, '.journal', 'notes.1.jsonl'), left);
    assert.match((await bench.create('notes')).notices.join(), /^A journal of an earlier session "notes"/);
  });

  it('opens what it made as the run that it is', async () => {
    const run = await bench.create('notes');
    assert.equal(await bench.open('notes'), run);
  });

  it('says why it does not open a session, and opens it when it is there', async () => {
    await assert.rejects(bench.open('notes'), SessionError);
    await assert.rejects(bench.open('../notes'), SessionError);
    assert.deepEqual(bench.engine.runs(), []);
    await (await bench.engine.store.create({ name: 'notes' })).close();
    assert.equal((await bench.open('notes')).name, 'notes');
  });

  it('holds no session whose interrupted turn the disk does not let it close, and opens it when it does', async () => {
    await bench.create('notes');
    bench.provider.answer([silence]);
    await (await bench.open('notes')).submit('Go.');
    await bench.engine.suspend();
    const { store } = bench.restart();
    const opened = store.open.bind(store);
    let full = true;
    store.open = async (name) => {
      const found = await opened(name);
      if (full) found.file.append = () => Promise.reject(new SessionError('The disk is full.'));
      return found;
    };
    await assert.rejects(bench.open('notes'), /The disk is full/);
    assert.equal(await store.holder('notes'), undefined);
    full = false;
    const { interrupted, session } = await bench.open('notes');
    assert.deepEqual([interrupted, session.turns[0]!.status], ['Go.', 'cancelled']);
  });

  it('keeps the run that was opened, or made, after another opening failed', async () => {
    const { store } = bench.engine;
    const opened = store.open.bind(store);
    let failing = true;
    store.open = async (name) => {
      if (failing) throw new SessionError('The disk is full.');
      return opened(name);
    };
    await (await store.create({ name: 'notes' })).close();
    const again = bench.engine.open('notes').catch(() => ((failing = false), bench.engine.open('notes')));
    const other = bench.engine.open('notes').catch(() => undefined);
    await other;
    const run = await again;
    assert.equal(await bench.open('notes'), run);

    failing = true;
    store.open = (name) => sleep(30).then(() => Promise.reject(new SessionError(`There is no session ${name}.`)));
    const missing = bench.engine.open('new');
    const made = await bench.create('new');
    await assert.rejects(missing, /no session new/);
    assert.equal(await bench.open('new'), made);
  });

  it('has given a session back when it says so, also to who asks for it meanwhile', async () => {
    const { name } = await bench.create('notes');
    const first = bench.engine.release(name);
    await bench.engine.release(name);
    assert.equal(await bench.engine.store.holder(name), undefined);
    await first;
  });

  it('lists the models of every provider and those that are configured, and names a provider that does not answer', async () => {
    const [silent, broken] = [new ScriptedProvider('silent'), new ScriptedProvider('broken')];
    silent.models = () =>
      new Promise((_, reject) => AbortSignal.timeout(20).addEventListener('abort', () => reject(new Error('aborted'))));
    broken.models = () => Promise.reject(new ProviderError('Connection refused.', { kind: 'network' }));
    bench.others = [silent, broken];
    bench.config = { ...bench.config, model: 'silent/big', models: { 'mock/m': {}, 'broken/x': {} } };
    const { selectors, problems } = await bench.engine.models(new AbortController().signal);
    assert.deepEqual([...selectors].sort(), ['broken/x', 'mock/m', 'mock/n', 'silent/big']);
    assert.deepEqual([...problems].sort(), ['broken: Connection refused.', 'silent: did not answer in time']);
  });

  it('tells when a run was added or its state changed, until one goes', async () => {
    const states: string[] = [];
    const go = bench.engine.onDidChange(() =>
      states.push(
        bench.engine
          .runs()
          .map(({ state }) => state)
          .join(),
      ),
    );
    const run = await bench.create();
    assert.deepEqual(states, ['idle']);
    bench.provider.answer(['ok'], ['ok']);
    await turn(run);
    await until(() => run.state === 'idle');
    assert.deepEqual(states, ['idle', 'running', 'idle']);
    go();
    await turn(run);
    assert.equal(states.length, 3);
  });

  describe('when it is closed', () => {
    const moments: Record<string, () => Promise<void>> = {
      'in mid-answer': async () => {
        bench.provider.answer(['Half an answer', silence]);
        const run = await bench.create('notes');
        await run.submit('Go.');
        await until(() => run.session.turns[0]!.parts.length === 2);
      },
      'while it asks': async () => {
        bench.person.answers.push(noAnswer);
        bench.provider.answer([{ call: 'file_write' }]);
        const run = await bench.create('notes');
        await run.submit('Go.');
        await until(() => run.state === 'asking');
      },
      'while a tool runs': async () => {
        const started = gate();
        bench.tools = [
          tool('file_read', (_, { signal }) => {
            started.open();
            return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
          }),
        ];
        bench.provider.answer([{ call: 'file_read' }]);
        await (await bench.create('notes')).submit('Go.');
        await started.opened;
      },
      'while a prompt is being prepared': async () => {
        bench.restart({
          loadConfig: () =>
            new Promise((resolve) => setTimeout(() => resolve({ config: bench.config, problems: [] }), 30)),
        });
        void (await bench.create('notes')).submit('Go.');
      },
    };
    for (const [moment, begin] of Object.entries(moments))
      it(`ends the turn ${moment}, with all of it on the disk, within a second`, async () => {
        await begin();
        const started = performance.now();
        await bench.engine.close();
        assert.ok(performance.now() - started < 1000);
        const session = await bench.onDisk({ name: 'notes' });
        assert.deepEqual(session, bench.engine.runs()[0]!.session);
        assert.deepEqual(
          session.turns.map(({ status, parts }) => [status, parts[0]!['text']]),
          [['cancelled', 'Go.']],
        );
        assert.deepEqual(faultsOf(session), []);
        // Nothing is left to be closed at the next start.
        bench.restart();
        assert.equal((await bench.open('notes')).interrupted, undefined);
      });

    for (const end of ['close', 'suspend'] as const) {
      for (const [command, begin] of Object.entries({
        '/mode': (run: Run) => run.setMode('plan'),
        '/model': (run: Run) => run.setModel('mock/n'),
        '/session save': (run: Run) => run.save(),
      }))
        it(`by ${end} lets ${command} come to its end, at whatever moment`, async () => {
          for (let waits = 0; waits < 12; waits++) {
            const run = await bench.create();
            const done = begin(run);
            for (let wait = 0; wait < waits; wait++) await (wait < 6 ? Promise.resolve() : sleep(1));
            const refused = await Promise.all([
              done.then(
                () => undefined,
                (error: unknown) => String(error),
              ),
              bench.engine[end](),
            ]);
            if (refused[0] !== undefined) assert.match(refused[0], /was closed\. Load it again/);
            assert.deepEqual(
              bench.events,
              bench.events.filter(({ type }) => type !== 'problem'),
            );
            bench.restart();
            const { session } = await bench.open(run.name);
            const said = refused[0] !== undefined || command === '/session save' ? [] : ['ok'];
            assert.deepEqual(
              session.turns.map(({ status }) => status),
              said,
            );
          }
        });

      it(`by ${end} closes what is only being made or opened, too`, async () => {
        await (await bench.engine.store.create({ name: 'notes' })).close();
        const coming = [bench.engine.open('notes'), bench.engine.create('new')];
        await bench.engine[end]();
        for (const run of await Promise.all(coming)) {
          assert.equal(run.closed, true);
          assert.equal(await bench.engine.store.holder(run.name), undefined);
        }
      });
    }

    it('hands back what waits, and stops every run', async () => {
      bench.provider.otherwise = () => [silence];
      const runs = [await bench.create(), await bench.create()];
      const all = await Promise.all(runs.flatMap((run) => [run.submit('1'), run.submit('2')]));
      await until(() => bench.provider.open === 2);
      await bench.engine.close();
      assert.deepEqual(await Promise.all(all.map(({ done }) => done)), Array(4).fill('cancelled'));
      assert.deepEqual(bench.returned(), ['2', '2']);
    });
  });
});
