import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { PermissionRules } from '../../../src/config/permissionSchema.ts';
import { decide, UNUSABLE, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import { readingRules } from '../../../src/permissions/reading.ts';
import { strictest } from '../../../src/permissions/rules.ts';
import type { Action } from '../../../src/session/schema.ts';
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
      assert.deepEqual([name, verdict.action, verdict.by, verdict.only_once], [name, action, 'default', false]);
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
        assert.deepEqual([verdict.action, verdict.only_once], ['ask', true], `${name} ${given}`);
        assert.match(verdict.ask_reason!, /^outside the workspace: \//);
      }
    assert.equal(await actionOn('file_search', { pattern: 'x', path: 'out' }, everything('allow')), 'ask');
  });

  it('still denies outside what is denied', async () => {
    const verdict = await decideOn('file_read', { path: '/etc/hosts' }, everything('deny'));
    assert.deepEqual([verdict.action, verdict.only_once], ['deny', true]);
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
      assert.deepEqual([verdict.action, verdict.only_once, verdict.by], ['ask', false, 'shipped: .env* ask'], given);
      assert.match(verdict.ask_reason!, /may hold passwords/);
    }
    assert.equal(await actionOn('file_read', { path: '.env' }, everything('deny')), 'deny');
    assert.equal(await actionOn('file_read', { path: 'src/env.ts' }, everything('allow')), 'allow');
  });

  it('denies what cannot be looked up, and says why', async () => {
    for (const [given, why] of [
      ['a\0b', /NUL/],
      ['~/x', /home folder/],
      ['', /empty/],
    ] as const) {
      const verdict = await decideOn('file_read', { path: given }, everything('allow'));
      assert.deepEqual(
        [verdict.path, verdict.only_once, verdict.action, verdict.by],
        [undefined, false, 'deny', UNUSABLE],
      );
      assert.match(verdict.denied_reason!, why);
    }
  });

  describe('by rules for paths', () => {
    const edit = (...layers: PermissionConfig) => {
      return async (given: string): Promise<string> => {
        const { action, by } = await decideOn('file_edit', { path: given }, layers);
        return `${action} ${by}`;
      };
    };
    const paths = (rules: Record<string, Action>, action?: Action): PermissionRules => ({
      tools: { file_edit: { ...(action === undefined ? {} : { action }), paths: rules } },
    });

    it('takes the strictest that matches, and names it with its layer', async () => {
      const by = edit(user(paths({ 'src/**': 'allow', 'src/db/*': 'ask', '**/*.lock': 'deny' })));
      assert.equal(await by('src/a.ts'), 'allow user: file_edit "src/**" allow');
      assert.equal(await by('src/db/a.ts'), 'ask user: file_edit "src/db/*" ask');
      assert.equal(await by('src/db/deep/a.ts'), 'allow user: file_edit "src/**" allow');
      assert.equal(await by('src/db/yarn.lock'), 'deny user: file_edit "**/*.lock" deny');
      assert.equal(await by('a.ts'), 'ask default');
    });

    it('finds the action of a tool only where no rule for a path of the layer matches, and the default only after that', async () => {
      const by = edit(user({ default: 'allow', ...paths({ 'src/**': 'allow', 'src/x': 'ask' }, 'deny') }));
      assert.equal(await by('src/a.ts'), 'allow user: file_edit "src/**" allow');
      assert.equal(await by('src/x'), 'ask user: file_edit "src/x" ask');
      assert.equal(await by('a.ts'), 'deny user: file_edit deny');
      const unnamed = edit(user({ default: 'deny', ...paths({ 'src/**': 'allow' }) }));
      assert.equal(await unnamed('src/a.ts'), 'allow user: file_edit "src/**" allow');
      assert.equal(await unnamed('a.ts'), 'deny user: default deny');
    });

    it('lets no layer lift what another one says, narrower or not (P5)', async () => {
      const narrow = project(paths({ 'src/**': 'allow' }));
      for (const strict of ['ask', 'deny'] as const) {
        const by = edit(narrow, user({ tools: { file_edit: strict } }));
        assert.equal(await by('src/a.ts'), `${strict} user: file_edit ${strict}`);
        const other = edit(user(paths({ 'src/**': 'allow' })), project({ tools: { file_edit: strict } }));
        assert.equal(await other('src/a.ts'), `${strict} project: file_edit ${strict}`);
      }
    });

    it('lets a rule for the folder, where "always" writes, go before a wider ask of the user, and before no deny', async () => {
      const folder: PermissionConfig[number] = { layer: 'folder', rules: paths({ 'a.ts': 'allow' }) };
      const allowed = 'allow folder: file_edit "a.ts" allow';
      assert.equal(await edit(folder)('a.ts'), allowed);
      assert.equal(await edit(folder, user({ default: 'ask' }))('a.ts'), allowed);
      assert.equal(await edit(folder, user({ tools: { file_edit: 'ask' } }))('a.ts'), allowed);
      assert.equal(await edit(folder, user({ tools: { file_edit: 'ask' } }))('b.ts'), 'ask user: file_edit ask');
      assert.equal(await edit(folder, user({ default: 'deny' }))('a.ts'), 'deny user: default deny');
      assert.equal(await edit(folder, user({ tools: { file_edit: 'deny' } }))('a.ts'), 'deny user: file_edit deny');
      assert.equal(await edit(folder, user(paths({ 'a.*': 'ask' })))('a.ts'), 'ask user: file_edit "a.*" ask');
      assert.equal(await edit(folder, project({ default: 'ask' }))('a.ts'), 'ask project: default ask');
      const whole: PermissionConfig[number] = { layer: 'folder', rules: { tools: { file_edit: 'allow' } } };
      assert.equal(await edit(whole, user(paths({}, 'ask')))('b.ts'), 'allow folder: file_edit allow');
      const wide: PermissionConfig[number] = { layer: 'folder', rules: { default: 'allow' } };
      assert.equal(await edit(wide, user(paths({}, 'ask')))('b.ts'), 'ask user: file_edit ask');
    });

    it('compares real paths', async () => {
      const by = edit(user(paths({ 'src/**': 'deny', 'linked/**': 'allow' })));
      await mkdir(path.join(workspace, 'src'), { recursive: true });
      await symlink('src', path.join(workspace, 'linked'));
      assert.equal(await by('linked/a.ts'), 'deny user: file_edit "src/**" deny');
      assert.equal(await by('x/../src/a.ts'), 'deny user: file_edit "src/**" deny');
      assert.equal(await by(path.join(workspace, 'src/a.ts')), 'deny user: file_edit "src/**" deny');
      assert.equal(await by('src'), 'deny user: file_edit "src/**" deny');
    });

    it('does not let a disk that tells no letter case open what is denied, nor allows by another case', async () => {
      const by = edit(user(paths({ 'secrets/**': 'deny', 'src/**': 'allow', 'Straße/é.txt': 'ask' })));
      for (const given of ['Secrets/a', 'SECRETS/x', 'ſecrets/x', 'secrets./x', 'se\u200bcrets/x'])
        assert.match(await by(given), /^deny user/, given);
      assert.equal(await by('SRC/a.ts'), 'ask default');
      assert.match(await by('straße/e\u0301.TXT'), /^ask user/);
    });

    it('reaches what is outside, to deny it: from the root or by "../" (P4)', async () => {
      const by = edit(
        user(paths({ '/etc/**': 'deny', '../outside/*': 'deny', '**/secrets.txt': 'deny', '**': 'allow' })),
      );
      for (const given of ['/etc/hosts', 'out/x', '../outside/x', '../other/secrets.txt', 'secrets.txt'])
        assert.match(await by(given), /^deny user/, given);
      assert.equal(await by('/usr/x'), 'ask shipped: outside ask');
      assert.equal(await by('../other/x'), 'ask shipped: outside ask');
    });

    it('gives the rule as the reason of a question that it alone makes', async () => {
      const asking = user(paths({ 'src/**': 'ask' }, 'ask'));
      const { ask_reason } = await decideOn('file_edit', { path: 'src/a.ts' }, [asking]);
      assert.equal(ask_reason, 'by the rule file_edit "src/**" ask');
      assert.equal((await decideOn('file_edit', { path: 'a.ts' }, [asking])).ask_reason, undefined);
    });

    it('holds a search back where reading is held back', async () => {
      const reading = user({ tools: { file_read: { paths: { 'secrets/**': 'deny', 'notes/**': 'ask' } } } });
      for (const name of ['file_search', 'file_list']) {
        assert.equal(await actionOn(name, { path: 'secrets/a', pattern: 'x' }, [reading]), 'deny');
        assert.equal(await actionOn(name, { path: 'notes', pattern: 'x' }, [reading]), 'ask');
        assert.equal(await actionOn(name, { path: 'src', pattern: 'x' }, [reading]), 'allow');
      }
      const of = readingRules(workspace, [reading]);
      assert.equal(of(path.join(workspace, 'secrets/a')), 'deny');
      assert.equal(of(path.join(workspace, 'src/a')), 'allow');
    });

    it('judges each path of a tool that has several, and records the first', async () => {
      const tool = {
        name: 'file_edit',
        reads_only: false,
        paths: ({ path: given }: Record<string, unknown>) => String(given).split(' '),
      };
      const on = async (given: string, rules: Record<string, Action>) => {
        const verdict = await decide({ tool, input: { path: given }, workspace }, [user(paths(rules))]);
        return [verdict.action, path.relative(workspace, verdict.path!)];
      };
      assert.deepEqual(await on('a b', { a: 'allow', b: 'allow' }), ['allow', 'a']);
      assert.deepEqual(await on('a b', { a: 'allow' }), ['ask', 'a']);
      assert.deepEqual(await on('b a', { a: 'deny', b: 'allow' }), ['deny', 'b']);
      assert.deepEqual(await on('a ../x', { '**': 'allow' }), ['ask', 'a']);
    });

    it('bounds what is recorded and shown of a long rule', async () => {
      const long = `${'😀/'.repeat(300)}*`;
      const { by } = await decideOn('file_edit', { path: `${'😀/'.repeat(300)}x` }, [user(paths({ [long]: 'deny' }))]);
      assert.ok([...by].length < 250 && by.endsWith('…') && by.isWellFormed(), by);
    });
  });

  describe('of what ships', () => {
    const on = async (given: string, rules: PermissionConfig, name = 'file_edit') => {
      return actionOn(name, { path: given }, rules);
    };
    const paths = (rules: Record<string, Action>, tool = 'file_edit'): PermissionRules => ({
      tools: { [tool]: { paths: rules } },
    });

    it("gives way, for .git/, to a user's rule that names it and allows (P2)", async () => {
      for (const pattern of ['.git/info/exclude', '.git/**', '**/.git/**', '.\\git/info/*'])
        assert.equal(await on('.git/info/exclude', [user(paths({ [pattern]: 'allow' }))]), 'allow', pattern);
      const folder: PermissionConfig = [{ layer: 'folder', rules: paths({ '.git/info/exclude': 'allow' }) }];
      assert.equal(await on('.git/info/exclude', folder), 'allow');
      assert.equal(await on('.git/hooks/pre-commit', folder), 'deny');
      assert.equal(await on('.git/x', [user(paths({ '.git/**': 'ask' }))]), 'ask');
    });

    it('gives way to no rule that does not name it, and to none of a project (P5)', async () => {
      for (const pattern of ['**', '*/**', '.g*/**', '.[g]it/**', '{.git,x}/**', '?git/**'])
        assert.equal(await on('.git/info/exclude', [user(paths({ [pattern]: 'allow' }))]), 'deny', pattern);
      assert.equal(await on('.git/x', [project(paths({ '.git/**': 'allow' }))]), 'deny');
      assert.equal(await on('.git/x', [user(paths({ '.git/**': 'allow' }, 'file_write'))]), 'deny');
      assert.equal(await on('.git/x', [user(paths({ '.git/**': 'allow', '.git/x': 'deny' }))]), 'deny');
    });

    it('never lifts the denial of the record, nor the question for what is outside (R15, P4)', async () => {
      const all = paths({ '.polyglav/**': 'allow', '../outside/**': 'allow', '/**': 'allow', '**': 'allow' });
      for (const layer of ['user', 'folder', 'project'] as const) {
        assert.equal(await on('.polyglav/x', [{ layer, rules: all }]), 'deny');
        assert.equal(await on('../outside/x', [{ layer, rules: all }]), 'ask');
      }
    });

    it("asks for files that hold secrets, and gives way to a user's rule that names them", async () => {
      const read = (given: string, rules: Record<string, Action>) =>
        on(given, [user(paths(rules, 'file_read'))], 'file_read');
      const secret = [
        '.env',
        'a/.env.local',
        'x.pem',
        'certs/server.key',
        '.ssh/config',
        'id_ed25519',
        'a/credentials',
      ];
      for (const given of secret) {
        assert.equal(await read(given, { '**': 'allow' }), 'ask', given);
        assert.equal(await read(given, { [given]: 'allow' }), 'allow', given);
        assert.equal(await on(given, [project(paths({ [given]: 'allow' }, 'file_read'))], 'file_read'), 'ask', given);
      }
      assert.equal(await read('a/.env.local', { 'a/.env*': 'allow' }), 'allow');
      assert.equal(await read('certs/server.key', { 'certs/*.key': 'allow' }), 'allow');
      assert.equal(await read('.env.d/server.key', { '.env.d/**': 'allow' }), 'ask');
      for (const given of ['.ENV', 'ID_RSA', 'X.PEM', 'a/.env::$DATA', '.env.'])
        assert.equal(await read(given, {}), 'ask', given);
      for (const given of ['id_rsa.pub', 'keys.ts', 'src/credentials/index.ts', 'environment', 'a.pem.md'])
        assert.equal(await read(given, {}), 'allow', given);
    });
  });

  describe('for an address', () => {
    const fetch = {
      name: 'web_fetch',
      reads_only: true,
      paths: () => [],
      address: ({ url }: Record<string, unknown>) => String(url),
    };
    const on = async (url: string, permissions: PermissionConfig = []) => {
      const verdict = await decide({ tool: fetch, input: { url }, workspace }, permissions);
      return [verdict.action, verdict.only_once, verdict.by];
    };

    it('asks, also in modes that only read, unless it is allowed', async () => {
      assert.deepEqual(await on('https://example.com/a'), ['ask', false, 'default']);
      const allowed = [user({ default: 'allow' })];
      assert.deepEqual(await on('https://example.com/a', allowed), ['allow', false, 'user: default allow']);
      assert.deepEqual(await on('https://example.com/a', [user({ default: 'deny' })]), [
        'deny',
        false,
        'user: default deny',
      ]);
    });

    it('asks of the tool that there is, also for what is no address', async () => {
      const web = tools.find(({ name }) => name === 'web_fetch')!;
      for (const input of [{}, { url: '' }, { url: 7 }]) {
        const { action, only_once } = await decide({ tool: web, input, workspace }, []);
        assert.deepEqual([action, only_once], ['ask', true]);
      }
    });

    it('asks for a private one each time, whatever is allowed', async () => {
      for (const url of ['http://localhost:8080/', 'http://127.1/', 'http://[::ffff:10.0.0.1]/', 'nonsense'])
        assert.deepEqual(
          await on(url, [user({ default: 'allow' })]),
          ['ask', true, 'shipped: private address ask'],
          url,
        );
      assert.equal((await on('http://localhost/', [user({ default: 'deny' })]))[0], 'deny');
    });
  });

  it('denies what nobody has judged', () => {
    assert.equal(strictest([]).action, 'deny');
  });
});
