import assert from 'node:assert/strict';

import { DEFAULT_MODE, findMode, modeInstruction, modeNames } from '../../../src/agent/modes.ts';
import { systemPrompt } from '../../../src/agent/systemPrompt.ts';
import { tools } from '../../../src/tools/registry.ts';

describe('agent/modes', () => {
  const offered = (mode: string) =>
    findMode(mode)!
      .tools(tools)
      .map(({ name }) => name);

  it('are build, which is the default, and plan', () => {
    assert.deepEqual([modeNames(), DEFAULT_MODE, findMode('gone')], [['build', 'plan'], 'build', undefined]);
  });

  it('offer all tools, or those that only read, in the order of the registry (X1)', () => {
    assert.deepEqual(
      offered('build'),
      tools.map(({ name }) => name),
    );
    assert.deepEqual(offered('plan'), ['file_read', 'file_list', 'file_search', 'web_fetch', 'todo_write']);
  });

  it('say so to the model only where that is news', () => {
    assert.equal(modeInstruction('build', undefined), undefined);
    assert.match(modeInstruction('build', 'plan')!, /build mode/);
    assert.match(modeInstruction('plan', undefined)!, /plan mode/);
    assert.match(modeInstruction('plan', 'build')!, /plan mode/);
    assert.equal(modeInstruction('gone', 'build'), undefined);
  });
});

describe('agent/systemPrompt', () => {
  it('is the same at any time, and says where the work is (X1)', () => {
    assert.equal(systemPrompt('/p', undefined), systemPrompt('/p', undefined));
    assert.match(systemPrompt('/p', undefined), /Folder: \/p/);
    assert.doesNotMatch(systemPrompt('/p', undefined), /\b20\d\d\b|\d\d:\d\d/);
  });

  it('begins with the configured text in place of the built-in one', () => {
    assert.match(systemPrompt('/p', 'Speak Latin.'), /^Speak Latin\.\n\nFolder: \/p/);
  });
});
