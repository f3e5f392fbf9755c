import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { RunEvent, RunState } from '../../../src/agent/events.ts';
import type { Run } from '../../../src/agent/run.ts';
import { ProviderError } from '../../../src/providers/provider.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { isKind, type Session } from '../../../src/session/schema.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, gate, noAnswer, ScriptedProvider, silence, tool, turn, until } from '../../support/engine.ts';

const promptsOf = (session: Session) =>
  session.turns.flatMap(({ parts }) => parts.filter((part) => isKind(part, 'user')).map(({ text }) => text));

describe('agent/run', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  const returned = () => bench.events.flatMap((event) => (event.type === 'returned' ? [event.text] : []));
  const whileRunning = async () => {
    bench.provider.answer([silence]);
    const run = await bench.create();
    const { done } = await run.submit('first');
    await until(() => bench.provider.open === 1);
    return { run, done };
  };

  describe('tells', () => {
    it('what it is doing, and since when', async () => {
      const states: RunState[] = [];
      bench.provider.answer([{ call: 'file_write' }], ['ok', silence]);
      const run = await bench.create();
      assert.deepEqual([run.state, run.since], ['idle', undefined]);
      run.subscribe(() => {
        if (states.at(-1) !== run.state) states.push(run.state);
      });
      await run.submit('Go.');
      assert.equal(run.state, 'running');
      assert.equal(typeof run.since, 'number');
      await until(() => bench.provider.requests.length === 2);
      await run.stop();
      assert.deepEqual(states, ['running', 'asking', 'running', 'stopping', 'idle']);
      assert.equal(run.since, undefined);
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
      const { run } = await whileRunning();
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

    it('to what is configured when the recorded provider is not (R15)', async () => {
      const other = new ScriptedProvider('other');
      bench.others = [other];
      bench.provider.answer(['ok']);
      const run = await bench.create();
      await run.setModel('other/secret-model');
      bench.others = [];
      assert.equal(await run.model(), 'mock/m');
      await turn(run);
      assert.equal(bench.provider.requests[0]!.model, 'm');
      bench.config = { ...bench.config, model: undefined as never };
      delete bench.config.model;
      assert.equal(await run.model(), 'mock/m'); // of the turn since
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
        assert.equal(await (await bench.open('notes')).mode(), expected);
      });
  });

  describe('queues (T9)', () => {
    it('what is sent while a turn runs, and sends it in order, each as a turn of its own', async () => {
      const hold = gate();
      bench.provider.answer([() => hold.opened, 'one'], ['two'], ['three']);
      const run = await bench.create();
      const first = await run.submit('1');
      const second = await run.submit('2', 'id-2');
      const third = await run.submit('3');
      assert.deepEqual([first.queued, second.queued, third.queued], [false, true, true]);
      assert.deepEqual(
        run.queue.map(({ text }) => text),
        ['2', '3'],
      );
      assert.equal(run.queue[0]!.id, 'id-2');
      hold.open();
      assert.deepEqual(await Promise.all([first.done, second.done, third.done]), ['ok', 'ok', 'ok']);
      assert.deepEqual(promptsOf(await bench.onDisk(run)), ['1', '2', '3']);
      assert.deepEqual([run.queue, returned()], [[], []]);
    });

    it('and lets a prompt be taken back, once', async () => {
      const { run } = await whileRunning();
      const { done } = await run.submit('second', 'id');
      await run.submit('third', 'other');
      assert.equal(run.unqueue('id'), 'second');
      assert.equal(run.unqueue('id'), undefined);
      assert.equal(await done, 'cancelled');
      assert.deepEqual(run.queue, [{ id: 'other', text: 'third' }]);
    });

    it('and goes on after a turn that was cut off or came out empty', async () => {
      const hold = gate();
      bench.provider.answer([() => hold.opened, 'Half', { finish: 'length' }], [], ['ok']);
      const run = await bench.create();
      const all = [await run.submit('1'), await run.submit('2'), await run.submit('3')];
      hold.open();
      assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['truncated', 'empty', 'ok']);
    });

    it('and hands the prompts back after an error, unsent', async () => {
      const hold = gate();
      bench.provider.answer([() => hold.opened, new ProviderError('Busy.', { kind: 'server' })], ['ok']);
      const run = await bench.create();
      const all = [await run.submit('1'), await run.submit('2'), await run.submit('3')];
      hold.open();
      assert.deepEqual(await Promise.all(all.map(({ done }) => done)), ['error', 'cancelled', 'cancelled']);
      assert.deepEqual([returned(), run.queue, run.state], [['2\n\n3'], [], 'idle']);
      assert.equal(await turn(run, '4'), 'ok');
      assert.deepEqual(promptsOf(await bench.onDisk(run)), ['1', '4']);
    });

    it('and hands the prompts back on Stop (T7)', async () => {
      const { run, done } = await whileRunning();
      const second = await run.submit('second');
      await run.stop();
      assert.deepEqual(await Promise.all([done, second.done]), ['cancelled', 'cancelled']);
      assert.deepEqual([returned(), promptsOf(await bench.onDisk(run))], [['second'], ['first']]);
    });

    it('what is sent while a first prompt is still being checked, also when that one is refused', async () => {
      const hold = gate();
      bench.restart({
        loadConfig: async () => {
          await hold.opened;
          return { config: bench.config, problems: bench.problems };
        },
      });
      bench.problems = [{ file: 'config.json', key: 'x', message: 'is wrong.' }];
      bench.provider.answer(['ok']);
      const run = await bench.create();
      const first = run.submit('1');
      const second = await run.submit('2');
      hold.open();
      await assert.rejects(first, /is wrong/);
      assert.equal(await second.done, 'cancelled');
      assert.deepEqual([returned(), run.queue, run.state], [['2'], [], 'idle']);
      bench.problems = [];
      assert.equal(await turn(run, '3'), 'ok');
      assert.deepEqual(promptsOf(run.session), ['3']);
    });

    it('what is sent while a command is being written', async () => {
      bench.provider.answer(['ok']);
      const run = await bench.create();
      const command = run.setMode('plan');
      await until(() => run.state === 'running');
      const { done } = await run.submit('1');
      await command;
      assert.equal(await done, 'ok');
      assert.deepEqual(
        run.session.turns.map(({ mode }) => mode),
        [undefined, 'plan'],
      );
    });
  });

  describe('stops', () => {
    it('at once when nothing runs', async () => {
      const run = await bench.create();
      await run.stop();
      assert.equal(run.session.turns.length, 0);
      bench.provider.answer(['ok']);
      assert.equal(await turn(run), 'ok');
    });

    it('a turn that is still being prepared: nothing is sent', async () => {
      const hold = gate();
      bench.restart({
        loadConfig: async () => {
          await hold.opened;
          return { config: bench.config, problems: [] };
        },
      });
      const run = await bench.create();
      const submitted = run.submit('1');
      const stopped = run.stop();
      hold.open();
      const { done } = await submitted;
      await stopped;
      assert.equal(await done, 'cancelled');
      assert.deepEqual([run.state, bench.provider.requests.length], ['idle', 0]);
      const session = await bench.onDisk(run);
      assert.deepEqual(
        session.turns.map(({ status }) => status),
        ['cancelled'],
      );
      assert.deepEqual(promptsOf(session), ['1']);
      bench.provider.answer(['ok']);
      assert.equal(await turn(run), 'ok');
    });

    it('between two turns of the queue: the second is not sent', async () => {
      const hold = gate();
      bench.provider.answer([() => hold.opened, 'one'], [silence]);
      const run = await bench.create();
      await run.submit('1');
      const second = await run.submit('2');
      let stopped: Promise<void> | undefined;
      run.subscribe((event) => {
        if (event.type === 'log' && event.event.type === 'turn_ended')
          stopped ??= Promise.resolve().then(() => run.stop());
      });
      hold.open();
      assert.equal(await second.done, 'cancelled');
      await stopped;
      assert.equal(run.state, 'idle');
      assert.equal(run.session.turns.at(-1)!.status === 'running', false);
    });

    it('once, however often it is told', async () => {
      const { run } = await whileRunning();
      await Promise.all([run.stop(), run.stop(), run.stop()]);
      assert.deepEqual(
        (await bench.onDisk(run)).turns.map(({ status }) => status),
        ['cancelled'],
      );
    });
  });

  describe('while the disk fails', () => {
    it('stops a stream whose text can no longer be saved, and says so', async () => {
      bench.provider.answer(['a', () => rm(dirname(bench.fileOf('x')), { recursive: true }), 'b', silence]);
      const run = await bench.create();
      const { done } = await run.submit('Go.');
      assert.match(await done, /cancelled|error/);
      assert.ok(bench.events.some((event) => event.type === 'problem' && /could not be saved/.test(event.message)));
      assert.equal(run.session.turns[0]!.parts[1]!['text'], 'ab');
      await bench.engine.create(); // makes the folder again
      await run.setMode('plan');
      assert.deepEqual(await bench.onDisk(run), run.session);
    });

    it('hands a queued prompt back that can no longer be written', async () => {
      bench.provider.answer(['ok', () => rm(dirname(bench.fileOf('x')), { recursive: true })]);
      const run = await bench.create();
      const first = await run.submit('1');
      const second = await run.submit('2');
      await first.done;
      assert.equal(await second.done, 'cancelled');
      await until(() => run.state === 'idle');
      assert.deepEqual(returned(), ['2']);
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
