import assert from 'node:assert/strict';

import type { Session, Turn } from '../../../src/session/schema.ts';
import { turnPage } from '../../../src/vscode/turnPage.ts';

const time = (minute: number) => new Date(Date.UTC(2026, 7, 17, 12, minute)).toISOString();

function turn(index: number, text = 'x'): Turn {
  const parts = [{ type: 'user', text, timestamp: time(index) }];
  return { index, status: 'ok', started_at: time(index), ended_at: time(index), parts };
}

function session(turns: Turn[]): Session {
  return {
    created_at: time(0),
    parent_id: '',
    role: '',
    session_id: '',
    session_name: 's',
    version: '',
    turns,
    errors: turns.map(({ index }) => ({ code: 0, message: `e${index}`, timestamp: time(index) })),
    permissions: turns.map(({ index }) => ({
      tool: `p${index}`,
      action: 'ask',
      decision: 'granted',
      timestamp: time(0),
      turn: index,
    })),
    sub_sessions: [],
    updated_at: time(0),
  };
}

const many = session(Array.from({ length: 100 }, (_, at) => turn(at + 1)));

describe('a page of turns', () => {
  it('holds the newest thirty, with their errors and permissions', () => {
    const page = turnPage(many);
    assert.equal(page.before, 70);
    assert.deepEqual([page.turns[0]?.index, page.turns.at(-1)?.index], [71, 100]);
    assert.deepEqual([page.errors[0]?.message, page.errors.length], ['e71', 30]);
    assert.deepEqual([page.permissions[0]?.tool, page.permissions.length], ['p71', 30]);
  });

  it('pages back to the first turn without gap or repetition', () => {
    const seen: number[] = [];
    const errors: string[] = [];
    for (let before = many.turns.length; before > 0;) {
      const page = turnPage(many, before);
      seen.unshift(...page.turns.map(({ index }) => index));
      errors.unshift(...page.errors.map(({ message }) => message));
      assert.ok(page.before < before);
      ({ before } = page);
    }
    assert.deepEqual(
      seen,
      many.turns.map(({ index }) => index),
    );
    assert.deepEqual(
      errors,
      many.errors.map(({ message }) => message),
    );
  });

  it('is bounded in size, but never without the last turn', () => {
    const large = session([
      turn(1, 'a'.repeat(1_000_000)),
      turn(2, 'b'.repeat(1_000_000)),
      turn(3, 'c'.repeat(5_000_000)),
    ]);
    assert.deepEqual(
      turnPage(large).turns.map(({ index }) => index),
      [3],
    );
    assert.deepEqual(
      turnPage(large, 2).turns.map(({ index }) => index),
      [2],
    );
  });

  it('takes any position', () => {
    assert.deepEqual(turnPage(many, 0), { turns: [], before: 0, errors: [], permissions: [] });
    assert.equal(turnPage(many, 10_000).before, 70);
    assert.deepEqual(turnPage(session([])).turns, []);
  });

  it('is a copy', () => {
    const live = session([turn(1)]);
    const page = turnPage(live);
    live.turns[0]!.parts.push({ type: 'text', text: 'more', timestamp: time(1) });
    assert.equal(page.turns[0]?.parts.length, 1);
  });

  it('has the error of a turn that does not say when it began', () => {
    const log = session([
      turn(1),
      ...Array.from({ length: 40 }, (_, at) => ({ ...turn(at + 2), started_at: undefined })),
    ]);
    const page = turnPage(log);
    assert.equal(page.before, 11);
    assert.deepEqual(
      page.errors.map(({ message }) => message),
      page.turns.map(({ index }) => `e${index}`),
    );
  });

  it('has the error of a turn during which the clock was set back', () => {
    const log = session([
      turn(1),
      { ...turn(31), ended_at: time(0) },
      ...Array.from({ length: 29 }, (_, at) => turn(at + 32)),
    ]);
    log.errors = [{ code: 0, message: 'no', timestamp: time(0) }];
    assert.equal(turnPage(log).before, 1);
    assert.equal(turnPage(log).errors.length, 1);
    assert.equal(turnPage(log, 1).errors.length, 0);
  });
});
