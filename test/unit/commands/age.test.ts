import assert from 'node:assert/strict';

import { age } from '../../../src/commands/age.ts';

describe('commands/age', () => {
  const now = Date.parse('2026-08-17T12:00:00+00:00');
  const ages: [timestamp: string, age: string][] = [
    ['2026-08-17T12:00:00+00:00', 'just now'],
    ['2026-08-17T12:05:00+00:00', 'just now'],
    ['2026-08-17T11:59:00+00:00', '1 min ago'],
    ['2026-08-17T11:00:00+00:00', '1 h ago'],
    ['2026-08-16T12:00:00+00:00', '1 day ago'],
    ['2026-08-15T12:00:00+00:00', '2 days ago'],
    ['2026-01-01T00:00:00+00:00', '2026-01-01'],
    ['never', 'at an unknown time'],
    ['2026 (\u001b[2J)', '2026-01-01'],
  ];
  for (const [timestamp, expected] of ages)
    it(`says ${expected} for ${timestamp}`, () => {
      assert.equal(age(timestamp, now), expected);
    });
});
