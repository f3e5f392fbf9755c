import assert from 'node:assert/strict';
import fc from 'fast-check';

import { wellFormed } from '../../../src/session/wellFormed.ts';
import { Pieces, shorten } from '../../../src/providers/wellFormed.ts';

/** Any UTF-16 units, lone halves among them. */
const units = fc.string({ unit: fc.constantFrom('a', 'é', '\uD83D', '\uDE00', '\uFFFD', '世'), maxLength: 30 });

describe('providers/wellFormed', () => {
  it('joins pieces without cutting a code point, whatever the cuts', () => {
    fc.assert(
      fc.property(fc.array(units), (texts) => {
        const pieces = new Pieces();
        const said = [...texts.map((text) => pieces.push(text)), pieces.end()];
        assert.equal(said.join(''), texts.join(''));
        assert.equal(said.map((piece) => piece.toWellFormed()).join(''), texts.join('').toWellFormed());
      }),
    );
  });

  it('holds a first half back until the second one comes', () => {
    const pieces = new Pieces();
    assert.equal(pieces.push('Hi \uD83D'), 'Hi ');
    assert.equal(pieces.push('\uDE00!'), '😀!');
    assert.equal(pieces.end(), '');
  });

  it('replaces lone halves everywhere in a value, and nothing else', () => {
    const value = { a: ['x\uD83D', { b: '😀', ['k\uDE00']: null }], n: 1, t: true };
    assert.deepEqual(wellFormed(value), { a: ['x\uFFFD', { b: '😀', ['k\uFFFD']: null }], n: 1, t: true });
  });

  it('shortens at code points', () => {
    assert.equal(shorten('😀😀😀', 2), '😀😀…');
    assert.equal(shorten('😀😀', 2), '😀😀');
    assert.equal(shorten('x'.repeat(100_000), 3), 'xxx…');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
        const short = shorten(text, most);
        assert.ok(short.isWellFormed());
        assert.ok(short === text ? Array.from(text).length <= most : Array.from(short).length === most + 1);
      }),
    );
  });
});
