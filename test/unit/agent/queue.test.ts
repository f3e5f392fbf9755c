import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';

import { isKind } from '../../../src/session/schema.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, until, type Step } from '../../support/engine.ts';

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

  it('has every one of five prompts, sent at any moments, once and in order: in the log, or handed back (H01, T9)', async function () {
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
