/** Sessions made by hand. */
import type { Part, Session, Turn } from '../../../src/session/schema.ts';

export const AT = '2026-08-17T12:00:00.123+00:00';

export function sessionOf(turns: Partial<Turn>[], rest: Partial<Session> = {}): Session {
  return {
    created_at: AT,
    parent_id: '',
    role: '',
    session_id: 'ab12cd',
    session_name: 'ses_20260817_120000_ab12cd',
    version: '0.1.0',
    workspace: '/home/me/proj',
    turns: turns.map((turn, index) => ({ index: index + 1, status: 'ok', parts: [], ...turn })),
    errors: [],
    permissions: [],
    sub_sessions: [],
    updated_at: AT,
    ...rest,
  };
}

export function part(type: string, fields: Record<string, unknown>): Part {
  return { type, timestamp: AT, ...fields };
}

/** J03: compacted twice, rewound once, cleared once. Each message is named by its place. */
export function compactedRewoundCleared(): Session {
  const talk = (n: number): Partial<Turn> => ({
    parts: [
      part('user', { text: `prompt ${n}.` }),
      part('thinking', { text: `thought ${n}.` }),
      part('tool', { name: 'file_read', input: { path: `file ${n}.` }, output: `output ${n}.`, is_error: false }),
      part('text', { text: `answer ${n}.` }),
    ],
  });
  const command = (text: string, fields: object): Partial<Turn> => ({ parts: [part('command', { text, ...fields })] });
  return sessionOf([
    talk(1),
    talk(2),
    command('/compact', { summary: 'summary 3.', compact_from: 2 }),
    talk(4),
    command('/rewind 4', { rewind_to: 4, rewind_part: 1 }),
    talk(6),
    command('/clear', { clear: true }),
    talk(8),
    command('/compact', { summary: 'summary 9.', compact_from: 9 }),
    talk(10),
  ]);
}

/** Every message of {@link compactedRewoundCleared}. */
export function messagesOf(session: Session): string[] {
  return session.turns.flatMap((turn) =>
    turn.parts.flatMap((part) =>
      [part['text'], part['output'], part['summary']].filter((text) => typeof text === 'string'),
    ),
  );
}
