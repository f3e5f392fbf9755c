import assert from 'node:assert/strict';

import { didYouMean, nearest } from '../../../src/text/nearest.ts';

describe('text/nearest', () => {
  const candidates = ['model', 'mode', 'providers', 'run_command'];

  it('finds the word that was meant', () => {
    assert.equal(nearest('modle', candidates), 'model');
    assert.equal(nearest('MODE', candidates), 'mode');
    assert.equal(nearest('provider', candidates), 'providers');
    assert.equal(nearest('run-comand', candidates), 'run_command');
    assert.equal(nearest('sav', ['save']), 'save');
  });

  it('suggests nothing for a word that is far from all', () => {
    assert.equal(nearest('temperature', candidates), undefined);
    assert.equal(nearest('ab', ['cd']), undefined);
    assert.equal(nearest('', ['a']), undefined);
    assert.equal(nearest('move', ['save']), undefined);
    assert.equal(nearest('x'.repeat(1_000_000), candidates), undefined);
  });

  it('words it as a question, or not at all', () => {
    assert.equal(didYouMean('modle', candidates), ' Did you mean "model"?');
    assert.equal(didYouMean('temperature', candidates), '');
  });
});
