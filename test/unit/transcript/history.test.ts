import assert from 'node:assert/strict';

import type { Session } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { history, type HistoryOptions } from '../../../src/transcript/history.ts';
import { collected } from './collected.ts';
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
  const pieces = (of: Session, options?: HistoryOptions) => collected(history(streamOf(of), options));
  const lines = async (of: Session, options?: HistoryOptions) => (await pieces(of, options)).map(({ text }) => text);

  it('gives each turn a line: index, status, duration, tool count, prompt', async () => {
    assert.deepEqual(await lines(session), [
      '#1  [ok]  5.5s  2 tools  search for it',
      `#2  [running]  -  1 tool  ${'🙂'.repeat(100)}…`,
      '#3  [ok]  -  no tools  /model a/b',
      '#4  [cancelled]  1m 35s  no tools  -',
    ]);
  });

  it('shows the last 10, or as many as are asked for, under their own numbers', async () => {
    const many = sessionOf(Array.from({ length: 25 }, () => ({})));
    const indexes = async (count?: number | 'all') =>
      (await lines(many, count === undefined ? {} : { count })).map((line) => Number(/^#(\d+) /.exec(line)![1]));
    assert.deepEqual(await indexes(), [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    assert.deepEqual(await indexes(3), [23, 24, 25]);
    assert.equal((await indexes(100)).length, 25);
    assert.equal((await indexes('all')).length, 25);
    assert.deepEqual(await lines(sessionOf([])), ['No turns yet.']);
  });

  it('shows the first line of the thinking, or all of it, dim', async () => {
    assert.deepEqual((await pieces(session, { thoughts: 'excerpt' })).slice(0, 2), [
      { text: '#1  [ok]  5.5s  2 tools  search for it' },
      { text: '    First line.', style: 'dim' },
    ]);
    const dim = (await pieces(session, { thoughts: 'all' })).filter(({ style }) => style === 'dim');
    assert.deepEqual(
      dim.map(({ text }) => text),
      ['    \n    First line.\n    Second line.', '    More.'],
    );
  });

  it('says nothing of a duration when the clock went back, and rounds to the next unit', async () => {
    const between = async (from: string, to: string) =>
      /\]  (.*?)  no tools/.exec((await lines(sessionOf([{ started_at: from, ended_at: to }])))[0]!)![1];
    assert.equal(await between('2026-08-17T12:00:00Z', '2026-08-17T11:59:59Z'), '-');
    assert.equal(await between('2026-08-17T12:00:00Z', '2026-08-17T12:00:59.960Z'), '1m 0s');
    assert.equal(await between('2026-08-17T12:00:00Z', '2026-08-17T12:59:59.9Z'), '1h 0m');
    assert.equal(await between('2026-08-17T12:00:00Z', '2026-08-17T14:01:00Z'), '2h 1m');
    assert.equal(await between('yesterday', '2026-08-17T14:01:00Z'), '-');
  });

  it('puts the line first, also of a turn whose thinking stands before its prompt', async () => {
    const turn = {
      parts: [part('thinking', { text: 'Hm.' }), part('user', { text: 'go' }), part('user', { text: 'on' })],
    };
    assert.deepEqual(await lines(sessionOf([turn, {}]), { thoughts: 'all' }), [
      '#1  [ok]  -  no tools  go',
      '    Hm.',
      '#2  [ok]  -  no tools  -',
    ]);
  });

  it('gives what it has without reading on (E4)', async () => {
    let read = 0;
    const stream = streamOf(sessionOf(Array.from({ length: 100 }, () => ({}))));
    const counted = {
      ...stream,
      async *items() {
        for await (const item of stream.items()) {
          read++;
          yield item;
        }
      },
    };
    for await (const { text } of history(counted, { count: 'all' })) if (text.startsWith('#3 ')) break;
    assert.equal(read, 4);
  });
});
