import assert from 'node:assert/strict';
import fc from 'fast-check';

import { stretchesOf } from '../../../src/permissions/shell/stretches.ts';

const FILES = ['.env', 'id_rsa', 'conf/key.pem', './a/.npmrc', 'src/secret/ä'];
const BREAKS = Array.from('=:,@<>;|&%+#?*()[]{}"\'`$^\\ \n\t');
const any = fc.string({
  maxLength: 12,
  unit: fc.oneof(fc.constantFrom(...BREAKS, '/', '.', '-', 'http://'), fc.string({ minLength: 1, maxLength: 1 })),
});
const edge = fc.constantFrom(...BREAKS);

describe('stretches of a word', () => {
  it('are all between characters that are rare in paths', () =>
    fc.assert(
      fc.property(any, edge, fc.constantFrom(...FILES), edge, any, (before, left, file, right, after) => {
        for (const text of [before + left + file + right + after, before + left + file, file + right + after]) {
          const found = stretchesOf(text, true, false);
          assert.ok(found === undefined || found.some((each) => each.whole && each.text === file), text);
        }
      }),
      { numRuns: 1000 },
    ));

  it('begin behind each letter of an option', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^-[a-zA-Z0-9]{1,8}$/), fc.constantFrom(...FILES), (option, file) => {
        assert.ok(stretchesOf(option + file, true, false)?.some((each) => each.whole && each.text === file));
      }),
    ));

  it('count without a file there only in words that are neither prose, code nor an address', () => {
    const sure = (text: string) =>
      stretchesOf(text, true, false)?.flatMap((each) => (each.sure && each.text === '.key' ? [text] : []));
    for (const text of ['f=@.key;b', 'a:.key:b', 'a,.key,b', 'a@.key']) assert.deepEqual(sure(text), [text]);
    for (const text of ['{a:b.c,.key}', 'see .key, or', 'https://a@.key', '(.key)'])
      assert.deepEqual(sure(text), [], text);
  });

  it('end before what is only known when it runs', () => {
    const found = stretchesOf('a=.env,b/', false, false) ?? [];
    assert.ok(found.some((each) => each.whole && each.text === '.env'));
    assert.ok(found.every((each) => !each.whole || !each.text.endsWith('b/')));
  });
});
