import assert from 'node:assert/strict';

import type { PermissionEntry, ToolPart, Turn } from '../../../src/session/schema.ts';
import { callState, decisionWords } from '../../../webview-ui/tool/call.ts';
import { callWords, todosOf } from '../../../webview-ui/tool/words.ts';

const tool = (fill: Partial<ToolPart> = {}): ToolPart => ({
  type: 'tool',
  name: 'run_command',
  input: {},
  timestamp: '',
  ...fill,
});
const turn = (status: Turn['status'], ...parts: Turn['parts']): Turn => ({ index: 1, status, parts });
const entry = (fill: Partial<PermissionEntry>): PermissionEntry => ({
  tool: 'x',
  action: 'ask',
  decision: 'granted',
  timestamp: '',
  ...fill,
});

describe('the state of a call', () => {
  it('goes from waiting over asking and running to done', () => {
    const [first, second] = [tool(), tool()];
    const running = turn('running', first, second);
    assert.equal(callState(first, running, undefined, 'asking'), 'asking');
    assert.equal(callState(second, running, undefined, 'asking'), 'waiting');
    assert.equal(callState(first, running, entry({}), 'running'), 'running');
    first.output = 'done';
    assert.equal(callState(first, running, entry({}), 'running'), 'done');
  });

  it('tells failed, declined, denied and stopped apart', () => {
    const part = tool({ output: 'no', is_error: true });
    assert.equal(callState(part, turn('ok', part), entry({}), 'idle'), 'failed');
    assert.equal(callState(part, turn('ok', part), entry({ decision: 'declined', by: 'refused' }), 'idle'), 'declined');
    assert.equal(callState(part, turn('ok', part), entry({ decision: 'denied' }), 'idle'), 'denied');
    assert.equal(
      callState(part, turn('cancelled', part), entry({ decision: 'declined', by: 'withdrawn' }), 'idle'),
      'stopped',
    );
    assert.equal(callState(part, turn('cancelled', part), entry({}), 'idle'), 'stopped');
    const later = { type: 'text', text: 'It failed.', timestamp: '' };
    assert.equal(callState(part, turn('cancelled', part, later), entry({}), 'idle'), 'failed');
    assert.equal(callState(tool(), turn('cancelled', tool()), undefined, 'idle'), 'stopped');
  });

  it('says who decided', () => {
    assert.equal(decisionWords(entry({ by: 'default' })), undefined);
    assert.equal(decisionWords(entry({ by: 'once' })), 'You allowed this once.');
    assert.match(decisionWords(entry({ by: 'always' })) ?? '', /^You allowed this, and always/);
    assert.match(decisionWords(entry({ decision: 'denied', by: 'project: run_command' })) ?? '', /Denied by project/);
  });
});

describe('the words of a call', () => {
  const title = (name: string, input: Record<string, unknown>) => {
    const { verb, object } = callWords({ name, input });
    return `${verb} ${object}`.trim();
  };

  it('name the thing', () => {
    assert.equal(title('file_read', { path: 'a.ts', from: 3, lines: 2 }), 'Read a.ts · lines 3–4');
    assert.equal(title('file_search', { pattern: 'x', path: 'src' }), 'Search x in src');
    assert.equal(title('run_command', { command: 'npm\n test' }), 'Run npm test');
    assert.equal(
      title('todo_write', {
        todos: [
          { text: 'a', status: 'done' },
          { text: 'b', status: 'pending' },
        ],
      }),
      'Todos 1 of 2 done',
    );
    assert.equal(title('hologram', { depth: 3 }), 'hologram {"depth":3}');
  });

  it('bear any input', () => {
    for (const name of ['file_read', 'file_edit', 'run_command', 'todo_write', 'file_list', 'x'])
      for (const input of [
        {},
        { path: 3, command: null, todos: 'x', pattern: [] },
        { todos: [null, { text: 1, status: 'done' }] },
      ])
        assert.ok(title(name, input).length > 0);
    assert.deepEqual(todosOf({ todos: [{ text: 'a', status: 'odd' }] }), []);
  });

  it('show what is hidden in a name', () => {
    assert.equal(title('file_read', { path: 'a\u202Etxt.exe' }), 'Read a⟨U+202E⟩txt.exe');
  });
});
