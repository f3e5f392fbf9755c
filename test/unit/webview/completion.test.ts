import assert from 'node:assert/strict';

import { askedFor, offers } from '../../../webview-ui/composer/completion.ts';

const COMMANDS = ['help', 'mode', 'model', 'session', 'session load', 'sessions'].map((name) => ({
  name,
  args: name === 'mode' || name === 'session load' ? '<name>' : '',
  help: '',
}));
const names = (text: string, caret = text.length) => offers(text, caret, COMMANDS, undefined).map(({ name }) => name);
const asked = (text: string) => askedFor(text, text.length, COMMANDS);
const values = (text: string, known = text.slice(0, text.lastIndexOf(' ') + 1)) =>
  offers(text, text.length, COMMANDS, { text: known, values: ['build', 'plan', 'my notes', 'my plan'] });

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

  it('asks the host for the values of an argument, up to where its word begins', () => {
    assert.equal(asked('/mode '), '/mode ');
    assert.equal(asked('/mode pl'), '/mode ');
    assert.equal(asked('/session load "my no'), '/session load ');
    assert.equal(asked('/session load "my notes" x'), '/session load "my notes" ');
    for (const text of ['/mode', '/help me', '/session ', 'x /mode p', '//mode p', '/mode p\nq'])
      assert.equal(asked(text), undefined, text);
  });

  it('offers the values that begin with the word, in quotes where they hold spaces', () => {
    assert.deepEqual(
      values('/mode p').map(({ text }) => text),
      ['/mode plan'],
    );
    assert.deepEqual(
      values('/session load "my n', '/session load ').map(({ text }) => text),
      ['/session load "my notes"'],
    );
    assert.equal(values('/mode ').length, 4);
    assert.deepEqual(values('/mode plan'), []);
    assert.deepEqual(values('/mode p', '/session load '), []);
  });
});
