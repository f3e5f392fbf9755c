import assert from 'node:assert/strict';

import { visible } from '../../../src/session/visible.ts';
import { clip, plainLabel, plainNotice } from '../../../src/vscode/visibleText.ts';

describe('text in native places', () => {
  it('spells out what could deceive the eye', () => {
    assert.equal(visible('rm \u202Egpj.exe\u0000'), 'rm ⟨U+202E⟩gpj.exe⟨U+0000⟩');
    assert.equal(visible('a\u200Bb\u2028c\uFEFF'), 'a⟨U+200B⟩b⟨U+2028⟩c⟨U+FEFF⟩');
    assert.equal(visible('\u{E0041}\uD800'), '⟨U+E0041⟩⟨U+D800⟩');
  });

  it('leaves honest text alone, and makes one line break of two characters', () => {
    assert.equal(visible('Größe: 😀\t1\r\n2\n'), 'Größe: 😀\t1\n2\n');
  });

  it('cuts between characters, leaves both ends, and says how much is left out', () => {
    assert.equal(clip('😀😀😀', 3, 'there'), '😀😀😀');
    assert.equal(clip('😀😁😂🤣😃', 3, 'there'), '😀😁…\n(2 more characters: there)\n…😃');
    assert.equal(clip('a\nb\nc\nd', 100, 'there', 2), 'a…\n(5 more characters: there)\n…d');
    assert.equal(clip('a\nb', 100, 'there', 2), 'a\nb');
  });

  it('keeps icons out of labels and links out of notifications', () => {
    assert.equal(plainLabel('$(trash)\n $(x)'), '\\$(trash) \\$(x)');
    assert.equal(plainNotice('[click](command:x)'), '[click] (command:x)');
  });
});
