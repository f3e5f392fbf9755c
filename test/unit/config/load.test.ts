import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { describeProblem, loadConfig, polyglavHome } from '../../../src/config/load.ts';
import { secretEnvNames } from '../../../src/config/schema.ts';
import { confirm } from '../../../src/config/trusted.ts';

describe('config/load', () => {
  let base: string;
  let workspace: string;
  let home: string;
  let projectFile: string;
  let userFile: string;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'polyglav-config-'));
    workspace = join(base, 'workspace');
    home = join(base, 'home');
    projectFile = join(workspace, '.polyglav', 'config.json');
    userFile = join(home, 'config.json');
    await mkdir(join(workspace, '.polyglav'), { recursive: true });
    await mkdir(home);
  });
  afterEach(() => rm(base, { recursive: true }));

  const load = () => loadConfig({ workspace, home });
  /** With the user's yes to what the project brings. */
  const confirmed = async () => {
    const { unconfirmed } = await load();
    if (unconfirmed !== undefined) await confirm(unconfirmed, home);
    return load();
  };
  const write = (file: string, value: unknown) => writeFile(file, JSON.stringify(value));
  const chat = (base_url: string, api_key_env?: string) => ({
    type: 'openai-chat',
    base_url,
    ...(api_key_env === undefined ? {} : { api_key_env }),
  });

  it('is empty without files and without the folders', async () => {
    const nothing = {
      config: { providers: {}, models: {}, permissions: [], key_envs: [], header_secrets: [] },
      problems: [],
      sections: [],
    };
    assert.deepEqual(await load(), nothing);
    assert.deepEqual(await loadConfig({ workspace: join(base, 'no'), home: join(base, 'nor') }), nothing);
  });

  it('puts the project over the user, by key in the maps, whole values', async () => {
    await write(userFile, {
      model: 'a/user',
      mode: 'plan',
      reasoning: 'high',
      providers: { a: chat('http://user-a'), b: chat('http://user-b', 'USER_KEY') },
      models: { 'a/x': { context_window: 10, reasoning: 'low' } },
    });
    await write(projectFile, {
      model: 'a/project',
      reasoning: false,
      providers: { a: chat('http://project-a'), c: { type: 'demo' } },
      models: { 'a/x': { context_window: 20 }, 'a/y': {} },
    });
    const { config, problems } = await confirmed();
    assert.deepEqual(problems, []);
    assert.deepEqual(config, {
      model: 'a/project',
      mode: 'plan',
      reasoning: false,
      providers: { a: chat('http://project-a'), b: chat('http://user-b', 'USER_KEY'), c: { type: 'demo' } },
      models: { 'a/x': { context_window: 20 }, 'a/y': {} },
      permissions: [],
      key_envs: ['USER_KEY'],
      header_secrets: [],
    });
  });

  it('takes the rules for a folder by where its path leads, and for no other folder (P3)', async () => {
    const rules = (name: string) => ({ tools: { file_edit: { paths: { [name]: 'allow' } } } });
    await symlink(workspace, join(base, 'link'));
    await mkdir(join(base, 'other'));
    const folders = {
      [workspace]: { permissions: rules('by its path') },
      [join(base, 'link')]: { permissions: rules('by a link') },
      [`${base}/home/../workspace/`]: { permissions: rules('by a long path') },
      [join(base, 'other')]: { permissions: rules('other') },
      [join(workspace, 'sub')]: { permissions: rules('not there') },
      [base]: {},
    };
    await write(userFile, { folders, permissions: { default: 'ask' } });
    const { config, problems } = await load();
    assert.deepEqual(problems, []);
    assert.deepEqual(config.permissions, [
      { layer: 'folder', rules: rules('by its path') },
      { layer: 'folder', rules: rules('by a link') },
      { layer: 'folder', rules: rules('by a long path') },
      { layer: 'user', rules: { default: 'ask' } },
    ]);
    assert.deepEqual((await loadConfig({ workspace: undefined, home })).config.permissions.length, 1);
  });

  it('takes no rules for folders from a project, and says whose file they belong in (P5)', async () => {
    await write(projectFile, { folders: { [workspace]: { permissions: { default: 'deny' } } } });
    const { config, problems } = await load();
    assert.deepEqual(config.permissions, []);
    assert.deepEqual(
      problems.map(({ file, key, line, column }) => [file, key, line, column]),
      [[projectFile, 'folders', 1, 2]],
    );
    assert.ok(problems[0]!.message.includes(`belongs in ${userFile}`));
  });

  it('sees an allow of a project wherever it stands (P5)', async () => {
    const tools = {
      file_edit: { paths: { 'src/**': 'allow', 'src/x': 'deny' } },
      run_command: { action: 'ask', commands: { 'git *': 'allow' }, paths: { a: 'ask' } },
    };
    await write(projectFile, { permissions: { tools } });
    const { config, unconfirmed } = await load();
    assert.deepEqual(unconfirmed?.allows, ['file_edit "src/**" allow', 'run_command "git *" allow']);
    assert.deepEqual(config.permissions, [
      {
        layer: 'project',
        rules: {
          tools: { file_edit: { paths: { 'src/x': 'deny' } }, run_command: { action: 'ask', paths: { a: 'ask' } } },
        },
      },
    ]);
    assert.deepEqual((await confirmed()).config.permissions, [{ layer: 'project', rules: { tools } }]);
  });

  it('keeps the permissions of each layer apart', async () => {
    const ask = { tools: { run_command: 'ask' } };
    await write(userFile, { permissions: { default: 'deny' } });
    await write(projectFile, { permissions: ask });
    assert.deepEqual((await load()).config.permissions, [
      { layer: 'project', rules: ask },
      { layer: 'user', rules: { default: 'deny' } },
    ]);
  });

  it('hides the keys of every provider from child processes', async () => {
    await write(userFile, { providers: { a: chat('http://h', 'MY_KEY') } });
    await write(projectFile, { providers: { b: chat('http://h', 'PROJECT_KEY') } });
    assert.deepEqual(secretEnvNames((await load()).config), ['OPENAI_API_KEY', 'MY_KEY', 'PROJECT_KEY']);
  });

  it('knows what is secret in the headers of every provider, in every layer', async () => {
    const headers = {
      Authorization: 'Bearer abc.def==',
      'x-api-key': 'plain-key',
      Cookie: 'session=a1b2; id=c3',
      'X-Title': 'Polyglav',
    };
    await write(userFile, { providers: { a: { ...chat('http://user'), headers } } });
    await write(projectFile, { providers: { a: { ...chat('http://user'), headers: { 'X-Auth-Token': 'other' } } } });
    const secrets = (await load()).config.header_secrets.map(({ header, value }) => `${header}: ${value}`);
    assert.deepEqual(secrets, [
      ...['Authorization: abc.def==', 'x-api-key: plain-key', 'Cookie: a1b2', 'Cookie: c3', 'X-Auth-Token: other'],
    ]);
  });

  describe('refuses a project that (P5)', () => {
    const refused: [what: string, project: object, key: string][] = [
      [
        'takes a key of the user to its own address',
        { providers: { mine: chat('http://evil', 'USER_KEY') } },
        'providers.mine.api_key_env',
      ],
      [
        'takes it under a name that Windows does not tell apart',
        { providers: { mine: chat('http://evil', 'user_key') } },
        'providers.mine.api_key_env',
      ],
      [
        'takes the key of a provider that ships',
        { providers: { mine: chat('http://evil', 'OPENAI_API_KEY') } },
        'providers.mine.api_key_env',
      ],
      [
        'takes it to the same host by another way',
        { providers: { mine: chat('https://user/v1', 'USER_KEY') } },
        'providers.mine.api_key_env',
      ],
      ['replaces a provider of the user with a key', { providers: { a: chat('http://evil', 'NEW') } }, 'providers.a'],
      ['replaces one that ships', { providers: { openai: chat('http://evil') } }, 'providers.openai'],
    ];
    for (const [what, project, key] of refused)
      it(what, async () => {
        await write(userFile, { providers: { a: chat('http://user', 'USER_KEY') } });
        await write(projectFile, { mode: 'plan', ...project });
        const { config, problems } = await load();
        assert.deepEqual(
          problems.map((problem) => [problem.file, problem.key, problem.line]),
          [[projectFile, key, 1]],
        );
        assert.ok(problems[0]!.message.includes(userFile), problems[0]!.message);
        assert.doesNotMatch(problems[0]!.message, /_KEY|_key/);
        assert.deepEqual(config.providers, { a: chat('http://user', 'USER_KEY') });
        assert.deepEqual([config.permissions, config.mode], [[], undefined]);
      });

    it('takes the key of a shipped provider that the user has replaced', async () => {
      await write(userFile, { providers: { openai: chat('http://mine') } });
      await write(projectFile, { providers: { b: chat('http://evil', 'OPENAI_API_KEY') } });
      assert.equal((await load()).problems[0]!.key, 'providers.b.api_key_env');
    });

    it('could do so while the file of the user cannot be read', async () => {
      await writeFile(userFile, '{ "providers": ');
      await write(projectFile, { providers: { mine: chat('http://evil', 'USER_KEY') } });
      const { config, problems } = await load();
      assert.equal(problems[0]!.file, userFile);
      assert.deepEqual(config.providers, {});
    });
  });

  it('takes what a project may bring: rules that are stricter, providers without a key or with a new one', async () => {
    const project = {
      permissions: { default: 'deny', tools: { file_read: 'ask' } },
      providers: {
        ollama: chat('http://localhost:1'),
        ours: chat('http://ours', 'OUR_KEY'),
        constructor: chat('http://c'),
      },
    };
    await write(userFile, { permissions: { default: 'allow', tools: { run_command: 'allow' } } });
    await write(projectFile, project);
    const { config, problems } = await confirmed();
    assert.deepEqual(problems, []);
    assert.deepEqual(config.providers, project.providers);
    assert.equal(config.permissions.length, 2);
  });

  it('lets a project name a key of the user for the host that it was entered for (P5)', async () => {
    await write(userFile, { providers: { a: chat('http://user:80/v1', 'USER_KEY') } });
    await write(projectFile, { providers: { b: chat('HTTP://USER/other/v1', 'USER_KEY') } });
    const { config, problems } = await confirmed();
    assert.deepEqual([problems, Object.keys(config.providers)], [[], ['a', 'b']]);
  });

  it('reads the user file alone without a workspace', async () => {
    await write(userFile, { mode: 'build' });
    await write(projectFile, { mode: 'plan', permissions: { default: 'allow' } });
    const { config } = await loadConfig({ workspace: undefined, home });
    assert.equal(config.mode, 'build');
    assert.deepEqual(config.permissions, []);
  });

  it('takes the one file of a workspace that is the home folder as the user layer', async () => {
    await write(userFile, { permissions: { default: 'allow' } });
    await rm(join(workspace, '.polyglav'), { recursive: true });
    await symlink(home, join(workspace, '.polyglav'));
    for (const own of [home, join(workspace, '.polyglav')]) {
      const { config, problems } = await loadConfig({ workspace, home: own });
      assert.deepEqual(problems, []);
      assert.deepEqual(config.permissions, [{ layer: 'user', rules: { default: 'allow' } }]);
    }
  });

  it('reports the faults of both files, and a faulty file counts as empty', async () => {
    await write(userFile, { mode: 'plan', reasoning: 'very' });
    await write(projectFile, { mdoe: 'plan' });
    const { config, problems } = await load();
    assert.deepEqual(
      problems.map(({ file, key }) => [file, key]),
      [
        [projectFile, 'mdoe'],
        [userFile, 'reasoning'],
      ],
    );
    assert.equal(config.mode, undefined);
  });

  it('names the file whose model has no provider', async () => {
    await write(userFile, { providers: { ollama: chat('http://h') } });
    await write(projectFile, { model: 'olama/llama3.2' });
    const { problems } = await load();
    assert.equal(problems.length, 1);
    assert.deepEqual([problems[0]!.file, problems[0]!.key], [projectFile, 'model']);
    assert.match(problems[0]!.message, /"olama".*there are: ollama, openai, demo\. Did you mean "ollama"\?/);
    await write(projectFile, { model: 'demo/demo' });
    assert.deepEqual((await load()).problems, []);
  });

  it('takes a byte order mark', async () => {
    await writeFile(projectFile, '\uFEFF{"mode": "plan"}');
    assert.equal((await load()).config.mode, 'plan');
  });

  it('refuses a folder, a device, a huge file and what is not UTF-8', async () => {
    await mkdir(projectFile);
    await writeFile(userFile, Buffer.from([0x7b, 0xff, 0x7d]));
    const first = (await load()).problems;
    assert.match(first[0]!.message, /is a folder/);
    assert.match(first[1]!.message, /not UTF-8/);
    await rm(projectFile, { recursive: true });
    await symlink('/dev/zero', projectFile);
    await writeFile(userFile, ' '.repeat(1024 * 1024 + 1));
    const second = (await load()).problems;
    assert.match(second[0]!.message, /not a regular file/);
    assert.match(second[1]!.message, /larger than 1 MiB/);
  });

  it('finds the home folder', () => {
    assert.equal(polyglavHome({ POLYGLAV_HOME: '/x/y' }), '/x/y');
    assert.equal(polyglavHome({ POLYGLAV_HOME: 'rel' }), resolve('rel'));
    assert.equal(polyglavHome({ POLYGLAV_HOME: '' }), join(homedir(), '.polyglav'));
    assert.equal(polyglavHome({}), join(homedir(), '.polyglav'));
  });

  it('writes a problem as one line with its place', () => {
    const problem = { file: '/p/config.json', key: 'mode', message: 'must be "build".' };
    assert.equal(describeProblem({ ...problem, line: 3, column: 5 }), '/p/config.json:3:5: mode must be "build".');
    assert.equal(describeProblem({ ...problem, key: '' }), '/p/config.json: must be "build".');
  });
});
