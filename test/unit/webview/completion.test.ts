import assert from 'node:assert/strict';

import { askedFor, offers } from '../../../webview-ui/composer/completion.ts';

const COMMANDS = ['help', 'mode', 'model', 'session', 'session load', 'sessions'].map((name) => ({
  name,
  args: name === 'mode' || name === 'session load' ? '<name>' : '',
  help: '',
}));
const names = (text: string, caret = text.length) => offers(text, caret, COMMANDS, undefined).map(({ name }) => name);
const asked = (text: string) => askedFor(text, text.length, COMMANDS);
const LINES = ['build', 'plan', 'other'].map((word) => `/mode ${word}`);
const args = (text: string, known = '/mode ') =>
  offers(text, text.length, COMMANDS, { text: known, lines: LINES }).map(({ name }) => name);

describe('slash completion', () => {
  it('offers what begins with what was typed, words after a space too', () => {
    assert.deepEqual(
      names('/'),
      COMMANDS.map(({ name }) => `/${name}`),
    );
    assert.deepEqual(names('/MO'), ['/mode', '/model']);
    assert.deepEqual(names('/session '), ['/session load']);
  });

  it('offers nothing inside other text', () => {
    for (const text of [
      '',
      'x',
      'see /mode',
      '//mode',
      '/mode plan',
      '/nothing',
      '/mo\nx',
      `/mode ${'x'.repeat(2000)}`,
    ])
      assert.deepEqual(names(text), []);
    assert.deepEqual(names('/mo del', 3), []);
  });

  it('leaves room for an argument', () => {
    assert.deepEqual(
      offers('/mode', 5, COMMANDS, undefined).map(({ text }) => text),
      ['/mode ', '/model'],
    );
  });

  it('asks the host how an argument can go on', () => {
    for (const text of ['/mode ', '/mode pl', '/session load "my no']) assert.equal(asked(text), text);
    for (const text of ['/mode', '/help me', '/session ', 'x /mode p', '//mode p', '/mode p\nq'])
      assert.equal(asked(text), undefined, text);
  });

  it('offers what the host knows, also of a shorter text', () => {
    assert.deepEqual(args('/mode '), ['build', 'plan', 'other']);
    assert.deepEqual(args('/mode p'), ['plan']);
    assert.deepEqual(
      offers('/mode p', 7, COMMANDS, { text: '/mode ', lines: LINES }).map(({ text }) => text),
      ['/mode plan'],
    );
    const quoted = { text: '/session load my', lines: ['/session load "my notes"'] };
    assert.equal(offers(quoted.text, quoted.text.length, COMMANDS, quoted).length, 1);
    assert.deepEqual(args('/mode plan'), []);
    assert.deepEqual(args('/mode p', '/mode pl'), []);
  });
});
