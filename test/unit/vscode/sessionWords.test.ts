import assert from 'node:assert/strict';

import type { SessionSummary } from '../../../src/session/store.ts';
import { stateIcon, stateWords, turnWords, whenAndHow } from '../../../src/vscode/sessionWords.ts';

const NOW = Date.parse('2026-08-17T12:00:00Z');
const SUMMARY: SessionSummary = {
  ...{ name: 's', kind: 'ses', id: '', title: '', parent: '', role: '', last_turn: 1, status: 'running' },
  ...{ created_at: '', updated_at: '2026-08-17T11:55:00.123+00:00' },
};

describe('the words of a session in lists', () => {
  it('says how long ago, where that is known', () => {
    assert.equal(
      whenAndHow({ ...SUMMARY, updated_at: '2026-08-16T12:00:00Z', status: 'ok' }, undefined, NOW),
      '1 day ago',
    );
    assert.equal(whenAndHow({ ...SUMMARY, updated_at: 'nonsense' }, undefined, NOW), 'interrupted');
  });

  it('says nothing of what is not known', () => {
    assert.equal(turnWords({ ...SUMMARY, last_turn: undefined }), '');
    assert.equal(turnWords(SUMMARY), 'Last turn: #1');
    assert.equal(turnWords({ ...SUMMARY, last_turn: 0 }), 'No turns yet');
  });

  it('believes a live run, and never a log that says it runs (R9)', () => {
    assert.equal(stateWords(SUMMARY, undefined), 'interrupted');
    assert.equal(stateWords({ ...SUMMARY, held_by: 'the command line' }, undefined), 'working elsewhere');
    assert.equal(stateIcon(SUMMARY, 'running'), 'sync~spin');
    assert.equal(stateIcon(SUMMARY, 'asking'), 'question');
    assert.equal(stateIcon({ ...SUMMARY, status: 'error' }, 'idle'), 'error');
    assert.equal(stateIcon({ ...SUMMARY, status: undefined, problem: 'not JSON' }, undefined), 'warning');
    assert.equal(whenAndHow(SUMMARY, undefined, NOW), '4 min ago · interrupted');
  });
});
