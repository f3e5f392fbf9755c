import assert from 'node:assert/strict';

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';

import { code, fence, quote } from '../../../src/transcript/blocks.ts';
import { asParsed, hostileText } from './hostileText.ts';

const parser = new MarkdownIt('commonmark');

describe('transcript/blocks', () => {
  it('gives each text in a fence back as one code block, exactly', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (text, next) => {
        const tokens = parser.parse(`${fence(text)}\n${fence(next, 'json')}`, {});
        assert.deepEqual(
          tokens.map(({ type, info, content }) => [type, info, content]),
          [
            ['fence', 'text', `${asParsed(text)}\n`],
            ['fence', 'json', `${asParsed(next)}\n`],
          ],
        );
      }),
    );
  });

  it('uses a fence that is longer than any in the text', () => {
    assert.equal(fence('a'), '```text\na\n```\n');
    assert.equal(fence('````\na'), '`````text\n````\na\n`````\n');
  });

  it('keeps all that a quoted text opens inside the quote', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const tokens = parser.parse(`${quote(text)}\n## Next\n`, {}).filter(({ level }) => level === 0);
        assert.deepEqual(
          tokens.map(({ type }) => type),
          ['blockquote_open', 'blockquote_close', 'heading_open', 'heading_close'],
        );
      }),
    );
  });

  it('loses nothing of a quoted text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = quote(text).slice(0, -1);
        assert.equal(lines.replaceAll(/(^|\r\n|\n|\r)> /g, '$1'), text);
      }),
    );
  });

  it('gives each value back as one code span on one line', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string()), (value) => {
        const span = code(value);
        assert.doesNotMatch(span, /[\r\n]/);
        const inline = parser.parseInline(`a ${span} b`, {})[0]!;
        assert.deepEqual(
          inline.children!.map(({ type }) => type),
          ['text', 'code_inline', 'text'],
        );
      }),
    );
  });

  it('shows backticks, edges and control characters of a value', () => {
    assert.equal(code('a'), '`a`');
    assert.equal(code('a`b'), '``a`b``');
    assert.equal(code('`'), '`` ` ``');
    assert.equal(code('a\nb'), '`a\\nb`');
    assert.equal(code('\u001b[2J\u009b\u202ea'), '`⟨U+001B⟩[2J⟨U+009B⟩⟨U+202E⟩a`');
    assert.equal(code(''), '`""`');
  });
});
