import assert from 'node:assert/strict';
import fc from 'fast-check';

import { toLayout } from '../../../src/session/foreign.ts';
import { json, renderHeader, SECTIONS } from '../../../src/session/layout.ts';
import { LayoutParser } from '../../../src/session/layoutParser.ts';
import { LineSplitter } from '../../../src/session/lines.ts';
import { RecordBuilder } from '../../../src/session/record.ts';
import type { Session, Turn } from '../../../src/session/schema.ts';
import { Tail } from '../../../src/session/tail.ts';
import { wellFormed } from '../../../src/session/wellFormed.ts';
import { anySession } from '../../support/arbitraryRecords.ts';

/** The record as a visitor sees it, put together again. */
function read(text: string): { session: Session; tail: string; front: number } {
  const builder = new RecordBuilder('notes');
  const parser = new LayoutParser(builder);
  const splitter = new LineSplitter(parser.take);
  splitter.push(Buffer.from(text));
  splitter.finish();
  parser.finish();
  const { tail, front } = builder.ending();
  return { session: builder.session, tail: tail.render().bytes.toString(), front };
}

const SPACES = fc.constantFrom(undefined, 1, '\t', '  ');

describe('session/layout', () => {
  it('holds exactly the session, from whatever layout it came, and is the same made again', () => {
    fc.assert(
      fc.property(anySession, SPACES, fc.boolean(), (session, space, crlf) => {
        const foreign = JSON.stringify(session, null, space);
        const text = toLayout(crlf ? foreign.replaceAll('\n', '\r\n') : foreign);
        assert.deepEqual(JSON.parse(text), JSON.parse(foreign));
        assert.deepEqual(read(text).session, {
          ...(wellFormed(JSON.parse(foreign)) as Session),
          session_name: 'notes',
        });
        assert.equal(toLayout(text), text);
      }),
    );
  });

  it('is a front that never changes and an end that can be made again', () => {
    fc.assert(
      fc.property(anySession, (session) => {
        const text = toLayout(JSON.stringify(session));
        const { tail, front } = read(text);
        assert.equal(Buffer.from(text).subarray(front).toString(), tail);
      }),
    );
  });

  it('keeps each entry in its own text: numbers that JavaScript would write otherwise survive (R2)', () => {
    const part = '{"type":"tool","name":"t","input":{"a":1.0,"b":12345678901234567890,"b":2e3},"timestamp":"t"}';
    const text = `{"turns":[{"parts":[${part}],"status":"ok","index":1}],"session_name":"x","session_id":""}`;
    assert.ok(toLayout(text).includes(`\n${part}\n`));
  });

  it('begins with what never changes, and ends a turn and the file with what does', () => {
    const header = {
      ...{ created_at: 't', parent_id: '', role: '', session_id: '', session_name: 'x', version: '1', workspace: '/p' },
      x_header: 1,
    };
    const tail = new Tail('t', new Map(SECTIONS.map((section) => [section, []])), false);
    const front = renderHeader(new Map(Object.entries(header).map(([key, value]) => [key, json(value)])));
    const turn = {
      ...{ status: 'running', parts: [{ type: 'user', text: 'hi', timestamp: 't' }], mode: 'build', provider: 'demo' },
      ...{ model: 'demo', index: 1, started_at: 't', x_later: 1 },
    } satisfies Turn;
    tail.apply({ type: 'turn_started', at: 't', turn });
    tail.apply({ type: 'turn_ended', at: 't', status: 'ok', usage: { input_tokens: 1 } });
    const text = `${front}${tail.render().bytes.toString()}`;
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
