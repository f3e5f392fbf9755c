import assert from 'node:assert/strict';

import { parseInput } from '../../../src/tools/input.ts';
import { todoWrite } from '../../../src/tools/todoWrite.ts';
import { Workspace } from './workspace.ts';

describe('todo_write', () => {
  let workspace: Workspace;
  before(async () => (workspace = await Workspace.make()));
  after(() => workspace.remove());

  const write = async (todos: { text: string; status: string }[]) => workspace.call(todoWrite, { todos });

  it('gives back the list', async () => {
    const { output, is_error } = await write([
      { text: 'read', status: 'done' },
      { text: 'edit', status: 'in_progress' },
      { text: 'test', status: 'pending' },
    ]);
    assert.equal(output, '1 of 3 done:\n[x] read\n[>] edit\n[ ] test');
    assert.equal(is_error, undefined);
    assert.equal((await write([])).output, 'The todo list is empty now.');
  });

  it('advises against several at a time, and takes them', async () => {
    const { output, is_error } = await write([
      { text: 'a', status: 'in_progress' },
      { text: 'b', status: 'in_progress' },
    ]);
    assert.match(output, /one at a time/);
    assert.equal(is_error, undefined);
  });

  it('refuses too many, too long and empty ones', () => {
    const fits = (todos: unknown) => 'input' in parseInput(todoWrite, JSON.stringify({ todos }));
    const todo = { text: 'a', status: 'pending' };
    assert.ok(fits(new Array(100).fill(todo)));
    assert.ok(!fits(new Array(101).fill(todo)));
    assert.ok(fits([{ ...todo, text: 'a'.repeat(500) }]));
    assert.ok(!fits([{ ...todo, text: 'a'.repeat(501) }]));
    assert.ok(!fits([{ ...todo, text: '' }]));
    assert.ok(!fits('a'));
  });
});
