import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';

import { ProviderError } from '../../../src/providers/provider.ts';
import { isKind } from '../../../src/session/schema.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, gate, promptsOf, tool, turn, until, type Step } from '../../support/engine.ts';

/** One round: five prompts, each so many milliseconds after the one before, to a model that does something else each time. */
interface Round {
  gaps: number[];
  answers: ('text' | 'slow text' | 'call' | 'ask' | 'empty')[];
  /** Stop comes so many milliseconds after the first prompt; undefined: never. */
  stop: number | undefined;
}

const round: fc.Arbitrary<Round> = fc.record({
  gaps: fc.array(fc.nat(8), { minLength: 5, maxLength: 5 }),
  answers: fc.array(fc.constantFrom('text', 'slow text', 'call', 'ask', 'empty'), { minLength: 5, maxLength: 5 }),
  stop: fc.option(fc.nat(40), { nil: undefined, freq: 2 }),
});

const ANSWERS: Record<Round['answers'][number], Step[]> = {
  text: ['ok'],
  'slow text': ['o', () => wait(3), 'k'],
  call: [{ call: 'file_read' }],
  ask: [{ call: 'file_write' }],
  empty: [],
};

describe('agent/run queue', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

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
    assert.deepEqual([run.queue, bench.returned()], [[], []]);
  });

  it('and lets a prompt be taken back, once', async () => {
    const { run } = await bench.hanging();
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
    assert.deepEqual([bench.returned(), run.queue, run.state], [['2\n\n3'], [], 'idle']);
    assert.equal(await turn(run, '4'), 'ok');
    assert.deepEqual(promptsOf(await bench.onDisk(run)), ['1', '4']);
  });

  it('and hands the prompts back on Stop (T7)', async () => {
    const { run, done } = await bench.hanging();
    const second = await run.submit('second');
    await run.stop();
    assert.deepEqual(await Promise.all([done, second.done]), ['cancelled', 'cancelled']);
    assert.deepEqual([bench.returned(), promptsOf(await bench.onDisk(run))], [['second'], ['first']]);
  });

  it('and sends what came after Stop, when the turn has ended', async () => {
    const hold = gate();
    bench.tools = [tool('file_read', () => hold.opened.then(() => 'slow'))];
    bench.provider.answer([{ call: 'file_read' }], ['No, X.'], ['And Y.']);
    const run = await bench.create();
    const { done } = await run.submit('first');
    await until(() => bench.provider.requests.length === 1 && bench.provider.open === 0);
    const before = await run.submit('before');
    const stopped = run.stop();
    const after = [await run.submit('No, do X instead.'), await run.submit('And Y.')];
    assert.equal(run.state, 'stopping');
    hold.open();
    await stopped;
    assert.deepEqual(await Promise.all([done, before.done, ...after.map((sent) => sent.done)]), [
      'cancelled',
      'cancelled',
      'ok',
      'ok',
    ]);
    await until(() => run.state === 'idle');
    assert.deepEqual(bench.returned(), ['before']);
    assert.deepEqual(promptsOf(await bench.onDisk(run)), ['first', 'No, do X instead.', 'And Y.']);
  });

  it('and a second Stop takes back what came after the first', async () => {
    const hold = gate();
    bench.tools = [tool('file_read', () => hold.opened.then(() => 'slow'))];
    bench.provider.answer([{ call: 'file_read' }]);
    const run = await bench.create();
    await run.submit('first');
    await until(() => bench.provider.requests.length === 1 && bench.provider.open === 0);
    const stopped = run.stop();
    await run.submit('after');
    const again = run.stop();
    hold.open();
    await Promise.all([stopped, again]);
    assert.deepEqual([bench.returned(), run.state], [['after'], 'idle']);
  });

  it('and sends nothing more when it is closed', async () => {
    const hold = gate();
    bench.tools = [tool('file_read', () => hold.opened.then(() => 'slow'))];
    bench.provider.answer([{ call: 'file_read' }]);
    const run = await bench.create();
    await run.submit('first');
    await until(() => bench.provider.requests.length === 1 && bench.provider.open === 0);
    const closed = run.close();
    const { done } = await run.submit('after');
    hold.open();
    await closed;
    assert.equal(await done, 'cancelled');
    assert.deepEqual([bench.returned(), bench.provider.requests.length], [['after'], 1]);
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
    assert.deepEqual([bench.returned(), run.queue, run.state], [['2'], [], 'idle']);
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

  it('has every one of five prompts, sent at any moments, once and in order: in the log, or handed back (T9)', async function () {
    this.timeout(60_000);
    bench.person.answers.push(...Array.from({ length: 1000 }, () => () => wait(2, { answer: 'once' as const })));
    bench.provider.otherwise = ({ messages }) => {
      const { role, content } = messages.at(-1)!;
      return role === 'user' ? ANSWERS[content.split(': ')[1] as keyof typeof ANSWERS] : ['done'];
    };
    const rounds = fc.sample(round, 200);
    while (rounds.length > 0) await Promise.all(rounds.splice(0, 20).map(play));
  });

  const play = async (round: Round) => {
    const run = await bench.engine.create();
    const prompts = round.answers.map((answer, index) => `${index}: ${answer}`);
    const returned: string[] = [];
    run.subscribe((event) => {
      if (event.type === 'returned') returned.push(...event.text.split('\n\n'));
    });
    const stopped = round.stop === undefined ? undefined : wait(round.stop).then(() => run.stop());
    const sent = [];
    for (const [index, prompt] of prompts.entries()) {
      if (index > 0) await wait(round.gaps[index]);
      sent.push(run.submit(prompt));
    }
    const statuses = await Promise.all(sent.map(async (submitted) => (await submitted).done));
    await stopped;
    await until(() => run.state === 'idle');

    const session = await bench.onDisk(run);
    const logged = session.turns.map(({ parts }) =>
      parts
        .filter((part) => isKind(part, 'user'))
        .map(({ text }) => text)
        .join(),
    );
    const report = JSON.stringify({ round, logged, returned, statuses });
    assert.deepEqual(logged, [...logged].sort(), report);
    assert.deepEqual([...logged, ...returned].sort(), prompts, report);
    if (round.stop === undefined) assert.deepEqual(returned, [], report);
    assert.deepEqual(session, run.session);
    assert.deepEqual(faultsOf(session), [], report);
  };
});
