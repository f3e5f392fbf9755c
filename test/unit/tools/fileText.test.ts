import assert from 'node:assert/strict';
import fc from 'fast-check';

import { decodeText, encodeText, NotTextError } from '../../../src/tools/fileText.ts';

function utf16be(text: string): Buffer {
  return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
}

describe('file text', () => {
  it('gives back the same bytes for every text, encoding and mark (P1)', () => {
    const encodings = fc.constantFrom('utf-8', 'utf-16le', 'utf-16be');
    const texts = fc
      .string({ unit: 'binary' })
      .filter((text) => !text.includes('\0') && !text.startsWith('\uFEFF') && !text.startsWith('%PDF-'));
    fc.assert(
      fc.property(texts, encodings, fc.boolean(), (text, encoding, bom) => {
        const like = { encoding, bom: bom || encoding !== 'utf-8' } as const;
        const bytes = encodeText(text, like);
        assert.deepEqual(decodeText(bytes), { text, ...like, lossy: false });
        assert.deepEqual(encodeText(decodeText(bytes).text, decodeText(bytes)), bytes);
      }),
    );
  });

  it('hides the mark, also in a file with nothing else', () => {
    assert.deepEqual(decodeText(Buffer.from('\uFEFF')), { text: '', encoding: 'utf-8', bom: true, lossy: false });
    assert.equal(decodeText(utf16be('grün')).text, 'grün');
  });

  it('does not change the bytes that it is given', () => {
    const bytes = utf16be('abc');
    const copy = Buffer.from(bytes);
    decodeText(bytes);
    assert.deepEqual(bytes, copy);
  });

  it('says when bytes are no UTF-8', () => {
    const { text, lossy } = decodeText(Buffer.from('le caf\xe9 noir', 'latin1'));
    assert.equal(text, 'le caf\uFFFD noir');
    assert.equal(lossy, true);
  });

  it('takes a real replacement character for what it is', () => {
    assert.equal(decodeText(Buffer.from('\uFFFD\uFFFD')).lossy, false);
  });

  const binaries: [string, Buffer, RegExp][] = [
    ['a text with one NUL', Buffer.from('all text\0but this'), /a binary file/],
    ['a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]), /PNG/],
    ['a PDF, even without a NUL', Buffer.from('%PDF-1.7\nsome text'), /PDF/],
    ['a zip', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), /zip/],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), /program/],
    ['bytes that are mostly no text', Buffer.from([0xc3, 0x28, 0xff, 0xfa, 0x81, 0x90, 0xf1]), /a binary file/],
    ['UTF-16 with half a unit', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]), /UTF-16/],
    ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x3d, 0xd8]), /UTF-16/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), /a binary file/],
  ];
  for (const [name, bytes, kind] of binaries)
    it(`refuses ${name} (P1)`, () => {
      assert.throws(
        () => decodeText(bytes),
        (error: unknown) => error instanceof NotTextError && kind.test(error.message),
      );
    });
});
