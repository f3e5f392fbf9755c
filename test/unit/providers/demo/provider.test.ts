import assert from 'node:assert/strict';
import fc from 'fast-check';

import { demoProvider } from '../../../../src/providers/demo/provider.ts';
import type { Message } from '../../../../src/providers/provider.ts';
import { collect, request, TOOL, type Collected } from '../replay.ts';

const READING = ['file_read', 'file_list', 'file_search'];
const ALL = [...READING, 'file_write', 'file_edit', 'run_command', 'todo_write'];
const demo = demoProvider({ name: 'demo', pace_ms: 0 });

function ask(messages: Message[], tools: readonly string[] = ALL): Promise<Collected> {
  return collect(demo.stream(request({ messages, tools: tools.map((name) => ({ ...TOOL, name })) })));
}

/** Plays a whole turn: each call is answered by `tool`. What was called, with which arguments, and the last words. */
async function turn(prompt: string, tool: (name: string) => string, tools: readonly string[] = ALL) {
  const messages: Message[] = [
    { role: 'system', content: 'S' },
    { role: 'user', content: prompt },
  ];
  const calls: { name: string; arguments: Record<string, unknown> }[] = [];
  for (let round = 0; round < 10; round++) {
    const { text, thinking, finished } = await ask(messages, tools);
    assert.ok(thinking.length > 0);
    if (finished.calls.length === 0) return { calls, text };
    messages.push({
      role: 'assistant',
      content: text,
      thinking: [{ text: thinking, data: { provider: 'demo', ...finished.thinking_data } }],
      calls: finished.calls.map((call) => ({ ...call, id: call.id ?? '' })),
    });
    for (const call of finished.calls) {
      assert.ok(tools.includes(call.name), `${call.name} is not offered`);
      calls.push({ name: call.name, arguments: JSON.parse(call.arguments) as Record<string, unknown> });
      messages.push({ role: 'tool', call_id: call.id ?? '', name: call.name, content: tool(call.name) });
    }
  }
  throw new Error('the demo goes on for ever');
}

describe('providers/demo', () => {
  it('says what it is and how to set a real model', async () => {
    const { text, finished } = await ask([{ role: 'user', content: 'Who are you?' }]);
    assert.equal(finished.reason, 'stop');
    for (const part of [
      'demo model',
      '.polyglav/config.json',
      '~/.polyglav/config.json',
      'ollama/llama3.2',
      'api_key_env',
      'openai-chat',
    ])
      assert.ok(text.includes(part), part);
  });

  it('thinks, speaks and calls in pieces, and counts tokens', async () => {
    const { events, finished } = await ask([{ role: 'user', content: 'list the files' }]);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    assert.ok(count('thinking') > 2 && count('text') > 1);
    assert.ok((finished.usage?.input_tokens ?? 0) > 0 && (finished.usage?.output_tokens ?? 0) > 0);
    assert.equal(finished.reason, 'tool_calls');
    assert.ok(finished.calls[0]?.id);
  });

  it('makes one call for one request, and quotes its answer', async () => {
    const plain: [string, string, Record<string, unknown>][] = [
      ['list the files in src', 'file_list', { path: 'src' }],
      ['read README.md', 'file_read', { path: 'README.md' }],
      ['search for TODO in src', 'file_search', { pattern: 'TODO', path: 'src' }],
      ['create a file a.txt that says Hi', 'file_write', { path: 'a.txt', content: 'Hi\n' }],
      ['run git status', 'run_command', { command: 'git status' }],
    ];
    for (const [prompt, name, args] of plain) {
      const { calls, text } = await turn(prompt, () => `the answer of ${name}`);
      assert.deepEqual(calls, [{ name, arguments: args }]);
      assert.ok(text.includes(`the answer of ${name}`));
    }
  });

  it('reads before it edits', async () => {
    const { calls, text } = await turn('In a.txt replace foo with bar', (name) =>
      name === 'file_read' ? '1\tfoo\n2\tx' : 'Edited a.txt.',
    );
    assert.deepEqual(calls, [
      { name: 'file_read', arguments: { path: 'a.txt' } },
      { name: 'file_edit', arguments: { path: 'a.txt', old: 'foo', new: 'bar' } },
    ]);
    assert.ok(text.includes('Edited a.txt.'));
  });

  it('edits every place when there are several', async () => {
    const { calls } = await turn('In a.txt replace foo with bar', (name) => (name === 'file_read' ? 'foo foo' : 'ok'));
    assert.equal(calls[1]?.arguments['all'], true);
  });

  it('changes nothing when the text is not there, or the file could not be read', async () => {
    for (const answer of ['1\tsomething else', 'There is no file a.txt.', 'Denied by the permission rules: x.']) {
      const { calls, text } = await turn('In a.txt replace foo with bar', () => answer);
      assert.equal(calls.length, 1);
      assert.match(text, /^I changed nothing/);
      assert.ok(text.includes(answer));
    }
  });

  it('says honestly that a call was declined, denied or failed', async () => {
    for (const answer of [
      'The person declined this call.',
      'Denied by the permission rules: x.',
      'Declined: nobody can be asked.',
    ]) {
      const { text } = await turn('run rm x', () => answer);
      assert.ok(text.includes(answer));
      assert.match(text, /it was not done/);
    }
    const failed = await turn('run false', () => 'Exit code 1');
    assert.ok(failed.text.includes('Exit code 1'));
    assert.doesNotMatch(failed.text, /\bdone\b|success/i);
  });

  it('quotes in a fence that nothing can close, and not without end', async () => {
    const { text } = await turn('read a.md', () => `\`\`\`\`js\n${'x\n'.repeat(100)}`);
    assert.match(text, /^`{5}text\n````js/m);
    assert.match(text, /… and 61 more lines/);
  });

  it('plans with todos and works through them', async () => {
    const { calls, text } = await turn('plan a release', (name) =>
      name === 'file_list' ? 'src/\nREADME.md\na.txt' : `${name} ok`,
    );
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['todo_write', 'file_list', 'todo_write', 'file_read', 'todo_write', 'todo_write'],
    );
    assert.equal(calls[3]?.arguments['path'], 'README.md');
    const statuses = calls
      .filter(({ name }) => name === 'todo_write')
      .map(({ arguments: { todos } }) => (todos as { status: string }[]).map(({ status }) => status));
    assert.deepEqual(statuses, [
      ['in_progress', 'pending', 'pending'],
      ['done', 'in_progress', 'pending'],
      ['done', 'done', 'in_progress'],
      ['done', 'done', 'done'],
    ]);
    assert.ok(text.includes('a release'));
  });

  it('calls only what is offered, and says what it lacks', async () => {
    for (const prompt of ['create a.txt with x', 'run ls', 'plan it', 'In a.txt replace foo with bar']) {
      const { calls, text } = await turn(prompt, () => 'foo', READING);
      assert.ok(calls.every(({ name }) => READING.includes(name)));
      if (!prompt.startsWith('plan')) assert.match(text, /switch to build mode/i);
    }
    assert.match((await turn('read a.txt', () => '', [])).text, /No tools are offered/);
  });

  it('looks at the last prompt and what came after it', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'read a.txt' },
      { role: 'assistant', content: '', calls: [{ id: '1', name: 'file_read', arguments: '{"path":"a.txt"}' }] },
      { role: 'tool', call_id: '1', name: 'file_read', content: 'old' },
      { role: 'assistant', content: 'There.' },
      { role: 'user', content: 'read b.txt' },
    ];
    assert.deepEqual((await ask(messages)).finished.calls[0]?.arguments, '{"path":"b.txt"}');
  });

  it('has a long answer and a sample with code', async () => {
    const long = await ask([{ role: 'user', content: 'write a long answer' }]);
    assert.ok(long.text.length > 4000 && long.events.length > 300);
    const sample = await ask([{ role: 'user', content: 'show me a code sample' }]);
    for (const language of ['```ts', '```python', '```diff']) assert.ok(sample.text.includes(language));
  });

  it('takes its time, and stops at once when it is stopped', async () => {
    const slow = demoProvider({ name: 'demo', pace_ms: 10 });
    const controller = new AbortController();
    const reason = new Error('stopped');
    let pieces = 0;
    await assert.rejects(
      (async () => {
        for await (const event of slow.stream(
          request({ messages: [{ role: 'user', content: 'write a long answer' }], signal: controller.signal }),
        )) {
          if (event.type === 'text' && ++pieces === 3) controller.abort(reason);
        }
      })(),
      reason,
    );
    assert.equal(pieces, 3);
  });

  it('lists its model', async () => {
    assert.deepEqual(await demo.models(new AbortController().signal), ['demo']);
  });

  it('survives any prompt and any answer of a tool', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('read a.txt', 'plan x', 'replace a with b in c.txt', ''),
    );
    await fc.assert(
      fc.asyncProperty(text, text, async (prompt, answer) => {
        assert.notEqual((await turn(prompt, () => answer)).text, '');
      }),
      { numRuns: 30 },
    );
  });
});
