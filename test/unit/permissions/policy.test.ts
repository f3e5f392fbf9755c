import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';

import type { PermissionRules } from '../../../src/config/schema.ts';
import { decide, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import { ACTIONS, type Action } from '../../../src/session/schema.ts';
import { tools } from '../../../src/tools/registry.ts';

describe('the permission policy', () => {
  let base: string;
  let workspace: string;

  before(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-policy-')));
    workspace = path.join(base, 'workspace');
    await mkdir(path.join(workspace, '.polyglav/sessions'), { recursive: true });
    await mkdir(path.join(workspace, '.git/hooks'), { recursive: true });
    await mkdir(path.join(base, 'outside'));
    await writeFile(path.join(workspace, 'a.ts'), '');
    await symlink('.polyglav', path.join(workspace, 'record'));
    await symlink(path.join(base, 'outside'), path.join(workspace, 'out'));
  });
  after(() => rm(base, { recursive: true, force: true }));

  function decideOn(
    name: string,
    input: Record<string, unknown>,
    permissions: PermissionConfig = [],
  ): Promise<Verdict> {
    return decide({ tool: tools.find((tool) => tool.name === name)!, input, workspace }, permissions);
  }

  async function actionOn(
    name: string,
    input: Record<string, unknown>,
    permissions: PermissionConfig = [],
  ): Promise<Action> {
    return (await decideOn(name, input, permissions)).action;
  }

  const user = (rules: PermissionRules): PermissionConfig[number] => ({ layer: 'user', rules });
  const project = (rules: PermissionRules): PermissionConfig[number] => ({ layer: 'project', rules });
  const everything = (action: Action): PermissionConfig => [
    user({ default: action, tools: Object.fromEntries(tools.map(({ name }) => [name, action])) }),
  ];

  it('lets the agent look around inside the workspace and asks for the rest', async () => {
    const expected: [name: string, input: Record<string, unknown>, action: Action][] = [
      ['file_read', { path: 'a.ts' }, 'allow'],
      ['file_list', {}, 'allow'],
      ['file_search', { pattern: 'x', path: '.' }, 'allow'],
      ['todo_write', { todos: [] }, 'allow'],
      ['file_write', { path: 'new.ts' }, 'ask'],
      ['file_edit', { path: 'a.ts' }, 'ask'],
      ['run_command', { command: 'ls' }, 'ask'],
    ];
    for (const [name, input, action] of expected) {
      const verdict = await decideOn(name, input);
      assert.deepEqual([name, verdict.action, verdict.by, verdict.outside], [name, action, 'default', false]);
    }
  });

  it('gives the real path to record, the folder of a command, and none for a tool without either (R13)', async () => {
    assert.equal((await decideOn('file_read', { path: 'a.ts' })).path, path.join(workspace, 'a.ts'));
    assert.equal((await decideOn('file_write', { path: 'out/x' })).path, path.join(base, 'outside/x'));
    assert.equal((await decideOn('run_command', { command: 'ls' })).path, workspace);
    assert.equal((await decideOn('todo_write', { todos: [] })).path, undefined);
  });

  it('says where each path led, for the call to be held to it', async () => {
    const { resolved } = await decideOn('file_write', { path: 'out/x' });
    assert.deepEqual([...resolved], [['out/x', path.join(base, 'outside/x')]]);
  });

  it('takes the strictest rule for the tool, in whatever layer (P2)', async () => {
    const both = [project({ tools: { run_command: 'ask' } }), user({ tools: { run_command: { action: 'deny' } } })];
    for (const permissions of [both, both.toReversed()]) {
      const verdict = await decideOn('run_command', { command: 'ls' }, permissions);
      assert.deepEqual([verdict.action, verdict.by], ['deny', 'user: run_command deny']);
    }
    const allowed = await decideOn('file_edit', { path: 'a.ts' }, [user({ tools: { file_edit: 'allow' } })]);
    assert.deepEqual([allowed.action, allowed.by], ['allow', 'user: file_edit allow']);
  });

  it('lets no layer lift, by naming a tool, what another one holds for all (P5)', async () => {
    const permissions = [project({ tools: { run_command: 'ask' } }), user({ default: 'deny' })];
    const verdict = await decideOn('run_command', { command: 'ls' }, permissions);
    assert.deepEqual([verdict.action, verdict.by], ['deny', 'user: default deny']);
  });

  it('takes the default of a layer only where none of its rules names the tool', async () => {
    const permissions = [user({ default: 'deny', tools: { file_read: 'allow' } }), project({ default: 'allow' })];
    assert.equal(await actionOn('file_read', { path: 'a.ts' }, permissions), 'allow');
    const verdict = await decideOn('file_list', {}, permissions);
    assert.deepEqual([verdict.action, verdict.by], ['deny', 'user: default deny']);
    assert.equal(await actionOn('run_command', { command: 'ls' }, [user({ default: 'allow' })]), 'allow');
  });

  it('always asks outside the workspace, for reading too, whatever is allowed (P4)', async () => {
    const paths = ['/etc/hosts', '..', '../outside/x', 'out', 'out/new.txt', path.join(base, 'outside')];
    for (const given of paths)
      for (const name of ['file_read', 'file_list', 'file_write', 'file_edit']) {
        const verdict = await decideOn(name, { path: given }, everything('allow'));
        assert.deepEqual([verdict.action, verdict.outside], ['ask', true], `${name} ${given}`);
        assert.match(verdict.ask_reason!, /^outside the workspace: \//);
      }
    assert.equal(await actionOn('file_search', { pattern: 'x', path: 'out' }, everything('allow')), 'ask');
  });

  it('still denies outside what is denied', async () => {
    const verdict = await decideOn('file_read', { path: '/etc/hosts' }, everything('deny'));
    assert.deepEqual([verdict.action, verdict.outside], ['deny', true]);
  });

  it('denies writing into the record and into git, whatever is allowed (R15)', async () => {
    const paths = [
      '.polyglav/config.json',
      '.polyglav',
      '.polyglav/plans/a.md',
      'record/sessions/a.json',
      './src/../.polyglav/x',
      '.Polyglav/config.json',
      'sub/.polyglav/config.json',
      '/somewhere/.polyglav/config.json',
      '.git/hooks/pre-commit',
      '.git',
      'sub/.git/config',
      '.GIT/config',
    ];
    for (const given of paths)
      for (const name of ['file_write', 'file_edit']) {
        const verdict = await decideOn(name, { path: given }, everything('allow'));
        assert.equal(verdict.action, 'deny', `${name} ${given}`);
        assert.match(verdict.denied_reason!, /may not write inside/);
        assert.match(verdict.by, /^shipped: \.(polyglav|git)\/ deny$/);
      }
    for (const given of ['.gitignore', '.github/ci.yml', 'a.git', 'polyglav/x'])
      assert.equal(await actionOn('file_write', { path: given }, everything('allow')), 'allow', given);
    assert.equal(await actionOn('file_read', { path: '.polyglav/config.json' }), 'allow');
  });

  it('denies the record also where it is a link to a folder of another name', async () => {
    const folder = path.join(base, 'linked');
    await mkdir(path.join(base, 'elsewhere'));
    await mkdir(folder);
    await symlink('../elsewhere', path.join(folder, '.polyglav'));
    const tool = tools.find(({ name }) => name === 'file_write')!;
    for (const given of ['.polyglav/x', '../elsewhere/x']) {
      const verdict = await decide({ tool, input: { path: given }, workspace: folder }, everything('allow'));
      assert.equal(verdict.action, 'deny', given);
    }
  });

  it('asks even to read an .env file (P2)', async () => {
    for (const given of ['.env', 'sub/.env.local', '.ENV', '.env/bin/python']) {
      const verdict = await decideOn('file_read', { path: given }, everything('allow'));
      assert.deepEqual([verdict.action, verdict.outside, verdict.by], ['ask', false, 'shipped: .env* ask'], given);
      assert.match(verdict.ask_reason!, /may hold passwords/);
    }
    assert.equal(await actionOn('file_read', { path: '.env' }, everything('deny')), 'deny');
    assert.equal(await actionOn('file_read', { path: 'src/env.ts' }, everything('allow')), 'allow');
  });

  it('leaves a path that cannot be used to the tool, which refuses it', async () => {
    for (const given of ['a\0b', '~/x', '']) {
      const verdict = await decideOn('file_read', { path: given });
      assert.deepEqual([verdict.path, verdict.outside], [undefined, false]);
    }
  });

  describe('laws', () => {
    const action = fc.constantFrom(...ACTIONS);
    const rules = fc.record(
      {
        default: action,
        tools: fc.dictionary(
          fc.constantFrom(...tools.map(({ name }) => name)),
          fc.oneof(
            action,
            action.map((one) => ({ action: one })),
          ),
        ),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<PermissionRules>;
    const config = fc.array(fc.record({ layer: fc.constantFrom('user' as const, 'project' as const), rules }), {
      maxLength: 3,
    });
    const call = fc.record({
      name: fc.constantFrom(...tools.map((tool) => tool.name)),
      path: fc.constantFrom('a.ts', '.env', '.git/x', 'out/x', '/etc', '.polyglav/x'),
    });
    const strictness = (verdict: Verdict) => ACTIONS.indexOf(verdict.action);
    const judge = ({ name, path: given }: { name: string; path: string }, permissions: PermissionConfig) =>
      decideOn(name, { path: given, pattern: 'x', command: 'ls', todos: [] }, permissions);

    it('a rule for the tool more never allows more than the rules for it did', async () => {
      await fc.assert(
        fc.asyncProperty(
          call,
          config,
          action,
          fc.constantFrom('user' as const, 'project' as const),
          async (one, permissions, more, layer) => {
            fc.pre(permissions.some(({ rules: { tools: named } }) => Object.hasOwn(named ?? {}, one.name)));
            const added = { layer, rules: { tools: { [one.name]: more } } } as PermissionConfig[number];
            const before = strictness(await judge(one, permissions));
            assert.ok(strictness(await judge(one, [...permissions, added])) >= before);
          },
        ),
      );
    });

    it('a deny more never allows more, for the tool or as default', async () => {
      await fc.assert(
        fc.asyncProperty(call, config, fc.boolean(), async (one, permissions, asDefault) => {
          const added = {
            layer: 'user',
            rules: asDefault ? { default: 'deny' } : { tools: { [one.name]: 'deny' } },
          } as PermissionConfig[number];
          const before = strictness(await judge(one, permissions));
          assert.ok(strictness(await judge(one, [...permissions, added])) >= before);
          assert.ok(strictness(await judge(one, [added, ...permissions])) >= before);
          if (!asDefault) assert.equal((await judge(one, [added, ...permissions])).action, 'deny');
        }),
      );
    });

    it('the order of the layers does not matter', async () => {
      await fc.assert(
        fc.asyncProperty(call, config, async (one, permissions) => {
          assert.equal((await judge(one, permissions)).action, (await judge(one, permissions.toReversed())).action);
        }),
      );
    });

    it('nothing that is configured lets a call out of the workspace, or a writing one into the record', async () => {
      await fc.assert(
        fc.asyncProperty(call, config, async (one, permissions) => {
          const { action: decided, outside } = await judge(one, permissions);
          if (outside) assert.notEqual(decided, 'allow');
          if (/^file_(write|edit)$/.test(one.name) && one.path.startsWith('.polyglav')) assert.equal(decided, 'deny');
        }),
      );
    });
  });
});
