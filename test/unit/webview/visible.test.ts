import assert from 'node:assert/strict';
import fc from 'fast-check';

import { visible, visibleLine } from '../../../src/session/visible.ts';
import { head, tail, visibleOutput } from '../../../webview-ui/visible.ts';

describe('visible text', () => {
  it('spells out what could deceive the eye', () => {
    assert.equal(visible('a\u202Eb\u2066c\u200Bd\u0000e\u{E0041}'), 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+0000⟩e⟨U+E0041⟩');
    assert.equal(visible('x\uD800y\u3164\uFEFF'), 'x⟨U+D800⟩y⟨U+3164⟩⟨U+FEFF⟩');
    assert.equal(visible('a\u200Db'), 'a⟨U+200D⟩b');
  });

  it('leaves honest text alone', () => {
    for (const text of ['Grüße, 世界, Привет\n\ttab', '👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 ❤️', 'می‌خواهم']) assert.equal(visible(text), text);
  });

  it('drops colours and splits lines that were written over', () => {
    assert.equal(
      visibleOutput('\u001b[31mred\u001b[0m\r\n10%\r20%\r\ndone\u001b[2J'),
      'red\n10%\n20%\ndone⟨U+001B⟩[2J',
    );
    assert.equal(visibleLine('  a\n\tb  '), 'a b');
  });

  it('never cuts a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        assert.ok(head(text, max).isWellFormed() && tail(text, max).isWellFormed());
        assert.ok(head(text, max).length <= max && tail(text, max).length <= max);
        assert.ok(text.startsWith(head(text, max)) && text.endsWith(tail(text, max)));
      }),
    );
  });
});
