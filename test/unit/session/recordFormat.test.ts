import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { demoProvider } from '../../../src/providers/demo/provider.ts';
import { ProviderError } from '../../../src/providers/provider.ts';
import { isKind, type Session } from '../../../src/session/schema.ts';
import { tools } from '../../../src/tools/registry.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, silence, turn, until } from '../../support/engine.ts';

describe('the record of real turns', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  /** One session with all that step by step can happen in one: the demo model and real tools, then a model that fails. */
  const session = async (): Promise<Session> => {
    const { provider, person } = bench;
    const demo = demoProvider({ name: 'demo', pace_ms: 0 });
    bench.config = {
      ...bench.config,
      reasoning: 'high',
      permissions: [{ layer: 'project', rules: { tools: { file_search: 'deny' } } }],
    };
    bench.restart({
      tools,
      providers: () => ({ names: () => ['demo', 'mock'], get: (name) => (name === 'demo' ? demo : provider) }),
    });
    await writeFile(join(bench.folder, 'greeting.txt'), 'Hello, world.\n');
    const run = await bench.create();
    await run.setModel('demo/demo');
    await turn(run, 'List the files.');
    await turn(run, 'Change "Hello" to "Goodbye" in greeting.txt');
    person.answers.push({ answer: 'refused', note: 'Not now.' });
    await turn(run, 'Create notes.txt saying hi');
    await turn(run, 'Run echo hi');
    await turn(run, 'Search for Hello');
    await turn(run, 'Plan a look around.');
    await run.setMode('plan');
    await run.setModel('mock/m');
    provider.answer(
      [new ProviderError('Unauthorized: check the key.', { kind: 'auth', status: 401 })],
      ['Half an answer', { finish: 'length' }],
      [{ thinking: 'Only a thought.' }],
      [{ call: 'file_read', arguments: 'no JSON' }, { call: 'gone' }],
      ['Done.', { usage: { input_tokens: 10, output_tokens: 2 } }],
      ['Never ended', silence],
    );
    for (const prompt of ['Fail.', 'Cut off.', 'Say nothing.', 'Try odd calls.']) await turn(run, prompt);
    const { done } = await run.submit('Stop me.');
    await until(() => run.session.turns.at(-1)!.parts.length === 2);
    await run.stop();
    await done;
    assert.deepEqual(await bench.onDisk(run), run.session);
    return bench.onDisk(run);
  };

  it('is as documented, key by key (R1, R2, R12, R13)', async () => {
    const record = await session();
    assert.deepEqual(faultsOf(record), []);
    // And it has in it what can happen.
    const values = (list: readonly (string | undefined)[]) => [...new Set(list)].sort();
    assert.deepEqual(values(record.turns.map(({ status }) => status)), [
      'cancelled',
      'empty',
      'error',
      'ok',
      'truncated',
    ]);
    assert.deepEqual(values(record.turns.flatMap(({ parts }) => parts.map(({ type }) => type))), [
      'command',
      'text',
      'thinking',
      'tool',
      'user',
    ]);
    assert.deepEqual(values(record.turns.map(({ mode }) => mode)), ['build', 'plan', undefined].sort());
    assert.deepEqual(values(record.permissions.map(({ decision }) => decision)), ['declined', 'denied', 'granted']);
    assert.deepEqual(
      record.errors.map(({ code }) => code),
      [401, 0, 0],
    );
    assert.ok(record.turns.some(({ reasoning }) => reasoning === 'high'));
    assert.equal(await readFile(join(bench.folder, 'greeting.txt'), 'utf8'), 'Goodbye, world.\n');
    const edit = record.turns
      .flatMap(({ parts }) => parts)
      .find((part) => isKind(part, 'tool') && part.name === 'file_edit');
    assert.equal((edit!['files'] as unknown[]).length, 1);
  });

  it('is told from one that is not', async () => {
    const record = await session();
    const wrong: [what: string, change: (record: Session) => unknown][] = [
      ['an unknown key', (copy) => (copy['extra'] = 1)],
      ['an unknown key of a part', (copy) => (copy.turns[1]!.parts[0]!['extra'] = 1)],
      ['a missing key', (copy) => delete (copy as Partial<Session>).role],
      ['another form of time', (copy) => (copy.updated_at = '2026-08-17T12:00:00Z')],
      ['a gap in the turns', (copy) => copy.turns.splice(2, 1)],
      ['a turn that never ended', (copy) => (copy.turns[1]!.status = 'running')],
      ['a missing error', (copy) => copy.errors.pop()],
      ['an id of another name', (copy) => (copy.session_id = 'zzzzzz')],
      ['a decision on no call', (copy) => (copy.permissions[0]!.part = 1)],
      [
        'an allowed call that was declined',
        (copy) => (copy.permissions[0] = { ...copy.permissions[0]!, action: 'allow', decision: 'declined' }),
      ],
    ];
    for (const [what, change] of wrong) {
      const copy = structuredClone(record);
      change(copy);
      assert.notDeepEqual(faultsOf(copy), [], what);
    }
  });

  it('has one part per line, in a file that is JSON', async () => {
    const { session_name, turns } = await session();
    await bench.engine.close();
    const lines = (await readFile(bench.fileOf(session_name), 'utf8'))
      .split('\n')
      .map((line) => line.replace(/,$/, ''));
    for (const part of turns.flatMap(({ parts }) => parts)) assert.ok(lines.includes(JSON.stringify(part)));
  });
});
