import assert from 'node:assert/strict';
import fc from 'fast-check';

import { effectiveLimit, outputLimitChars } from '../../../src/context/budget.ts';

describe('context/budget', () => {
  for (const [context_window, max_output_tokens, limit] of [
    [128_000, undefined, 128_000 - 8192],
    [8192, undefined, 8192 - 2048],
    [32_768, undefined, 32_768 - 8192],
    [128_000, 4000, 124_000],
    [4096, 8192, 1],
  ] as const)
    it(`leaves ${limit} of a window of ${context_window} with ${max_output_tokens ?? 'no'} output tokens set (X2)`, () => {
      assert.equal(effectiveLimit({ context_window, max_output_tokens }), limit);
    });

  it('assumes a small window when nobody says how large it is', () => {
    assert.ok(effectiveLimit({}) > 0 && effectiveLimit({}) <= 32_768);
  });

  it('gives one output a sixth of it, and enough to be of use in a tiny window (P1)', () => {
    assert.equal(outputLimitChars(60_000), 40_000);
    fc.assert(fc.property(fc.integer({ min: 1, max: 10_000_000 }), (limit) => outputLimitChars(limit) >= 1000));
  });
});
