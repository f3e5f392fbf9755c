import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PermissionRules } from '../../../src/config/schema.ts';
import { tools } from '../../../src/tools/registry.ts';
import { Bench, callsOf, turn } from '../../support/engine.ts';
import { ripgrep } from '../tools/workspace.ts';

const SECRET = 'hunter2-of-prod';
/** In a file that may be read where no rule says otherwise. */
const PLAIN = 'hunter1-of-test';
/** In the folder outside, beside the file that a call names. */
const NEIGHBOUR = 'credentials-of-prod';

/** What each tool is called with to get at a file or folder that it may not show. */
const INPUTS: Record<string, (target: string) => Record<string, unknown>[]> = {
  file_read: (path) => [{ path }],
  file_list: (path) => [{ path }, { path, pattern: '**' }],
  file_search: (path) => [{ path, pattern: 'hunter' }],
  file_write: (path) => [
    { path, content: 'x' },
    { path: `${path}/`, content: 'x' },
  ],
  file_edit: (path) => [
    { path, old: 'password: hunter', new: 'x' },
    { path, old: 'password: hunter3-of-prod', new: 'x' },
    { path, old: 'p', new: 'x' },
    { path, old: 'p', new: 'p', all: true },
  ],
  run_command: (path) => [{ command: `cat ${path}` }],
  web_fetch: (path) => [{ url: `file://${path}` }],
  todo_write: () => [{ todos: [{ text: 'Read it', status: 'pending' }] }],
};

describe('agent/call, with the tools that there are', () => {
  let bench: Bench;
  let outside: string;
  beforeEach(async () => {
    bench = await Bench.make();
    bench.tools = tools;
    bench.restart({ ripgrep });
    outside = await realpath(await mkdtemp(join(tmpdir(), 'polyglav-outside-')));
    await mkdir(join(bench.folder, 'src'));
    const text = `user: root\npassword: ${SECRET}\npassword: none\n`;
    for (const file of [join(outside, NEIGHBOUR), join(bench.folder, '.env')]) await writeFile(file, text);
    await writeFile(join(bench.folder, 'src/plain.txt'), text.replace(SECRET, PLAIN));
  });
  afterEach(async () => {
    await bench.close();
    await rm(outside, { recursive: true, force: true });
  });

  /** All that came of the calls, for the model or for the panel, when the person says no to every question. */
  const told = async (calls: { call: string; arguments: Record<string, unknown> }[], rules: PermissionRules = {}) => {
    bench.config = { ...bench.config, permissions: [{ layer: 'user', rules }] };
    bench.person.answers.push(...calls.map(() => ({ answer: 'refused' as const })));
    bench.provider.answer(calls, ['ok']);
    const run = await bench.create();
    assert.equal(await turn(run), 'ok');
    const outputs = callsOf(run.session).map(({ output }) => output);
    assert.equal(outputs.length, calls.length);
    return {
      outputs,
      permissions: run.session.permissions,
      live: bench.events.filter(({ type }) => type === 'output'),
    };
  };

  it('are all in the table below', () => {
    assert.deepEqual(
      Object.keys(INPUTS),
      tools.map(({ name }) => name),
    );
  });

  for (const [name, inputs] of Object.entries(INPUTS)) {
    const callsOn = (...targets: string[]) =>
      targets.flatMap((target) => inputs(target).map((input) => ({ call: name, arguments: input })));

    it(`${name} tells nothing of what is outside the workspace when the person says no (P4)`, async () => {
      const { outputs, live, permissions } = await told(
        callsOn(join(outside, NEIGHBOUR), join(outside, 'credentials-of-prot'), outside, join(outside, 'x/y')),
      );
      const named = outputs.map((output) => output?.replaceAll(join(outside, NEIGHBOUR), ''));
      assert.doesNotMatch(JSON.stringify([named, live]), new RegExp(`${SECRET}|${NEIGHBOUR}`));
      assert.equal(permissions.length, outputs.length);
    });

    it(`${name} tells nothing of what is in a .env file when the person says no (P2)`, async () => {
      const { outputs, live } = await told(callsOn('.env', join(bench.folder, '.env'), '.'));
      assert.doesNotMatch(JSON.stringify([outputs, live]), new RegExp(SECRET));
    });

    it(`${name} tells nothing when a rule denies it`, async () => {
      const { outputs, permissions } = await told(callsOn('src/plain.txt', 'src/plain.tx', 'src'), { default: 'deny' });
      assert.doesNotMatch(JSON.stringify(outputs), new RegExp(`${PLAIN}|plain\\.txt`));
      assert.ok(permissions.every(({ decision }) => decision === 'denied'));
    });
  }

  for (const action of ['ask', 'deny'] as const)
    it(`that write tell nothing of a file that file_read ${action === 'ask' ? 'is asked for' : 'may not read'} (R13)`, async () => {
      const calls = ['file_edit', 'file_write'].flatMap((call) =>
        INPUTS[call]!('src/plain.txt').map((input) => ({ call, arguments: input })),
      );
      const { outputs, permissions } = await told(calls, { tools: { file_read: action } });
      assert.doesNotMatch(JSON.stringify(outputs), new RegExp(PLAIN));
      assert.deepEqual(
        permissions.map(({ decision, by }) => [decision, by]),
        calls.map(() => ['declined', 'refused']),
      );
      // The person is asked without a diff where there can be none.
      assert.deepEqual(bench.person.asks.map(({ change }) => change === undefined).slice(0, 2), [false, true]);
    });

  it('that write say at once what is wrong with a change of a file that may be read', async () => {
    const { outputs, permissions } = await told([
      { call: 'file_edit', arguments: { path: 'src/plain.txt', old: 'password: hunter3-of-test', new: 'x' } },
      { call: 'file_edit', arguments: { path: 'src/plain.tx', old: 'a', new: 'b' } },
      { call: 'file_edit', arguments: { path: '~/x', old: 'a', new: 'b' } },
    ]);
    assert.match(outputs[0]!, new RegExp(PLAIN));
    assert.match(outputs[1]!, /Did you mean src\/plain\.txt/);
    assert.match(outputs[2]!, /"~" is not the home folder/);
    assert.deepEqual([bench.person.asks, permissions], [[], []]);
  });
});
