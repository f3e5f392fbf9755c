import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';

import { closing } from '../../../src/cli/engine.ts';
import { UsageError } from '../../../src/cli/usage.ts';

describe('cli/engine', () => {
  const first = new UsageError('The first error.');
  const refuses = { close: () => Promise.reject(new Error('The disk is full.')) };
  const closes = { close: () => Promise.resolve() };

  /** What came of it, and what was said on the way. */
  async function outcome(engine: { close(): Promise<void> }, work: () => Promise<string>): Promise<[unknown, string]> {
    const stderr = new PassThrough();
    const result = await closing(engine, work, stderr).catch((error: unknown) => error);
    return [result, String(stderr.read() ?? '')];
  }

  it('closes the engine after the work, and throws what came first when both fail', async () => {
    const fails = () => Promise.reject(first);
    const works = () => Promise.resolve('done');
    assert.deepEqual(await outcome(closes, works), ['done', '']);
    assert.deepEqual(await outcome(closes, fails), [first, '']);
    assert.deepEqual(await outcome(refuses, fails), [
      first,
      'polyglav: The session could not be closed in order: The disk is full.\n',
    ]);
    assert.match(String((await outcome(refuses, works))[0]), /The disk is full/);
  });
});
