import assert from 'node:assert/strict';
import fc from 'fast-check';

import { toLayout } from '../../../src/session/foreign.ts';
import { SECTIONS } from '../../../src/session/layout.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { Tail } from '../../../src/session/tail.ts';
import { wellFormed } from '../../../src/session/wellFormed.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';

describe('session/tail', () => {
  it('is with the front the whole record after any event, and the front only grows', () => {
    fc.assert(
      fc.property(legalEvents(), fc.array(fc.boolean(), { maxLength: 40 }), (events, advances) => {
        const session = sessionOf([]);
        const tail = new Tail(session.updated_at, new Map(SECTIONS.map((section) => [section, []])), false);
        let front = toLayout(JSON.stringify(session)).split('\n],', 1)[0] as string;
        for (const [position, given] of events.entries()) {
          // As the session's file does it.
          const event = wellFormed(given);
          tail.apply(event);
          reduce(session, event);
          const { bytes, advance } = tail.render();
          assert.deepEqual(JSON.parse(front + bytes.toString()), session);
          if (advances[position] !== true) continue;
          const whole = front + bytes.toString();
          front += bytes.subarray(0, advance.bytes).toString();
          tail.advance(advance);
          // Nothing changes by that, and there is nothing more to take.
          const again = tail.render();
          assert.equal(front + again.bytes.toString(), whole);
          assert.deepEqual([again.advance.bytes, again.advance.turns, again.advance.parts], [0, 0, 0]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves in the end what can still change, alone', () => {
    const at = 't';
    const tail = new Tail(at, new Map(), false);
    const end = () => {
      const { bytes, advance } = tail.render();
      tail.advance(advance);
      return bytes.subarray(advance.bytes).toString();
    };
    tail.apply({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [] } });
    tail.apply({ type: 'part_added', at, part: { type: 'user', text: 'PROMPT', timestamp: at } });
    assert.doesNotMatch(end(), /PROMPT/);
    tail.apply({ type: 'part_added', at, part: { type: 'text', text: 'ANSWER', timestamp: at } });
    assert.match(end(), /ANSWER/);
    for (const name of ['FIRST', 'SECOND'])
      tail.apply({ type: 'part_added', at, part: { type: 'tool', name, input: {}, timestamp: at } });
    assert.doesNotMatch(end(), /ANSWER/);
    // The second is done first, but the first stands before it.
    tail.apply({ type: 'part_filled', at, part: 3, fill: { output: 'x' } });
    assert.match(end(), /FIRST[^]*SECOND/);
    tail.apply({ type: 'part_filled', at, part: 2, fill: { output: 'x' } });
    assert.doesNotMatch(end(), /FIRST|SECOND/);
    tail.apply({ type: 'turn_ended', at, status: 'ok' });
    assert.doesNotMatch(end(), /status/);
  });
});
