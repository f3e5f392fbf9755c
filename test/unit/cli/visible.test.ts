import assert from 'node:assert/strict';

import fc from 'fast-check';

import { plainJson, VisiblePieces } from '../../../src/cli/visible.ts';
import { visible } from '../../../src/session/visible.ts';

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'é',
      '\r',
      '\n',
      '\t',
      '\u001b',
      '\u009b',
      '\u202e',
      '\u200d',
      '👩',
      '💻',
      '🏴',
      '\u{e0067}',
      '\u{e007f}',
    ),
  )
  .map((points) => points.join(''));

describe('cli/visible', () => {
  it('shows a text that comes in pieces as it shows the whole', () => {
    fc.assert(
      fc.property(fc.array(text), (pieces) => {
        const shown = new VisiblePieces();
        const all = pieces.map((piece) => shown.push(piece)).join('') + shown.end();
        assert.equal(all, visible(pieces.join('')));
      }),
    );
  });

  it('holds back only what the next piece can change', () => {
    const shown = new VisiblePieces();
    assert.deepEqual(
      ['👩', '\u200d', '💻 a\r', '\nb', '\r'].map((piece) => shown.push(piece)),
      ['👩', '', '\u200d💻 a', '\nb', ''],
    );
    assert.equal(shown.end(), '⟨U+000D⟩');
  });

  it('writes JSON that no terminal obeys, and that says the same', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (value) => {
        const json = plainJson({ [value]: value });
        assert.doesNotMatch(json, /[\p{Cc}\p{Cf}\u2028\u2029]/u);
        assert.deepEqual(JSON.parse(json), { [value]: value });
      }),
    );
  });
});
