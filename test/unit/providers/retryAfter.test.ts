import assert from 'node:assert/strict';

import { retryAfter } from '../../../src/providers/retryAfter.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function wait(headers: Record<string, string>): number | undefined {
  return retryAfter(new Headers(headers), NOW);
}

describe('providers/retryAfter', () => {
  it('reads seconds, milliseconds and a date', () => {
    assert.equal(wait({ 'retry-after': '30' }), 30_000);
    assert.equal(wait({ 'retry-after': '1.5' }), 1500);
    assert.equal(wait({ 'retry-after-ms': '250' }), 250);
    assert.equal(wait({ 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }), 20_000);
  });

  it('takes the longer one of two', () => {
    assert.equal(wait({ 'retry-after': '1', 'retry-after-ms': '0' }), 1000);
  });

  it('takes a time in the past as now', () => {
    assert.equal(wait({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }), 0);
    assert.equal(wait({ 'retry-after': '-5' }), 0);
    assert.equal(wait({ 'retry-after': '0' }), 0);
  });

  it('says nothing when there is nothing, or nothing that can be read', () => {
    assert.equal(wait({}), undefined);
    assert.equal(wait({ 'retry-after': 'soon' }), undefined);
    assert.equal(retryAfter(undefined, NOW), undefined);
  });
});
