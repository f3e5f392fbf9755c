import assert from 'node:assert/strict';

import { sentence } from '../../../src/text/sentence.ts';

describe('text/sentence', () => {
  const ends: [text: string, ended: string][] = [
    ['no space left on device, write', 'no space left on device, write.'],
    ['The folder was removed.', 'The folder was removed.'],
    ['Is the disk full? ', 'Is the disk full?'],
    ['and so on…', 'and so on…'],
  ];
  for (const [text, ended] of ends)
    it(`ends ${JSON.stringify(text)} once`, () => {
      assert.equal(sentence(text), ended);
    });
});
