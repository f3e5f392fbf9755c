import assert from 'node:assert/strict';
import fc from 'fast-check';

import type { SessionEvent } from '../../../src/session/events.ts';
import { reduce } from '../../../src/session/reduce.ts';
import type { Session, Turn } from '../../../src/session/schema.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';

const AT = '2026-08-17T12:00:00.123+00:00';

function fold(session: Session, events: readonly SessionEvent[]): Session {
  return events.reduce(reduce, session);
}

describe('session/reduce', () => {
  it('only grows: what is in the log stays as it is, byte for byte (R5)', () => {
    fc.assert(
      fc.property(legalEvents(), (events) => {
        const session = sessionOf([]);
        for (const event of events) {
          const before = structuredClone(session);
          reduce(session, event);
          assertGrown(before, session);
        }
      }),
    );
  });

  it('folds the newest turns alone to the newest turns of the whole, as the panel does', () => {
    fc.assert(
      fc.property(legalEvents(), legalEvents(), fc.nat(5), (earlier, later, dropped) => {
        const whole = fold(sessionOf([]), [...earlier, ...closing(earlier)]);
        const start = Math.min(dropped, Math.max(whole.turns.length - 1, 0));
        const tail = structuredClone({ ...whole, turns: whole.turns.slice(start) });
        const next = shifted(later, whole.turns.length);
        assert.deepEqual(fold(tail, next).turns, fold(whole, next).turns.slice(start));
      }),
    );
  });

  it('leaves its events as they were, so that each of several readers can fold them', () => {
    fc.assert(
      fc.property(legalEvents(), (events) => {
        const given = structuredClone(events);
        const first = fold(sessionOf([]), events);
        assert.deepEqual(events, given);
        assert.deepEqual(fold(sessionOf([]), events), first);
      }),
    );
  });

  it('lets no half of a character into the record', () => {
    fc.assert(
      fc.property(legalEvents(), (events) => {
        assert.deepEqual(halves(fold(sessionOf([]), events)), []);
      }),
    );
    const session = sessionOf([turn({ parts: [call()] })]);
    reduce(session, {
      type: 'part_filled',
      at: AT,
      part: 0,
      fill: { output: 'cut \ud83d', provider_data: { 'k\udc00': ['\ud83d'] } },
    });
    assert.deepEqual(halves(session), []);
    assert.equal(session.turns[0]!.parts[0]!['output'], 'cut \ufffd');
  });

  it('bumps updated_at with every event, whatever the clock says', () => {
    const session = sessionOf([], { updated_at: '2026-08-18T00:00:00.000+00:00' });
    reduce(session, { type: 'sub_session', at: AT, name: 'sub_20260817_120100_cd34ef' });
    assert.equal(session.updated_at, AT);
  });

  const illegal: [what: string, session: Session, event: SessionEvent][] = [
    [
      'a part without a running turn',
      sessionOf([turn({ status: 'ok' })]),
      { type: 'part_added', at: AT, part: call() },
    ],
    [
      'the end of a turn that ended',
      sessionOf([turn({ status: 'ok' })]),
      { type: 'turn_ended', at: AT, status: 'error' },
    ],
    ['an output in a turn that ended', sessionOf([turn({ status: 'ok', parts: [call()] })]), fill(0, 'x')],
    ['an output at no part', sessionOf([turn({ parts: [call()] })]), fill(1, 'x')],
    ['a second output', sessionOf([turn({ parts: [{ ...call(), output: 'first' }] })]), fill(0, 'second')],
    ['more text after a call', sessionOf([turn({ parts: [call()] })]), { type: 'part_extended', at: AT, text: 'x' }],
    ['more text in an empty turn', sessionOf([turn({})]), { type: 'part_extended', at: AT, text: 'x' }],
    ['a turn beside a running one', sessionOf([turn({})]), started(2)],
    ['a turn that leaves a gap', sessionOf([turn({ status: 'ok' })]), started(3)],
    ['a turn with an index that is taken', sessionOf([turn({ status: 'ok' })]), started(1)],
  ];
  for (const [what, session, event] of illegal)
    it(`refuses ${what} and changes nothing`, () => {
      const before = structuredClone(session);
      assert.throws(() => reduce(session, event));
      assert.deepEqual(session, before);
    });
});

function turn(more: Partial<Turn>): Turn {
  return { index: 1, status: 'running', parts: [], ...more };
}

function call() {
  return { type: 'tool' as const, name: 'file_read', input: {}, timestamp: AT };
}

function fill(part: number, output: string): SessionEvent {
  return { type: 'part_filled', at: AT, part, fill: { output } };
}

function started(index: number): SessionEvent {
  return { type: 'turn_started', at: AT, turn: turn({ index }) };
}

/** Ends the turn that `events` leave running. */
function closing(events: readonly SessionEvent[]): SessionEvent[] {
  const last = events.findLast((event) => event.type === 'turn_started' || event.type === 'turn_ended');
  return last?.type === 'turn_started' ? [{ type: 'turn_ended', at: AT, status: 'ok' }] : [];
}

/** The same events on a session that has `turns` turns already. */
function shifted(events: readonly SessionEvent[], turns: number): SessionEvent[] {
  return events.map((event) =>
    event.type === 'turn_started' ? { ...event, turn: { ...event.turn, index: event.turn.index + turns } } : event,
  );
}

function assertGrown(before: Session, after: Session): void {
  for (const key of ['errors', 'permissions', 'sub_sessions'] as const)
    assert.deepEqual(after[key].slice(0, before[key].length), before[key]);
  assert.ok(after.turns.length >= before.turns.length);
  for (const [position, was] of before.turns.entries()) {
    const is = after.turns[position]!;
    if (was.status !== 'running') assert.equal(JSON.stringify(is), JSON.stringify(was));
    else for (const [at, part] of was.parts.entries()) assertKept(part, is.parts[at]!, at === was.parts.length - 1);
  }
}

/** Each key that was there is still the same; only the text at the end of a turn may have become longer. */
function assertKept(was: object, is: object, last: boolean): void {
  for (const [key, value] of Object.entries(was)) {
    const now: unknown = is[key as keyof typeof is];
    if (last && key === 'text') assert.ok(String(now).startsWith(String(value)));
    else assert.deepEqual(now, value);
  }
}

/** The texts in which a surrogate stands alone, keys included. */
function halves(value: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, item: unknown) => {
    found.push(...[key, item].filter((text): text is string => typeof text === 'string' && !text.isWellFormed()));
    return item;
  });
  return found;
}
