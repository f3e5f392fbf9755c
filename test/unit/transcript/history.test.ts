import assert from 'node:assert/strict';

import { history } from '../../../src/transcript/history.ts';
import { AT, part, sessionOf } from './logs.ts';

describe('transcript/history', () => {
  const session = sessionOf([
    {
      started_at: AT,
      ended_at: '2026-08-17T12:00:05.623+00:00',
      parts: [
        part('user', { text: 'search\n  for it' }),
        part('thinking', { text: '\nFirst line.\nSecond line.' }),
        part('tool', { name: 'file_search', input: {} }),
        part('thinking', { text: 'More.' }),
        part('tool', { name: 'file_read', input: {} }),
      ],
    },
    {
      status: 'running',
      started_at: AT,
      parts: [part('user', { text: '🙂'.repeat(200) }), part('tool', { name: 'x', input: {} })],
    },
    { parts: [part('command', { text: '/model a/b' })] },
    { status: 'cancelled', started_at: AT, ended_at: '2026-08-17T12:01:35+00:00', parts: [] },
  ]);
  const lines = (...given: Parameters<typeof history>) => history(...given).map(({ text }) => text);

  it('gives each turn a line: index, status, duration, tool count, prompt', () => {
    assert.deepEqual(lines(session), [
      '#1 [ok] 5.5s 2 tools search for it',
      `#2 [running] - 1 tool ${'🙂'.repeat(100)}…`,
      '#3 [ok] - no tools /model a/b',
      '#4 [cancelled] 1m 35s no tools -',
    ]);
  });

  it('shows the last 10, or as many as are asked for, under their own numbers', () => {
    const many = sessionOf(Array.from({ length: 25 }, () => ({})));
    const indexes = (count?: number | 'all') =>
      lines(many, count === undefined ? {} : { count }).map((line) => Number(/^#(\d+) /.exec(line)![1]));
    assert.deepEqual(indexes(), [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    assert.deepEqual(indexes(3), [23, 24, 25]);
    assert.equal(indexes(100).length, 25);
    assert.equal(indexes('all').length, 25);
    assert.deepEqual(lines(sessionOf([])), ['No turns yet.']);
  });

  it('shows the first line of the thinking, or all of it, dim', () => {
    assert.deepEqual(history(session, { thoughts: 'excerpt' }).slice(0, 2), [
      { text: '#1 [ok] 5.5s 2 tools search for it' },
      { text: '    First line.', style: 'dim' },
    ]);
    const dim = history(session, { thoughts: 'all' }).filter(({ style }) => style === 'dim');
    assert.deepEqual(
      dim.map(({ text }) => text),
      ['    \n    First line.\n    Second line.', '    More.'],
    );
  });

  it('says nothing of a duration when the clock went back, and rounds to the next unit', () => {
    const between = (from: string, to: string) =>
      /\] (.*?) no tools/.exec(lines(sessionOf([{ started_at: from, ended_at: to }]))[0]!)![1];
    assert.equal(between('2026-08-17T12:00:00Z', '2026-08-17T11:59:59Z'), '-');
    assert.equal(between('2026-08-17T12:00:00Z', '2026-08-17T12:00:59.960Z'), '1m 0s');
    assert.equal(between('2026-08-17T12:00:00Z', '2026-08-17T12:59:59.9Z'), '1h 0m');
    assert.equal(between('2026-08-17T12:00:00Z', '2026-08-17T14:01:00Z'), '2h 1m');
    assert.equal(between('yesterday', '2026-08-17T14:01:00Z'), '-');
  });
});
