import assert from 'node:assert/strict';
import { once } from 'node:events';

import type { RunEvent, RunState } from '../../../src/agent/events.ts';
import { Refusal } from '../../../src/agent/refusal.ts';
import type { Run } from '../../../src/agent/run.ts';
import { ProviderError } from '../../../src/providers/provider.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, gate, noAnswer, ScriptedProvider, silence, tool, turn, until } from '../../support/engine.ts';

describe('agent/run', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  describe('tells', () => {
    it('what it is doing', async () => {
      const states: RunState[] = [];
      bench.provider.answer([{ call: 'file_write' }], ['ok', silence]);
      const run = await bench.create();
      assert.equal(run.state, 'idle');
      run.subscribe(() => {
        if (states.at(-1) !== run.state) states.push(run.state);
      });
      await run.submit('Go.');
      assert.equal(run.state, 'running');
      await until(() => bench.provider.requests.length === 2);
      await run.stop();
      assert.deepEqual(states, ['running', 'asking', 'running', 'stopping', 'idle']);
    });

    it('every event of the log, in order: folding them gives the session', async () => {
      bench.provider.answer(
        [{ thinking: 'a' }, 'b', 'c', { call: 'file_write' }, { call: 'gone' }],
        ['d'],
        ['e', new ProviderError('x', { kind: 'server' })],
      );
      const run = await bench.create();
      const copy = structuredClone(run.session);
      run.subscribe((event) => {
        if (event.type === 'log') reduce(copy, event.event);
      });
      await turn(run);
      await run.setMode('plan');
      await turn(run);
      assert.deepEqual(copy, run.session);
    });

    it('the output of a running call, by the place of its part', async () => {
      bench.tools = [tool('file_read', (_, { onOutput }) => (onOutput('1'), onOutput('2'), '12'))];
      bench.provider.answer([{ call: 'file_read' }], ['ok']);
      await turn(await bench.create());
      assert.deepEqual(
        bench.events.filter((event) => event.type === 'output'),
        [
          { type: 'output', part: 1, piece: '1' },
          { type: 'output', part: 1, piece: '2' },
        ],
      );
    });

    it('no more than the front end can take, and stops while it waits for that', async () => {
      let taken = gate();
      const pace = async (signal: AbortSignal) => {
        const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
        await Promise.race([taken.opened, aborted]);
      };
      bench.restart({ pace });
      bench.provider.answer(['a', 'b', 'c']);
      const run = await bench.create();
      const said = () => run.session.turns.at(-1)?.parts.at(-1)?.['text'];
      const first = await run.submit('Go.');
      for (const text of ['a', 'ab', 'abc']) {
        await until(() => said() === text);
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal(said(), text);
        const { open } = taken;
        taken = gate();
        open();
      }
      assert.equal(await first.done, 'ok');
      bench.provider.answer(['d', 'e']);
      const second = await run.submit('Go.');
      await until(() => said() === 'd');
      await run.stop();
      assert.deepEqual([await second.done, said()], ['cancelled', 'd']);
    });

    it('nobody any more who went', async () => {
      const run = await bench.create();
      const heard: RunEvent[] = [];
      run.subscribe((event) => heard.push(event))();
      await run.setMode('plan');
      assert.deepEqual(heard, []);
    });
  });

  describe('refuses, and changes nothing', () => {
    const refused = async (run: Run, act: () => Promise<unknown>, reason: RegExp) => {
      const before = structuredClone(run.session);
      await assert.rejects(act(), (error: Error) => error.name === 'Refusal' && reason.test(error.message));
      assert.deepEqual(run.session, before);
      assert.deepEqual(await bench.onDisk(run), before);
      assert.equal(bench.provider.requests.length, 0);
      assert.equal(run.state, 'idle');
    };

    for (const blank of ['', ' ', '\n\t'])
      it(`a prompt of ${JSON.stringify(blank)}`, async () => {
        const run = await bench.create();
        await refused(run, () => run.submit(blank), /empty/);
      });

    it('a prompt under a broken configuration, which it names', async () => {
      bench.problems = [
        { file: '/p/.polyglav/config.json', key: 'mode', message: 'must be "build" or "plan", not "biuld".' },
      ];
      const run = await bench.create();
      await refused(run, () => run.submit('Go.'), /config\.json.*mode.*must be "build" or "plan"/);
    });

    it('a prompt to a model whose provider there is not', async () => {
      bench.config = { ...bench.config, model: 'gone/m' };
      const run = await bench.create();
      await refused(run, () => run.submit('Go.'), /no provider "gone".*mock/);
    });

    for (const selector of ['m', 'mock/', '/m', '', 'gone/m'])
      it(`the model ${JSON.stringify(selector)}`, async () => {
        const run = await bench.create();
        await refused(run, () => run.setModel(selector), /mock/);
      });

    it('a mode that there is not', async () => {
      const run = await bench.create();
      await refused(run, () => run.setMode('fly'), /no mode "fly".*build, plan/);
    });

    it('a change of model or mode while a turn runs', async () => {
      const { run } = await bench.hanging();
      await assert.rejects(run.setModel('mock/n'), /[Nn]ot while a turn runs/);
      await assert.rejects(run.setMode('plan'), /[Nn]ot while a turn runs/);
      assert.equal(run.session.turns.length, 1);
    });
  });

  describe('switches', () => {
    it('model and mode by a command turn, durable at once, for the next turn', async () => {
      bench.provider.answer(['ok']);
      const run = await bench.create();
      await run.setModel('mock/org/n');
      await run.setMode('plan');
      const session = await bench.onDisk(run);
      assert.deepEqual(
        session.turns.map(({ index, status, parts }) => ({ index, status, text: parts[0]!['text'] })),
        [
          { index: 1, status: 'ok', text: '/model mock/org/n' },
          { index: 2, status: 'ok', text: '/mode plan' },
        ],
      );
      assert.deepEqual(faultsOf(session), []);
      assert.deepEqual([await run.model(), await run.mode()], ['mock/org/n', 'plan']);
      await turn(run);
      const { model, provider, mode } = run.session.turns[2]!;
      assert.deepEqual({ model, provider, mode }, { model: 'org/n', provider: 'mock', mode: 'plan' });
      assert.equal(bench.provider.requests[0]!.model, 'org/n');
    });

    it('for a continued session too: model and mode come back from the log (R9)', async () => {
      const { name } = await bench.create();
      const run = await bench.open(name);
      await run.setModel('mock/n');
      await run.setMode('plan');
      await bench.engine.close();
      bench.restart();
      const again = await bench.open(name);
      assert.deepEqual([await again.model(), await again.mode()], ['mock/n', 'plan']);
    });

    it('to no other model while the provider of the chosen one is not there: the prompt is refused (R15)', async () => {
      const other = new ScriptedProvider('other');
      bench.others = [other];
      const run = await bench.create();
      await run.setModel('other/big');
      bench.others = [];
      assert.equal(await run.model(), 'other/big');
      const isRefused = (error: Error) =>
        error instanceof Refusal &&
        /This session uses the model "other\/big"\..*no provider "other".*choose another model/.test(error.message);
      await assert.rejects(bench.engine.assertReady(run.session), isRefused);
      await assert.rejects(run.submit('Go.'), isRefused);
      assert.deepEqual([run.session.turns.length, bench.provider.requests.length, run.state], [1, 0, 'idle']);
      // And is back on it by itself.
      bench.others = [other];
      other.answer(['ok']);
      await turn(run);
      assert.deepEqual([other.requests.length, bench.provider.requests.length], [1, 0]);
      // What was only used, and never chosen by a command, is kept likewise.
      bench.others = [];
      await assert.rejects(run.submit('Go.'), isRefused);
      bench.provider.answer(['ok']);
      await run.setModel('mock/m');
      await turn(run);
      assert.equal(bench.provider.requests.length, 1);
    });

    it('to no other model for a prompt that waited: it is handed back, and why is said', async () => {
      const other = new ScriptedProvider('other');
      const { opened, open } = gate();
      bench.others = [other];
      other.answer([() => opened, 'ok']);
      const run = await bench.create();
      await run.setModel('other/big');
      const first = await run.submit('first');
      await run.submit('second');
      bench.others = [];
      open();
      assert.equal(await first.done, 'ok');
      await until(() => bench.returned().length > 0);
      assert.deepEqual([bench.returned(), bench.provider.requests.length], [['second'], 0]);
      const told = bench.events.flatMap((event) => (event.type === 'problem' ? [event.message] : []));
      assert.match(told.join('\n'), /"other\/big"/);
    });

    it('to the demo model when nothing is configured', async () => {
      delete bench.config.model;
      assert.equal(await (await bench.create()).model(), 'demo/demo');
    });

    const modes: [what: string, modes: string[], configured: string | undefined, expected: string][] = [
      ['the last one', ['build', 'plan'], 'build', 'plan'],
      ['the one it began with, when the last one is gone', ['plan', 'review'], 'build', 'plan'],
      ['the configured one, when those are gone', ['audit', 'review'], 'plan', 'plan'],
      ['the configured one, in a new session', [], 'plan', 'plan'],
      ['build, when there is no other', ['audit'], undefined, 'build'],
    ];
    for (const [what, recorded, configured, expected] of modes)
      it(`to ${what} (R9)`, async () => {
        if (configured !== undefined) bench.config = { ...bench.config, mode: configured };
        const file = await bench.engine.store.create({ name: 'notes' });
        for (const [position, mode] of recorded.entries()) {
          await file.append({
            type: 'turn_started',
            at: 't',
            turn: { index: position + 1, status: 'running', mode, parts: [] },
          });
          await file.append({ type: 'turn_ended', at: 't', status: 'ok' });
        }
        await file.close();
        const run = await bench.open('notes');
        assert.equal(await run.mode(), expected);
        const isGone = recorded.length > 0 && recorded.at(-1) !== expected;
        const told = `There is no mode "${recorded.at(-1)}" any more, in which this session was; it goes on in the mode ${expected}.`;
        assert.deepEqual(
          run.notices.map((notice) => notice.startsWith(told)),
          isGone ? [true] : [],
        );
      });
  });

  it('asks for one run only: several live at once, each with its own queue, asks and Stop', async () => {
    bench.person.answers.push(noAnswer);
    bench.provider.otherwise = ({ messages }) =>
      messages.at(-1)!.content === 'ask' ? [{ call: 'file_write' }] : ['ok'];
    const [asking, other] = [await bench.create(), await bench.create()];
    const { done } = await asking.submit('ask');
    await until(() => asking.state === 'asking');
    assert.deepEqual([other.state, other.asks], ['idle', []]);
    assert.equal(await turn(other), 'ok');
    await asking.stop();
    assert.equal(await done, 'cancelled');
    assert.deepEqual(
      bench.person.asks.map(({ session }) => session),
      [asking.name],
    );
  });
});
