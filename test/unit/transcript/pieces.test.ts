import assert from 'node:assert/strict';

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';

import { cut, excerpt, markdownOf, plainOf, type Piece } from '../../../src/transcript/pieces.ts';
import { asParsed, hostileText } from './hostileText.ts';

const parser = new MarkdownIt('commonmark');

describe('transcript/pieces', () => {
  it('sets headings and preformatted text in Markdown that no text can break', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (title, first, second) => {
        const pieces: Piece[] = [{ text: title, style: 'heading' }, { text: first }, { text: second, style: 'dim' }];
        const tokens = parser.parse(markdownOf(pieces), {});
        assert.deepEqual(
          tokens.map(({ type }) => type),
          ['paragraph_open', 'inline', 'paragraph_close', 'fence'],
        );
        assert.equal(tokens[3]!.content, `${asParsed(`${first}\n${second}`)}\n`);
      }),
    );
  });

  it('lets a terminal decide how each piece looks', () => {
    const pieces: Piece[] = [{ text: '#1' }, { text: 'thought', style: 'dim' }];
    assert.equal(plainOf(pieces), '#1\nthought\n');
    assert.equal(
      plainOf(pieces, ({ text, style }) => (style === 'dim' ? `(${text})` : text)),
      '#1\n(thought)\n',
    );
  });

  it('cuts at code points, and counts those that are left', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(12), (text, most) => {
        const points = [...text];
        assert.deepEqual(cut(text, most), {
          text: points.slice(0, most).join(''),
          more: Math.max(0, points.length - most),
        });
      }),
    );
  });

  it('shows the beginning of a text on one line', () => {
    assert.equal(excerpt(' a\n\n b\t', 10), 'a b');
    assert.equal(excerpt('abcdef', 3), 'abc…');
    assert.equal(excerpt(`a${' '.repeat(100)}b`, 3), 'a…');
  });
});
