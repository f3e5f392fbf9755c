import assert from 'node:assert/strict';

import type { SessionSummary } from '../../../src/session/store.ts';
import { ago, stateIcon, stateWords, whenAndHow } from '../../../src/vscode/sessionWords.ts';

const NOW = Date.parse('2026-08-17T12:00:00Z');
const SUMMARY: SessionSummary = {
  ...{ name: 's', kind: 'ses', id: '', title: '', parent: '', role: '', turns: 1, status: 'running' },
  ...{ created_at: '', updated_at: '2026-08-17T11:55:00.123+00:00' },
};

describe('the words of a session in lists', () => {
  it('says how long ago', () => {
    assert.equal(ago('2026-08-17T11:59:40Z', NOW), 'just now');
    assert.equal(ago('2026-08-17T11:01:00Z', NOW), '59 min ago');
    assert.equal(ago('2026-08-16T12:00:00Z', NOW), '1 day ago');
    assert.equal(ago('2025-08-16T12:00:00Z', NOW), '2025-08-16');
    assert.equal(ago('2026-08-17T12:10:00Z', NOW), 'just now', 'a clock that was set back');
    assert.equal(ago('nonsense', NOW), '');
  });

  it('believes a live run, and never a log that says it runs (B05)', () => {
    assert.equal(stateWords(SUMMARY, undefined), 'interrupted');
    assert.equal(stateIcon(SUMMARY, 'running'), 'sync~spin');
    assert.equal(stateIcon(SUMMARY, 'asking'), 'question');
    assert.equal(stateIcon({ ...SUMMARY, status: 'error' }, 'idle'), 'error');
    assert.equal(stateIcon({ ...SUMMARY, status: undefined, problem: 'not JSON' }, undefined), 'warning');
    assert.equal(whenAndHow(SUMMARY, undefined, NOW), '4 min ago · interrupted');
  });
});
