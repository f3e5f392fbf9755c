import assert from 'node:assert/strict';

import { callsOf, Bench, noAnswer, silence, until } from '../../support/engine.ts';
import { faultsOf } from '../../support/documentedRecord.ts';

describe('agent/engine, when the window goes away', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  it('leaves the turn to be taken up as after a crash, with all that had arrived (R9)', async () => {
    bench.provider.answer(['Half an answer', silence]);
    const run = await bench.create('notes');
    const { done } = await run.submit('Go.');
    await run.submit('And then this.');
    await until(() => run.session.turns[0]!.parts.length === 2);
    await bench.engine.suspend();
    assert.equal(await done, 'cancelled');
    assert.equal(bench.provider.requests.length, 1);
    assert.deepEqual(
      run.queue.map(({ text }) => text),
      ['And then this.'],
      'kept for whoever mirrors it',
    );
    assert.equal((await bench.onDisk(run)).turns[0]!.status, 'running');

    bench.restart();
    const again = await bench.open('notes');
    assert.equal(again.interrupted, 'Go.');
    const session = await bench.onDisk(again);
    assert.deepEqual(
      session.turns.map(({ status, parts }) => [status, parts.map(({ type }) => type)]),
      [['cancelled', ['user', 'text', 'system']]],
    );
    assert.deepEqual(faultsOf(session), []);
  });

  it('withdraws what was being asked, and the tool does not run', async () => {
    bench.person.answers.push(noAnswer);
    bench.provider.answer([{ call: 'file_write' }]);
    const run = await bench.create('notes');
    await run.submit('Go.');
    await until(() => run.state === 'asking');
    await bench.engine.suspend();
    bench.restart();
    const session = (await bench.open('notes')).session;
    assert.deepEqual(
      session.permissions.map(({ decision, by }) => [decision, by]),
      [['declined', 'withdrawn']],
    );
    assert.equal(callsOf(session)[0]!.is_error, true);
    assert.equal(session.turns[0]!.status, 'cancelled');
  });

  it('sends nothing of the queue when the turn ended by itself at that moment', async () => {
    bench.provider.answer(['Done.']);
    const run = await bench.create('notes');
    await run.submit('Go.');
    await run.submit('And then this.');
    const suspended = bench.engine.suspend();
    await suspended;
    assert.equal(bench.provider.requests.length <= 1, true);
    assert.deepEqual(
      run.queue.map(({ text }) => text),
      ['And then this.'],
    );
  });
});
