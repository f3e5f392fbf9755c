import assert from 'node:assert/strict';
import fc from 'fast-check';

import { codePointLength, oneLine, shorten, takeEnd, takeStart } from '../../../src/text/codePoints.ts';

/** Text with emoji, flags and joined families in it. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('😀', '🇩🇪', '👨‍👩‍👧', 'é', '\n'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
});
const HALF = /\p{Surrogate}/u;

describe('code points', () => {
  it('takes as many as asked, from either end, and never half of one', () => {
    fc.assert(
      fc.property(text, fc.nat(30), (whole, count) => {
        const points = [...whole];
        assert.equal(codePointLength(whole), points.length);
        assert.equal(takeStart(whole, count), points.slice(0, count).join(''));
        assert.equal(takeEnd(whole, count), points.slice(Math.max(0, points.length - count)).join(''));
        assert.doesNotMatch(takeStart(whole, count) + takeEnd(whole, count), HALF);
      }),
    );
  });

  it('shortens to at most the bound, and marks what is cut', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (whole, count) => {
        const short = shorten(whole, count);
        assert.ok([...short].length <= count);
        assert.equal(short === whole, [...whole].length <= count);
        if (short !== whole) assert.ok(short.endsWith('…'));
      }),
    );
  });

  it('puts a title on one line', () => {
    assert.equal(oneLine('  npm run\n\tbuild  '), 'npm run build');
    assert.equal(oneLine('abcdef', 4), 'abc…');
  });
});
