import assert from 'node:assert/strict';
import fc from 'fast-check';

import { CommandOutput } from '../../../src/tools/commandOutput.ts';

const piece = fc.string({ unit: fc.constantFrom('a', '\n', '😀', '🇩🇪', '👨‍👩‍👧'), maxLength: 60 });

function collect(pieces: readonly string[], room: number): string {
  const output = new CommandOutput(room);
  for (const text of pieces) output.push(text);
  return output.text();
}

describe('command output', () => {
  it('is never longer than its room, never cut inside a character, and counts what it left out', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 200, max: 600 }), (pieces, room) => {
        const whole = pieces.join('');
        const text = collect(pieces, room);
        assert.ok([...text].length <= room, `${[...text].length} of ${room}`);
        assert.doesNotMatch(text, /\p{Surrogate}/u);
        const remark = /\n\[(\d+) characters \((\d+) lines\) left out here; [^\]]*\]\n/.exec(text);
        if (remark === null) {
          assert.equal(text, whole);
          return;
        }
        const head = text.slice(0, remark.index);
        const tail = text.slice(remark.index + remark[0].length);
        assert.ok(whole.startsWith(head) && whole.endsWith(tail));
        const omitted = whole.slice(head.length, whole.length - tail.length);
        assert.deepEqual([Number(remark[1]), Number(remark[2])], [[...omitted].length, omitted.split('\n').length - 1]);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same however the output was cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        assert.equal(collect(pieces, 300), collect([pieces.join('')], 300));
      }),
    );
  });

  it('gives an emoji on each cutting point of its bound whole or not at all', () => {
    for (const emoji of ['😀', '🇩🇪', '👨‍👩‍👧'])
      for (let length = 500 - 10; length <= 500 + 10; length++) {
        const text = collect([emoji.repeat(length)], 500);
        assert.ok([...text].length <= 500);
        assert.doesNotMatch(text, /\p{Surrogate}/u);
      }
  });
});
