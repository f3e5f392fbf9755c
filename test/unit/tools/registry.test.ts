import assert from 'node:assert/strict';

import { toolDefinition } from '../../../src/tools/definition.ts';
import { tools } from '../../../src/tools/registry.ts';

describe('the tools', () => {
  it('are those of this product, in an order that never changes (P1, X1)', () => {
    assert.deepEqual(
      tools.map(({ name, schema }) => [
        name,
        Object.keys((toolDefinition({ ...tools[0]!, name, schema }).parameters as { properties: object }).properties),
      ]),
      [
        ['file_read', ['path', 'from', 'lines']],
        ['file_list', ['path', 'pattern']],
        ['file_search', ['pattern', 'path']],
        ['file_write', ['path', 'content']],
        ['file_edit', ['path', 'old', 'new', 'all']],
        ['run_command', ['command', 'timeout']],
        ['web_fetch', ['url']],
        ['todo_write', ['todos']],
      ],
    );
  });

  it('say which of them only look', () => {
    const reading = tools.filter((tool) => tool.reads_only).map((tool) => tool.name);
    assert.deepEqual(reading, ['file_read', 'file_list', 'file_search', 'web_fetch', 'todo_write']);
  });

  it('are described to a model in few words and the same bytes each time (P1, X1)', () => {
    const text = () => JSON.stringify(tools.map(toolDefinition));
    assert.equal(text(), text());
    // About four characters are a token; the prompt and more tools share 2,500 tokens.
    assert.ok(text().length < 3600, `${text().length} characters`);
    // Gateways to Gemini refuse a schema with a key that they do not know.
    assert.doesNotMatch(text(), /\$schema|9007199254740991|exclusive/);
    const { properties } = toolDefinition(tools[0]!).parameters as { properties: Record<string, object> };
    assert.deepEqual(properties['from'], { type: 'integer', minimum: 1, description: 'First line, from 1' });
  });

  it('accept no argument that they do not name', () => {
    for (const tool of tools) assert.equal(toolDefinition(tool).parameters['additionalProperties'], false, tool.name);
  });

  it('say what they do on one line, whatever the model sends', () => {
    const inputs: Record<string, Record<string, unknown>> = {
      file_read: { path: 'a\nb' },
      file_list: { pattern: '*\n', path: 'a\n' },
      file_search: { pattern: 'a\r\nb' },
      file_write: { path: '\n'.repeat(9) + 'a', content: '' },
      file_edit: { path: 'x'.repeat(9999), old: 'a', new: 'b' },
      run_command: { command: 'npm test &&\n  rm -rf build' },
      web_fetch: { url: 'https://example.com/\n\n/a' },
      todo_write: {
        todos: [
          { text: 'a', status: 'done' },
          { text: 'b', status: 'pending' },
        ],
      },
    };
    for (const tool of tools) {
      const { title } = tool.words(inputs[tool.name]!);
      assert.match(title, /^\P{Cc}{1,220}$/u, tool.name);
    }
    assert.deepEqual(tools.find(({ name }) => name === 'run_command')?.words(inputs['run_command']!), {
      title: 'Run npm test && rm -rf build',
      detail: 'npm test &&\n  rm -rf build',
    });
  });
});
