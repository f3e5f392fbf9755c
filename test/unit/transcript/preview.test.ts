import assert from 'node:assert/strict';

import { streamOf } from '../../../src/session/stream.ts';
import { preview } from '../../../src/transcript/preview.ts';
import { compactedRewoundCleared, sessionOf } from './logs.ts';

describe('transcript/preview', () => {
  it('shows turns, kinds of parts, tools and links', () => {
    const session = { ...compactedRewoundCleared(), parent_id: 'ses_gone', sub_sessions: ['sub_1', 'sub_2'] };
    assert.deepEqual(preview(streamOf(session), new Set(['sub_1'])), [
      { text: 'ses_20260817_120000_ab12cd', style: 'heading' },
      {
        text: [
          'Title: prompt 1.',
          'Turns: 10',
          'Parts: user 6, thinking 6, tool 6, text 6, command 4',
          'Tools: file_read 6',
          'Parent: ses_gone (not in this folder)',
          'Sub-sessions: sub_1, sub_2 (never started)',
        ].join('\n'),
      },
    ]);
  });

  it('shows what there is not as -', () => {
    const [, facts] = preview(streamOf(sessionOf([])), new Set());
    assert.equal(facts?.text, 'Title: -\nTurns: 0\nParts: -\nTools: -\nParent: -\nSub-sessions: -');
  });
});
