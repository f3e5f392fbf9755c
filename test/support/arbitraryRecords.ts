/** Random logs and events for the laws of the record: what any program may have written, and what the engine may append. */
import fc from 'fast-check';

import type { PartFill, SessionEvent } from '../../src/session/events.ts';
import { TURN_STATUSES, type Part, type Session, type Turn, type TurnStatus } from '../../src/session/schema.ts';

/** Forms that are in use, in no order: clocks are set back, and several entries share one instant. */
const timestamp = fc.constantFrom(
  '2026-08-17T12:00:00.123+00:00',
  '2026-08-17T12:00:00.124+00:00',
  '2026-08-17T11:59:59+00:00',
  '2026-08-17T12:00:01Z',
);

/** Short, with what has gone wrong in the field: nothing, blanks, marks, halves of characters. */
export const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', ' \n', '🙂', 'half \ud83d', '\udc00', '```', '</system>', 'x'.repeat(300)),
);

const jsonObject = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

/** Providers whose data a log may hold; ids come from a small pool, so that some are used twice. */
const providerData = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      provider: fc.constantFrom('mock', 'other'),
      id: fc.constantFrom('a', 'b', 'call_1_2', 'call_2_2', '', 7),
      signature: text,
    },
    { requiredKeys: [] },
  ),
);

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('user' as const), text, timestamp }),
  fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const), text, timestamp }),
  fc.record({
    type: fc.constantFrom('text' as const, 'thinking' as const),
    text,
    timestamp,
    provider_data: providerData,
  }),
  fc.record(
    {
      type: fc.constant('tool' as const),
      name: fc.constantFrom('file_read', 'run_command', 'gone'),
      input: jsonObject,
      output: text,
      is_error: fc.boolean(),
      analysis: text,
      timestamp,
      round: fc.integer({ min: 1, max: 3 }),
      provider_data: providerData,
    },
    { requiredKeys: ['type', 'name', 'input', 'timestamp'] },
  ),
  fc.record({
    type: fc.constant('command' as const),
    text: fc.constantFrom('/model a/b', '/compact', '/x'),
    timestamp,
  }),
  fc.record(
    {
      type: fc.constant('system' as const),
      text,
      timestamp,
      kind: fc.constantFrom('reminder', 'resume', 'notice', 'from a newer version'),
    },
    { requiredKeys: ['type', 'text', 'timestamp'] },
  ),
  fc.record({ type: fc.constantFrom('image', 'x_custom'), data: fc.jsonValue({ maxDepth: 1 }), timestamp }),
);

const compaction: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('command' as const),
  text: fc.constant('/compact'),
  summary: text,
  compact_from: fc.integer({ min: 1, max: 8 }),
  timestamp,
});

const turn: fc.Arbitrary<Turn> = fc.record(
  {
    index: fc.constant(1),
    started_at: timestamp,
    ended_at: timestamp,
    status: fc.constantFrom(...TURN_STATUSES),
    model: fc.constantFrom('m', 'n'),
    provider: fc.constantFrom('mock', 'other'),
    mode: fc.constantFrom('build', 'plan', 'gone'),
    reasoning: fc.constantFrom(false, 'off', 'high'),
    parts: fc.array(fc.oneof({ weight: 20, arbitrary: part }, { weight: 1, arbitrary: compaction }), { maxLength: 7 }),
    x_turn: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: ['index', 'status', 'parts'] },
);

/** A session around `turns`, the way a file of another program may hold it. */
export function sessionOf(turns: Turn[], more: Partial<Session> = {}): Session {
  return {
    created_at: '2026-08-17T12:00:00+00:00',
    parent_id: '',
    role: '',
    session_id: '',
    session_name: 'notes',
    version: '0.1.0',
    turns,
    errors: [],
    permissions: [],
    sub_sessions: [],
    updated_at: '2026-08-17T12:00:00+00:00',
    ...more,
  };
}

/** Any log: turns in any state with any parts, as a crash, another program or a hand may have left it. */
export const anySession: fc.Arbitrary<Session> = fc
  .array(turn, { maxLength: 6 })
  .map((turns) => plain(sessionOf(turns.map((turn, position) => ({ ...turn, index: position + 1 })))));

/** What happens next, as far as the session allows it. */
type Wish =
  | { kind: 'turn' | 'error' | 'permission' | 'sub_session' }
  | { kind: 'part'; part: Part }
  | { kind: 'extend' | 'output'; text: string; is_error: boolean }
  | { kind: 'end'; status: Exclude<TurnStatus, 'running'> };

const wish: fc.Arbitrary<Wish> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('turn' as const, 'error' as const, 'permission' as const, 'sub_session' as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('part' as const), part }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('extend' as const, 'output' as const), text, is_error: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      status: fc.constantFrom(
        'ok' as const,
        'error' as const,
        'truncated' as const,
        'empty' as const,
        'cancelled' as const,
      ),
    }),
  },
);

/** Any sequence of events that may follow on a session with `turns` ended turns; with `size` max about 30 of them. */
export function legalEvents(turns = 0, size: fc.SizeForArbitrary = 'small'): fc.Arbitrary<SessionEvent[]> {
  return fc.array(fc.tuple(wish, timestamp), { maxLength: 40, size }).map((wishes) => {
    let index = turns;
    /** Parts of the running turn, by what may still happen to them. */
    let parts: ('open text' | 'open call' | 'done')[] | undefined;
    return plain(wishes).flatMap(([wish, at]): SessionEvent[] => {
      switch (wish.kind) {
        case 'error':
          return [{ type: 'error', at, entry: { code: 0, message: 'no network', timestamp: at } }];
        case 'permission':
          return [
            {
              type: 'permission',
              at,
              entry: { tool: 'file_read', action: 'allow', decision: 'granted', timestamp: at },
            },
          ];
        case 'sub_session':
          return [{ type: 'sub_session', at, name: 'sub_20260817_120100_cd34ef' }];
        case 'turn':
          if (parts !== undefined) return [];
          parts = [];
          return [{ type: 'turn_started', at, turn: { index: ++index, started_at: at, status: 'running', parts: [] } }];
        case 'part': {
          const { type } = wish.part;
          parts?.push(
            type === 'text' || type === 'thinking'
              ? 'open text'
              : type === 'tool' && !('output' in wish.part)
                ? 'open call'
                : 'done',
          );
          return parts === undefined ? [] : [{ type: 'part_added', at, part: wish.part }];
        }
        case 'extend':
          return parts?.at(-1) === 'open text' ? [{ type: 'part_extended', at, text: wish.text }] : [];
        case 'output': {
          const position = parts?.indexOf('open call') ?? -1;
          if (parts === undefined || position === -1) return [];
          parts[position] = 'done';
          const fill: PartFill = { output: wish.text };
          return [{ type: 'part_filled', at, part: position, fill }];
        }
        case 'end':
          if (parts === undefined) return [];
          parts = undefined;
          return [{ type: 'turn_ended', at, status: wish.status }];
      }
    });
  });
}

/** As it comes out of a file: no prototype-less objects, no negative zero. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
