import assert from 'node:assert/strict';
import fc from 'fast-check';

import { occurrences } from '../../../src/text/occurrences.ts';

describe('occurrences of a text', () => {
  it('are the same in a long text and in a short one, with and without those inside of each other', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(letters, letters, fc.boolean(), (wanted, end, overlapping) => {
        // Long enough to be searched in the other way.
        const times = 11_000;
        const [text, long] = [`${end}${wanted}${end}${wanted}c`, wanted.repeat(times) + 'c'];
        const few = occurrences(text, wanted, 100, overlapping);
        const filled = `${text}${'d'.repeat(12_000)}`;
        assert.deepEqual(occurrences(filled + long, long, 5, overlapping).slice(0, 1), [(filled + long).indexOf(long)]);
        for (const at of few) assert.equal(text.slice(at, at + wanted.length), wanted);
      }),
      { numRuns: 50 },
    );
    const [wanted, text] = ['ab'.repeat(6000), 'ab'.repeat(12_001)];
    assert.deepEqual(occurrences(text, wanted, 3, true), [0, 2, 4]);
    assert.deepEqual(occurrences(text, wanted, 9, false), [0, 12_000]);
    assert.deepEqual(occurrences('aaaa', 'aa', 9, true), [0, 1, 2]);
    assert.deepEqual(occurrences('aaaa', 'aa', 9, false), [0, 2]);
  });

  it('take no longer for a text that is made to be searched badly', () => {
    const begun = performance.now();
    const wanted = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`;
    assert.deepEqual(occurrences('a'.repeat(5_000_000), wanted, 9, true), []);
    assert.ok(performance.now() - begun < 5000);
  });
});
