import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PermissionRules } from '../../../src/config/permissionSchema.ts';
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

    it(`${name} tells nothing of a file that a rule for its path keeps from being read, by whatever way (F13)`, async () => {
      const ways = ['src/plain.txt', 'SRC/../src/plain.txt', 'link', join(bench.folder, 'link'), 'src/Plain.TXT'];
      await symlink('src/plain.txt', join(bench.folder, 'link'));
      const rules: PermissionRules = {
        tools: {
          file_read: { paths: { 'src/plain.txt': 'deny' } },
          file_search: 'allow',
          file_list: 'allow',
          run_command: 'allow',
        },
      };
      const { outputs, live } = await told(callsOn(...ways, 'src', '.'), rules);
      const shown = JSON.stringify([outputs, live]);
      // A command that reads a whole folder is only as careful as what the person allows.
      assert.doesNotMatch(shown, new RegExp(PLAIN));
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

  it('that write know what the model read, also after the session was opened again (P1)', async () => {
    bench.config = { ...bench.config, permissions: [{ layer: 'user', rules: { default: 'allow' } }] };
    const write = (content: string) => ({ call: 'file_write', arguments: { path: 'src/plain.txt', content } });
    const run = await bench.create();
    const outputs = async (session: typeof run, ...calls: { call: string; arguments: Record<string, unknown> }[]) => {
      bench.provider.answer(calls, ['ok']);
      assert.equal(await turn(session), 'ok');
      return callsOf(session.session)
        .slice(-calls.length)
        .map(({ output }) => output ?? '');
    };
    assert.match((await outputs(run, write('x')))[0]!, /you have not read it/);
    assert.match(
      (await outputs(run, { call: 'file_read', arguments: { path: 'src/plain.txt' } }, write('one')))[1]!,
      /^Replaced/,
    );
    bench.restart({ ripgrep });
    const again = await bench.open(run.session.session_name);
    assert.match((await outputs(again, write('two')))[0]!, /^Replaced/);
    await writeFile(join(bench.folder, 'src/plain.txt'), 'somebody else');
    assert.match((await outputs(again, write('three')))[0]!, /has changed since you last read it/);
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
    assert.deepEqual(bench.person.asks, []);
    // The one that no rule could allow is decided; the others are not worth a question.
    const decided = permissions.map(({ action, decision, path, part, by }) => [action, decision, path, part, by]);
    assert.deepEqual(decided, [['deny', 'denied', undefined, 4, 'shipped: unusable path deny']]);
  });
});
