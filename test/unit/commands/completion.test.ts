import assert from 'node:assert/strict';

import type { CommandContext } from '../../../src/commands/command.ts';
import { completionsOf } from '../../../src/commands/completion.ts';

const SAVED = ['notes', 'my notes', 'nothing'].map((name) => ({ name, id: '', problem: undefined }));
const context = { engine: { store: { list: async () => SAVED } } } as unknown as CommandContext;

describe('the completion of a command line', () => {
  it('is the whole line, by the command with the longest name', async () => {
    assert.deepEqual(await completionsOf(context, '/session load no'), [
      '/session load notes',
      '/session load nothing',
    ]);
    assert.deepEqual(await completionsOf(context, '/mode p'), ['/mode plan']);
  });

  it('is nothing for what is no command, or knows none', async () => {
    for (const line of ['/nonsense x', '/help ', '/session ', 'mode p', '/'])
      assert.deepEqual(await completionsOf(context, line), []);
  });

  it('is bounded', async () => {
    const store = { list: async () => Array.from({ length: 1000 }, (_, at) => ({ name: `s${at}`, id: '' })) };
    const many = { engine: { store } } as unknown as CommandContext;
    assert.equal((await completionsOf(many, '/session load s')).length, 200);
  });
});
