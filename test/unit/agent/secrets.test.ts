import assert from 'node:assert/strict';
import fc from 'fast-check';

import { secretsOf } from '../../../src/agent/secrets.ts';

describe('agent/secrets', () => {
  it('puts the name of a variable where its value stood, however often and wherever', () => {
    const key = fc.stringMatching(/^sk-[A-Za-z0-9$&+/=]{8,20}$/);
    fc.assert(
      fc.property(key, fc.array(fc.string()), (value, pieces) => {
        const { redact } = secretsOf(['KEY'], { KEY: value });
        const clean = redact(pieces.join(value));
        assert.ok(!clean.includes(value));
        assert.equal(clean, pieces.join(value).split(value).join('[key of $KEY]'));
      }),
    );
  });

  it('takes the longer of two keys of which one holds the other', () => {
    const { redact } = secretsOf(['A', 'B'], { A: 'sk-12345678', B: 'sk-12345678-90' });
    assert.equal(redact('sk-12345678-90 sk-12345678'), '[key of $B] [key of $A]');
  });

  it('names every variable, and looks for no value that is too short to be a key', () => {
    const { names, redact } = secretsOf(['SHORT', 'UNSET', 'EMPTY'], { SHORT: 'abc', EMPTY: '' });
    assert.deepEqual(names, ['SHORT', 'UNSET', 'EMPTY']);
    assert.equal(redact('abc'), 'abc');
  });
});
