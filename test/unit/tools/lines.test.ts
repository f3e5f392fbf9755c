import assert from 'node:assert/strict';
import fc from 'fast-check';

import { joinEndings, mainEnding, replaceAt, splitEndings, type LineEnding } from '../../../src/tools/lines.ts';

const ending = fc.constantFrom<LineEnding>('\n', '\r\n', '\r');
const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀'), maxLength: 4 });
const raw = fc.array(fc.tuple(word, ending), { maxLength: 8 }).map((lines) => lines.flat().join(''));

function replace(text: string, old: string, replacement: string): string {
  const lines = splitEndings(text);
  return joinEndings(replaceAt(lines, [lines.text.indexOf(old)], old.length, replacement, mainEnding(lines.endings)));
}

describe('lines', () => {
  it('comes apart and together again', () => {
    fc.assert(fc.property(raw, (text) => assert.equal(joinEndings(splitEndings(text)), text)));
  });

  it('takes a carriage return and line feed for one ending, and either alone for one', () => {
    assert.deepEqual(splitEndings('a\r\nb\rc\nd'), { text: 'a\nb\nc\nd', endings: ['\r\n', '\r', '\n'] });
    assert.deepEqual(splitEndings('\n\r\n\r').endings, ['\n', '\r\n', '\r']);
  });

  it('knows what most lines end in', () => {
    assert.equal(mainEnding(['\r\n', '\n', '\r\n']), '\r\n');
    assert.equal(mainEnding(['\r', '\r', '\n']), '\r');
    assert.equal(mainEnding(['\r\n', '\n']), '\n');
    assert.equal(mainEnding([]), '\n');
  });

  it('keeps the ending of every line that it does not change, within the stretch too (P1)', () => {
    assert.equal(replace('a\r\nb\nc\rd\n', 'a\nb\nc\nd', 'a\nB\nc\nd'), 'a\r\nB\nc\rd\n');
    assert.equal(replace('a\r\nb\nc\r\nd\r\n', 'a\nb\nc', 'a\nb\nx\nc'), 'a\r\nb\nx\r\nc\r\nd\r\n');
    assert.equal(replace('a\r\nb\nc\r\nd\r\n', 'b\nc\n', ''), 'a\r\nd\r\n');
  });

  it('gives new lines the main ending', () => {
    assert.equal(replace('a\r\nb\r\n', 'b', 'b\nc\nd'), 'a\r\nb\r\nc\r\nd\r\n');
  });

  it('never changes a byte before or after the stretch', () => {
    fc.assert(
      fc.property(raw, raw, raw, fc.array(word, { maxLength: 4 }), (before, old, after, replacement) => {
        // A seam inside a carriage return and line feed is no seam between lines.
        fc.pre(!/\r\n/.test(`${before.slice(-1)}${old.slice(0, 1)} ${(before + old).slice(-1)}${after.slice(0, 1)}`));
        const lines = splitEndings(before + old + after);
        const start = splitEndings(before).text.length;
        const length = splitEndings(old).text.length;
        const result = joinEndings(
          replaceAt(lines, [start], length, replacement.join('\n'), mainEnding(lines.endings)),
        );
        assert.ok(result.startsWith(before) && result.endsWith(after));
        const middle = result.slice(before.length, result.length - after.length);
        assert.equal(splitEndings(middle).text, replacement.join('\n'));
      }),
    );
  });

  it('leaves a carriage return before the stretch when the new text begins with a line break', () => {
    assert.equal(replace('x\ry\n', 'y', '\nz'), 'x\r\r\nz\n');
  });

  it('changes nothing when a stretch is replaced by itself', () => {
    fc.assert(
      fc.property(raw, fc.nat(), fc.nat(), (text, from, length) => {
        const lines = splitEndings(text);
        const start = from % (lines.text.length + 1);
        const size = length % (lines.text.length - start + 1);
        const same = lines.text.slice(start, start + size);
        assert.equal(joinEndings(replaceAt(lines, [start], size, same, mainEnding(lines.endings))), text);
      }),
    );
  });

  it('replaces several stretches at once', () => {
    const lines = splitEndings('x\r\ny\r\nx\r\n');
    assert.equal(joinEndings(replaceAt(lines, [0, 4], 1, '1\n2', '\r\n')), '1\r\n2\r\ny\r\n1\r\n2\r\n');
  });
});
