import assert from 'node:assert/strict';

import type { PanelState } from '../../../src/protocol/messages.ts';
import type { Turn } from '../../../src/session/schema.ts';
import { understand } from '../../../src/providers/demo/requests.ts';
import { announcements, heardOf } from '../../../webview-ui/announcements.ts';
import { EXAMPLES } from '../../../webview-ui/start/examples.ts';
import { between, duration, plural, roughly } from '../../../webview-ui/words.ts';

describe('the words of the panel', () => {
  it('tell a time as a person would', () => {
    const cases = [
      [0, '1s'],
      [3400, '3s'],
      [59_499, '59s'],
      [60_000, '1m'],
      [90_000, '1m 30s'],
      [7_260_000, '2h 1m'],
      [7_200_000, '2h'],
    ] as const;
    for (const [ms, words] of cases) assert.equal(duration(ms), words);
    assert.equal(between('2026-08-17T12:00:00.000+00:00', '2026-08-17T12:00:02.500Z'), 2500);
    assert.equal(between(undefined, 'x'), undefined);
  });

  it('tell a number roughly', () => {
    const cases = [
      [0, '0'],
      [999, '999'],
      [1000, '1k'],
      [1234, '1.2k'],
      [9960, '10k'],
      [34_567, '35k'],
      [999_999, '1M'],
      [1_500_000, '1.5M'],
    ] as const;
    for (const [value, words] of cases) assert.equal(roughly(value), words);
    assert.equal(plural(1, 'line'), '1 line');
    assert.equal(plural(1234, 'line'), '1,234 lines');
  });

  it('offer examples that the demo model understands', () => {
    for (const { text } of EXAMPLES) assert.notEqual(understand(text).kind, 'help', text);
  });
});

describe('what a screen reader is told', () => {
  const state = (change: Partial<PanelState> = {}): PanelState => ({
    ...{ folder: true, session: { name: 's', title: 'Title' }, run: 'idle', asks: [], queue: [] },
    ...{ model: '', demo: false, mode: '', commands: [], problems: [], ...change },
  });
  const turn = (index: number, status: Turn['status']): Turn => ({ index, status, parts: [] });
  const told = (from: [PanelState, Turn[]], to: [PanelState, Turn[]]) =>
    announcements(heardOf(...from), heardOf(...to), to[0]);

  it('is each change of state once', () => {
    const asking = state({ run: 'asking', asks: [{ id: 'a', title: 'Run npm test' }] });
    assert.deepEqual(told([state(), []], [state(), [turn(1, 'running')]]), ['Working']);
    assert.deepEqual(told([state(), [turn(1, 'running')]], [asking, [turn(1, 'running')]]), [
      'Waiting for your permission: Run npm test',
    ]);
    assert.deepEqual(told([asking, [turn(1, 'running')]], [asking, [turn(1, 'running')]]), []);
    const elsewhere = state({ asks: [{ id: 'b', session: 'fix it\u202E', title: 'Run make' }] });
    assert.deepEqual(told([state(), []], [elsewhere, []]), [
      'Waiting for your permission: Run make, in another session: fix it⟨U+202E⟩',
    ]);
    assert.deepEqual(told([state(), [turn(1, 'running')]], [state(), [turn(1, 'cancelled')]]), ['Stopped']);
    assert.deepEqual(told([state(), [turn(1, 'ok')]], [state({ queue: [{ id: 'q', text: '' }] }), [turn(1, 'ok')]]), [
      'Your message waits until this turn has ended',
    ]);
  });

  it('is only the name when another session is shown', () => {
    const other = state({ session: { name: 'other', title: 'Other' } });
    assert.deepEqual(told([state(), [turn(1, 'running')]], [other, [turn(5, 'ok')]]), ['Session Other']);
  });
});
