import assert from 'node:assert/strict';

import { similarityTo } from '../../../src/text/similarity.ts';
import { MOST_COMPARED, noMatch } from '../../../src/tools/noMatch.ts';

describe('what a model is told whose text is not in the file', () => {
  function told(text: string, old: string): { answer: string; lines: number; characters: number } {
    let lines = 0;
    let characters = 0;
    const counting = (wanted: string) => {
      const alikeness = similarityTo(wanted);
      return (line: string) => {
        lines += 1;
        characters += line.length;
        return alikeness(line);
      };
    };
    return { answer: noMatch('a.txt', text, old, counting), lines, characters };
  }

  it('compares no more of a huge file of like lines than it may', () => {
    const line = 'const value = compute(12345678, "some text that is the same in each of them");\n';
    for (const piece of [line, `${'x'.repeat(150)}${line}`, 'value(1)\n']) {
      const text = piece.repeat(Math.ceil(18_000_000 / piece.length));
      const { answer, characters } = told(text, piece.replace('1', '8'));
      assert.match(answer, /nearest lines are:\n1\t/);
      assert.ok(characters <= MOST_COMPARED && characters > MOST_COMPARED / 2, `${characters}`);
    }
  });

  it('compares no line that its length rules out, and none after one that is the same', () => {
    const { answer, lines } = told('a\n'.repeat(1000) + 'the wanted line\n'.repeat(1000), 'THE WANTED LINE');
    assert.match(answer, /nearest lines are:\n1001\t/);
    assert.equal(lines, 1);
  });
});
