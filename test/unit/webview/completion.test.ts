import assert from 'node:assert/strict';

import { completed, completions } from '../../../webview-ui/composer/completion.ts';

const COMMANDS = ['help', 'mode', 'model', 'session', 'session load', 'sessions'].map((name) => ({
  name,
  args: name === 'mode' ? '<name>' : '',
  help: '',
}));
const names = (text: string, caret = text.length) => completions(text, caret, COMMANDS).map(({ name }) => name);

describe('slash completion', () => {
  it('offers what begins with what was typed, words after a space too', () => {
    assert.deepEqual(
      names('/'),
      COMMANDS.map(({ name }) => name),
    );
    assert.deepEqual(names('/MO'), ['mode', 'model']);
    assert.deepEqual(names('/session '), ['session load']);
  });

  it('offers nothing inside other text', () => {
    for (const text of ['', 'x', 'see /mode', '//mode', '/mode plan', '/nothing', '/mo\nx'])
      assert.deepEqual(names(text), []);
    assert.deepEqual(names('/mo del', 3), []);
  });

  it('leaves room for an argument', () => {
    assert.equal(completed({ name: 'mode', args: '<name>', help: '' }), '/mode ');
    assert.equal(completed({ name: 'help', args: '', help: '' }), '/help');
  });
});
