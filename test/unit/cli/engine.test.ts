import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';

import { closing } from '../../../src/cli/engine.ts';
import { EXIT, UsageError } from '../../../src/cli/usage.ts';

describe('cli/engine', () => {
  const first = new UsageError('The first error.');
  const fault = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const said =
    'The file of the session "notes" could not be put in order: the disk is full (ENOSPC). ' +
    'What was saved stands in its journal; whoever opens it next goes on from there.';

  /** An engine whose last turn failed with `message`, if it did. */
  const engine = (close: () => Promise<void>, message?: string) => {
    const errors = message === undefined ? [] : [{ code: 0, message, timestamp: '' }];
    return { runs: () => [{ name: 'notes', session: { errors } }], close };
  };
  const refuses = () => Promise.reject(fault);
  const closes = () => Promise.resolve();

  /** What came of it, and what was said on the way. */
  async function outcome(closed: ReturnType<typeof engine>, work: () => Promise<number>): Promise<[unknown, string]> {
    const stderr = new PassThrough();
    const result = await closing(closed, work, stderr).catch((error: unknown) => error);
    return [result, String(stderr.read() ?? '')];
  }

  it('closes the engine after the work, and throws what came first when both fail', async () => {
    const fails = () => Promise.reject(first);
    const works = () => Promise.resolve(EXIT.ok);
    assert.deepEqual(await outcome(engine(closes), works), [EXIT.ok, '']);
    assert.deepEqual(await outcome(engine(closes), fails), [first, '']);
    assert.deepEqual(await outcome(engine(refuses), fails), [first, `polyglav: ${said}\n`]);
    const [error] = await outcome(engine(refuses), works);
    assert.ok(error instanceof Error && error.name === 'Error', 'something was done, so it is no wrong use');
    assert.equal(error.message, said);
  });

  it('does not tell again that the turn could not be saved', async () => {
    const told = engine(refuses, `The session could not be saved: ${fault.message}. The turn was stopped.`);
    assert.deepEqual(await outcome(told, () => Promise.resolve(EXIT.failed)), [EXIT.failed, '']);
    // An error of that kind from long ago is no excuse.
    assert.match(String((await outcome(told, () => Promise.resolve(EXIT.ok)))[0]), /could not be put in order/);
    const other = engine(refuses, 'The key is wrong.');
    assert.match(String((await outcome(other, () => Promise.resolve(EXIT.failed)))[0]), /could not be put in order/);
  });
});
