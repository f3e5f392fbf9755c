import assert from 'node:assert/strict';
import fc from 'fast-check';

import { renderSession } from '../../../src/session/layout.ts';
import { parseSession } from '../../../src/session/parse.ts';
import { reduce } from '../../../src/session/reduce.ts';
import { anySession, legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';

const read = (text: string) => parseSession(Buffer.from(text), 'notes').session;
/** Every session in memory came in by a file or by events, which clean it. */
const loaded = anySession.map((session) => read(JSON.stringify(session)));

describe('session/layout', () => {
  it('is JSON of exactly the session, and reading it gives the session again', () => {
    fc.assert(
      fc.property(loaded, (session) => {
        const text = renderSession(session);
        assert.deepEqual(JSON.parse(text), session);
        assert.deepEqual(read(text), session);
        assert.equal(renderSession(read(text)), text);
      }),
    );
  });

  it('has each part, error, permission and sub-session on a line of its own', () => {
    fc.assert(
      fc.property(loaded, legalEvents(0), (session, events) => {
        const grown = events.reduce(reduce, { ...sessionOf([]), workspace: session.session_name });
        for (const each of [session, grown]) {
          const lines = renderSession(each)
            .split('\n')
            .map((line) => line.replace(/,$/, ''));
          for (const item of [
            ...each.turns.flatMap((turn) => turn.parts),
            ...each.errors,
            ...each.permissions,
            ...each.sub_sessions,
          ])
            assert.ok(
              lines.some((line) => line === JSON.stringify(item)),
              JSON.stringify(item),
            );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('begins with what never changes, and ends a turn and the file with what does', () => {
    const session = sessionOf(
      [
        {
          status: 'ok',
          usage: { input_tokens: 1 },
          parts: [{ type: 'user', text: 'hi', timestamp: 't' }],
          mode: 'build',
          provider: 'demo',
          ended_at: 't',
          model: 'demo',
          index: 1,
          started_at: 't',
          x_later: 1,
        },
      ],
      { workspace: '/p', x_header: 1 },
    );
    const text = renderSession(session);
    const keys = Object.keys(JSON.parse(text) as object);
    assert.deepEqual(keys, [
      ...['created_at', 'parent_id', 'role', 'session_id', 'session_name', 'version', 'workspace', 'x_header'],
      ...['turns', 'errors', 'permissions', 'sub_sessions', 'updated_at'],
    ]);
    assert.deepEqual(Object.keys((JSON.parse(text) as { turns: object[] }).turns[0]!), [
      ...['index', 'started_at', 'mode', 'parts', 'x_later', 'model', 'provider', 'usage', 'ended_at', 'status'],
    ]);
    assert.ok(text.endsWith('}\n'));
  });
});
