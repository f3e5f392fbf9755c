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

  it('looks for the value as it is sent: without the white space around it', () => {
    assert.equal(secretsOf(['KEY'], { KEY: ' sk-12345678\n' }).redact('a sk-12345678 b'), 'a [key of $KEY] b');
    assert.equal(secretsOf(['SHORT'], { SHORT: '\n\n\n\n\nabc' }).redact('abc'), 'abc');
  });

  it('finds a key in whatever pieces the text comes', () => {
    const env = { A: 'sk-12345678', B: 'sk-12345678-90', C: 'sk-90sk-9' };
    const word = fc.constantFrom(...Object.values(env), 'sk-', 'sk-1', 's', '8', 'text ', '\n');
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.nat(12)), (words, sizes) => {
        const { redact, inPieces } = secretsOf(['A', 'B', 'C'], env);
        const pieces = inPieces();
        const text = words.join('');
        const said = [];
        let at = 0;
        for (const size of [...sizes, text.length]) {
          said.push(pieces.push(text.slice(at, at + size)));
          at += size;
        }
        said.push(pieces.end());
        for (const value of Object.values(env)) assert.ok(!said.join('').includes(value));
        assert.equal(said.join(''), redact(text));
      }),
    );
  });

  it('holds nothing back that cannot be the beginning of a key', () => {
    const { push, end } = secretsOf(['KEY'], { KEY: 'sk-12345678' }).inPieces();
    assert.deepEqual(
      ['done.', ' tasks', ' sk', '-123', '4x', 's', '.'].map((piece) => push(piece)),
      ['done.', ' task', 's ', '', 'sk-1234x', '', 's.'],
    );
    assert.deepEqual([push('ask-1'), end(), end()], ['a', 'sk-1', '']);
  });

  it('puts the name of a header where its secret stood, and keeps the variable that has it from commands', () => {
    const headers = [
      { header: 'X-Api-Key', value: 'abcdefgh$&' },
      { header: 'Cookie', value: 'short' },
    ];
    const env = { MINE: 'abcdefgh$&\n', OTHER: 'x abcdefgh$&', SHORT: 'short' };
    const { names, redact, inPieces } = secretsOf(['KEY'], env, headers);
    assert.equal(redact('a abcdefgh$& short'), 'a [value of the header X-Api-Key] short');
    const { push } = inPieces();
    assert.equal(push('abcd') + push('efgh$&.'), '[value of the header X-Api-Key].');
    assert.deepEqual(names, ['KEY', 'MINE']);
  });

  it('takes no word for a key that the configuration itself names openly', () => {
    const open = ['lm-studio', 'lm-studio/qwen3'];
    assert.equal(secretsOf(['KEY'], { KEY: 'lm-studio' }, [], open).redact('/model lm-studio/x'), '/model lm-studio/x');
  });

  it('looks into data of any form, keys included', () => {
    const { redactAll } = secretsOf(['KEY'], { KEY: 'sk-12345678' });
    assert.deepEqual(redactAll({ 'a sk-12345678': ['sk-12345678', 1, null, { b: true }] }), {
      'a [key of $KEY]': ['[key of $KEY]', 1, null, { b: true }],
    });
  });

  it('takes every name of a variable for a name', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal(secretsOf([name], {}).redact('text'), 'text');
      assert.equal(secretsOf([name], process.env).redact('text'), 'text');
      const env = Object.fromEntries([[name, 'sk-12345678']]);
      assert.equal(secretsOf([name], env).redact('sk-12345678'), `[key of $${name}]`);
    }
  });

  it('names every variable, and looks for no value that is too short to be a key', () => {
    const { names, redact } = secretsOf(['SHORT', 'UNSET', 'EMPTY'], { SHORT: 'abc', EMPTY: '' });
    assert.deepEqual(names, ['SHORT', 'UNSET', 'EMPTY']);
    assert.equal(redact('abc'), 'abc');
  });
});
