import assert from 'node:assert/strict';
import fc from 'fast-check';

import { parseInput } from '../../../src/tools/input.ts';
import { tools } from '../../../src/tools/registry.ts';
import type { Tool } from '../../../src/tools/tool.ts';

function tool(name: string): Tool {
  return tools.find((candidate) => candidate.name === name)!;
}

function refusal(name: string, json: string): string {
  const parsed = parseInput(tool(name), json);
  assert.ok('error' in parsed, 'it was accepted');
  return parsed.error;
}

describe('tool input', () => {
  it('gives the object that fits', () => {
    const input = { path: 'a.ts', from: 3 };
    assert.deepEqual(parseInput(tool('file_read'), ` ${JSON.stringify(input)}\n`), { input });
    for (const nothing of ['', '  ', '{}']) assert.deepEqual(parseInput(tool('file_list'), nothing), { input: {} });
  });

  it('names every fault, what is accepted, and quotes what came', () => {
    assert.equal(
      refusal('file_read', '{"file":"a.ts","from":"3","lines":0}'),
      [
        'file_read was not run, its arguments do not fit:',
        '- path is missing',
        '- from: expected number, but it is "3"',
        '- lines: Too small: expected number to be >0, but it is 0',
        '- there is no argument "file"',
        'Accepted: path (string), from (integer, optional), lines (integer, optional).',
        'You sent: {"file":"a.ts","from":"3","lines":0}',
      ].join('\n'),
    );
  });

  it('says where in a list the fault is', () => {
    const error = refusal(
      'todo_write',
      '{"todos":[{"text":"a","status":"done"},{"text":"b","status":"completed","id":1}]}',
    );
    assert.match(error, /- todos\.1\.status: expected one of "pending"\|"in_progress"\|"done", but it is "completed"/);
    assert.match(error, /- todos\.1: there is no argument "id"/);
  });

  it('refuses what is no JSON object, quoting it', () => {
    assert.match(refusal('file_read', '{"path": "a.ts'), /they are no JSON: .*\n.*\nYou sent: \{"path": "a\.ts$/);
    for (const json of ['[]', 'null', '"a.ts"', '7']) assert.match(refusal('file_read', json), /no JSON object/);
    assert.match(refusal('run_command', ''), /command is missing[\s\S]*You sent: \(nothing\)/);
  });

  it('refuses empty search text and a command that is none', () => {
    assert.match(refusal('file_edit', '{"path":"a","old":"","new":"b"}'), /- old: Too small/);
    assert.match(refusal('run_command', '{"command":["ls"]}'), /- command: expected string, but it is a list/);
    assert.match(refusal('run_command', '{"command":"ls","timeout":-1}'), /- timeout: Too small/);
    assert.match(refusal('run_command', '{"command":"ls","background":true}'), /there is no argument "background"/);
  });

  it('refuses half a character rather than write something else', () => {
    assert.match(refusal('file_write', '{"path":"a","content":"\\ud83d"}'), /half a character/);
    assert.match(refusal('todo_write', '{"todos":[{"text":"\\ude00","status":"done"}]}'), /half a character/);
  });

  it('takes no argument that only looks like one', () => {
    assert.match(refusal('file_list', '{"__proto__":{"path":"x"}}'), /there is no argument "__proto__"/);
    assert.match(refusal('file_list', '{"constructor":1}'), /there is no argument "constructor"/);
  });

  it('answers anything at all with an input or a short text that is whole', () => {
    const json = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.json().map((text) => text.slice(0, -1)),
    );
    fc.assert(
      fc.property(json, fc.constantFrom(...tools), (text, candidate) => {
        const parsed = parseInput(candidate, text);
        if ('input' in parsed) assert.ok(candidate.schema.safeParse(parsed.input).success);
        else assert.doesNotMatch(parsed.error, /\p{Surrogate}/u);
      }),
    );
    assert.ok(
      refusal('file_write', JSON.stringify({ path: '😀'.repeat(9000), contents: '😀'.repeat(9000) })).length < 1500,
    );
    assert.ok(refusal('todo_write', '['.repeat(50_000)).length < 1500);
    assert.ok(refusal('file_list', `{"path":${'['.repeat(50_000)}${']'.repeat(50_000)}}`).length < 1500);
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key${index}`, index]));
    assert.ok(refusal('file_list', JSON.stringify(many)).length < 1500);
  });
});
