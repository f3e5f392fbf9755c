/** What a project's file brings counts only after the user's yes to exactly that (P2, P5). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, realpath, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { loadConfig, type LoadedConfig, type Unconfirmed } from '../../../src/config/load.ts';
import { secretEnvNames, type ConfigFile } from '../../../src/config/schema.ts';
import { confirm, decline } from '../../../src/config/trusted.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const OURS = { type: 'openai-chat', base_url: 'https://ours.example:8443/v1', api_key_env: 'OUR_KEY' };

describe('config/consent', () => {
  const folder = useTempFolder();
  let workspace: string;
  let home: string;
  let trusted: string;

  beforeEach(async () => {
    workspace = join(await realpath(folder.path), 'shop');
    home = join(folder.path, 'home');
    trusted = join(home, 'trusted.json');
    await mkdir(join(workspace, '.polyglav'), { recursive: true });
    await mkdir(home);
  });

  const load = (restricted = false) => loadConfig({ workspace, home, restricted });
  const bring = (value: unknown) =>
    writeFile(join(workspace, '.polyglav/config.json'), typeof value === 'string' ? value : JSON.stringify(value));
  const own = (value: unknown) => writeFile(join(home, 'config.json'), JSON.stringify(value));
  const unconfirmed = async (): Promise<Unconfirmed> => {
    const { unconfirmed, problems } = await load();
    assert.deepEqual(problems, []);
    assert.ok(unconfirmed !== undefined, 'nothing waits for a yes');
    return unconfirmed;
  };
  const rulesOf = ({ config }: LoadedConfig) => config.permissions.map(({ layer, rules }) => [layer, rules]);

  it('leaves out what nobody has confirmed, and says what it is', async () => {
    await bring({
      mode: 'plan',
      providers: {
        ours: OURS,
        ollama: { type: 'openai-chat', base_url: 'http://10.0.0.7:11434/v1' },
        demo: { type: 'demo' },
      },
      permissions: {
        default: 'allow',
        tools: { run_command: 'allow', file_edit: { action: 'allow' }, file_write: 'deny' },
      },
    });
    const { config, problems } = await load();
    assert.deepEqual(problems, []);
    assert.deepEqual([config.providers, config.mode], [{}, 'plan']);
    assert.deepEqual(config.permissions, [{ layer: 'project', rules: { tools: { file_write: 'deny' } } }]);
    const { sha256, ...what } = await unconfirmed();
    assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.deepEqual(what, {
      file: join(workspace, '.polyglav/config.json'),
      folder: workspace,
      allows: ['default allow', 'file_edit allow', 'run_command allow'],
      providers: [
        { name: 'ours', address: 'https://ours.example:8443/v1', key: 'OUR_KEY', headers: [], replaces: false },
        { name: 'ollama', address: 'http://10.0.0.7:11434/v1', key: undefined, headers: [], replaces: true },
        { name: 'demo', address: undefined, key: undefined, headers: [], replaces: true },
      ],
    });
  });

  it('puts first what goes furthest: keys of the person’s, rules for everything', async () => {
    await bring({
      providers: { a: { type: 'openai-chat', base_url: 'http://a' }, b: { ...OURS, headers: { 'X-Title': 'x' } } },
      permissions: {
        tools: {
          file_edit: { paths: { 'src/**': 'allow', '**': 'allow' } },
          run_command: { commands: { 'npm test': 'allow', '*': 'allow' } },
          web_fetch: 'allow',
        },
        default: 'allow',
      },
    });
    const { allows, providers } = await unconfirmed();
    assert.deepEqual(allows, [
      'default allow',
      'web_fetch allow',
      'file_edit "**" allow',
      'run_command "*" allow',
      'file_edit "src/**" allow',
      'run_command "npm test" allow',
    ]);
    assert.deepEqual(
      providers.map(({ name, headers }) => [name, headers]),
      [
        ['b', ['X-Title']],
        ['a', []],
      ],
    );
  });

  it('takes all of it after a yes, from the next reading on', async () => {
    const project = { providers: { ours: OURS }, permissions: { tools: { run_command: 'allow', file_edit: 'ask' } } };
    await bring(project);
    await confirm(await unconfirmed(), home, new Date('2026-11-30T01:02:03Z'));
    const loaded = await load();
    assert.deepEqual([loaded.unconfirmed, loaded.config.providers], [undefined, project.providers]);
    assert.deepEqual(rulesOf(loaded), [['project', project.permissions]]);
    const kept = JSON.parse(await readFile(trusted, 'utf8')) as Record<string, { sha256: string; at: string }>;
    assert.deepEqual(Object.keys(kept), [workspace]);
    assert.equal(kept[workspace]?.at, '2026-11-30T01:02:03.000Z');
    if (process.platform !== 'win32') assert.equal((await stat(trusted)).mode & 0o777, 0o600);
  });

  it('counts denies and asks at once, and hides a key variable from commands before any yes', async () => {
    await own({ permissions: { tools: { run_command: 'allow' } } });
    await bring({ providers: { ours: OURS }, permissions: { default: 'deny', tools: { run_command: 'ask' } } });
    const loaded = await load();
    assert.deepEqual(rulesOf(loaded)[0], ['project', { default: 'deny', tools: { run_command: 'ask' } }]);
    assert.deepEqual(loaded.unconfirmed?.allows, []);
    assert.ok(secretEnvNames(loaded.config).includes('OUR_KEY'));
  });

  it('asks for nothing where nothing needs it', async () => {
    await bring({ model: 'ollama/x', mode: 'plan', permissions: { default: 'ask' }, providers: {} });
    assert.equal((await load()).unconfirmed, undefined);
    await bring('');
    assert.equal((await load()).unconfirmed, undefined);
  });

  describe('after a yes', () => {
    const project = { providers: { ours: OURS }, permissions: { tools: { run_command: 'allow', file_edit: 'allow' } } };
    const confirmed = async () => (await load()).unconfirmed === undefined;
    beforeEach(async () => {
      await bring(project);
      await confirm(await unconfirmed(), home);
      assert.equal(await confirmed(), true);
    });

    it('does not ask again for comments, order, spaces and other settings', async () => {
      await bring(`{
        // the same, in other words
        "mode": "plan", "model": "ours/x", "reasoning": "low", "system_prompt": "Be kind.",
        "permissions": { "tools": { "file_read": "ask", "file_edit": "allow", "run_command": "allow", "file_write": "deny" } },
        "providers": { "ours": { "api_key_env": "OUR_KEY", "base_url": "https://ours.example:8443/v1", "type": "openai-chat", }, },
      }`);
      assert.equal(await confirmed(), true);
    });

    const others: [what: string, change: (file: typeof project) => unknown][] = [
      [
        'another address',
        ({ permissions }) => ({
          permissions,
          providers: { ours: { ...OURS, base_url: 'https://ours.example:8443/v2' } },
        }),
      ],
      [
        'another key variable',
        ({ permissions }) => ({ permissions, providers: { ours: { ...OURS, api_key_env: 'AWS_SECRET' } } }),
      ],
      ['a header', ({ permissions }) => ({ permissions, providers: { ours: { ...OURS, headers: { 'X-A': 'b' } } } })],
      ['one more provider', ({ permissions }) => ({ permissions, providers: { ours: OURS, more: { type: 'demo' } } })],
      ['another name', ({ permissions }) => ({ permissions, providers: { theirs: OURS } })],
      [
        'one more rule',
        ({ providers }) => ({ providers, permissions: { default: 'allow', tools: project.permissions.tools } }),
      ],
      ['a rule less', ({ providers }) => ({ providers, permissions: { tools: { run_command: 'allow' } } })],
    ];
    for (const [what, change] of others)
      it(`asks anew for ${what}, and again for what was there before`, async () => {
        await bring(change(project));
        const now = await unconfirmed();
        assert.deepEqual((await load()).config.providers, {});
        await confirm(now, home);
        assert.equal(await confirmed(), true);
        await bring(project);
        assert.equal(await confirmed(), false);
      });

    it('knows the folder behind a link, and asks anew in a copy and where it was moved to', async () => {
      const link = join(folder.path, 'link');
      await symlink(workspace, link);
      assert.equal((await loadConfig({ workspace: link, home })).unconfirmed, undefined);
      const copy = join(folder.path, 'copy');
      await cp(workspace, copy, { recursive: true });
      assert.notEqual((await loadConfig({ workspace: copy, home })).unconfirmed, undefined);
      await rename(workspace, join(folder.path, 'moved'));
      assert.notEqual((await loadConfig({ workspace: join(folder.path, 'moved'), home })).unconfirmed, undefined);
    });

    it('counts nothing that was confirmed while the file of the user is broken', async () => {
      await writeFile(join(home, 'config.json'), '{');
      const loaded = await load();
      assert.deepEqual([loaded.config.providers, loaded.config.permissions], [{}, []]);
    });
  });

  it('keeps a no until the content changes or a yes takes its place, and an earlier yes beside it', async () => {
    const said = async () => {
      const { unconfirmed } = await load();
      return unconfirmed === undefined ? 'yes' : unconfirmed.declined_in === undefined ? 'nothing' : 'no';
    };
    const project = { permissions: { tools: { file_edit: 'allow' } } };
    const other = { permissions: { tools: { run_command: 'allow' } } };
    await bring(project);
    await decline(await unconfirmed(), home);
    assert.equal(await said(), 'no');
    assert.equal((await load()).unconfirmed?.declined_in, trusted);
    assert.deepEqual(rulesOf(await load()), []);
    await bring(other);
    assert.equal(await said(), 'nothing');
    await confirm(await unconfirmed(), home);
    await bring(project);
    assert.equal(await said(), 'nothing');
    await decline(await unconfirmed(), home);
    assert.equal(await said(), 'no');
    await bring(other);
    assert.equal(await said(), 'yes');
    await bring(project);
    await confirm(await unconfirmed(), home);
    assert.equal(await said(), 'yes');
    await bring(other);
    assert.equal(await said(), 'nothing');
  });

  it('keeps what was said of other folders, also in forms that it does not know', async () => {
    const others = { '/elsewhere': { sha256: 'f'.repeat(64), at: 'then', more: [1] }, version: 7 };
    await writeFile(trusted, JSON.stringify(others));
    await bring({ providers: { ours: OURS } });
    const waiting = await unconfirmed();
    await Promise.all([confirm(waiting, home), confirm({ ...waiting, folder: '/third' }, home)]);
    const {
      [workspace]: mine,
      '/third': third,
      ...left
    } = JSON.parse(await readFile(trusted, 'utf8')) as ConfigFile & Record<string, { sha256: string }>;
    assert.deepEqual([mine?.sha256, third?.sha256, left], [waiting.sha256, waiting.sha256, others]);
  });

  for (const [what, text] of [
    ['no JSON', '{ "/w": '],
    ['a list', '[]'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ] as const)
    it(`says so when the file of confirmations is ${what}, counts nothing and loses nothing`, async () => {
      await writeFile(trusted, text);
      await bring({ providers: { ours: OURS } });
      const { config, problems, unconfirmed } = await load();
      assert.deepEqual([config.providers, unconfirmed], [{}, undefined]);
      assert.deepEqual(
        problems.map(({ file }) => file),
        [trusted],
      );
      assert.match(problems[0]!.message, /Mend it, or remove it/);
      const waiting = { file: '', folder: workspace, sha256: 'a', allows: [], providers: [] };
      await assert.rejects(confirm(waiting, home), { message: /trusted\.json .*Mend it, or remove it/ });
      assert.deepEqual(await readFile(trusted), Buffer.from(text));
      // Elsewhere it is of no matter.
      await bring({ mode: 'plan' });
      assert.deepEqual((await load()).problems, []);
    });

  it('says so when a yes cannot be kept', async () => {
    await writeFile(join(folder.path, 'full'), '');
    const waiting = { file: '', folder: workspace, sha256: 'a', allows: [], providers: [] };
    await assert.rejects(confirm(waiting, join(folder.path, 'full')), {
      name: 'SharedFileError',
      message: /full.trusted\.json could not be written: /,
    });
  });

  it('says so when the file of confirmations is none', async () => {
    await mkdir(trusted);
    await bring({ providers: { ours: OURS } });
    assert.match((await load()).problems[0]!.message, /^cannot be read: it is not a regular file\./);
    await rm(trusted, { recursive: true });
    await writeFile(trusted, '');
    await truncate(trusted, 2 ** 30);
    assert.match((await load()).problems[0]!.message, /^cannot be read: it is far larger than it can be\./);
    await rm(trusted);
    if (process.platform === 'win32') return;
    // Opening it would wait for somebody who writes to it.
    execFileSync('mkfifo', [trusted]);
    assert.match((await load()).problems[0]!.message, /^cannot be read: it is not a regular file\./);
    await rm(trusted);
  });

  it('takes an entry that is no object for no yes', async () => {
    await bring({ providers: { ours: OURS } });
    const { sha256 } = await unconfirmed();
    for (const entry of [null, sha256, [sha256], { sha256: null }]) {
      await writeFile(trusted, JSON.stringify({ [workspace]: entry }));
      assert.equal((await unconfirmed()).sha256, sha256);
    }
  });

  it('keeps a model of a provider that waits, so that it is said why it cannot answer', async () => {
    await bring({ model: 'ours/x', providers: { ours: OURS } });
    const { config, problems } = await load();
    assert.deepEqual([config.model, problems], ['ours/x', []]);
  });

  describe('in a workspace that is not trusted (P5)', () => {
    it('takes the denies and asks of the project, nothing else, and asks for no yes', async () => {
      await bring({
        model: 'openai/x',
        mode: 'plan',
        system_prompt: 'Obey.',
        noise_tools: ['run_command'],
        providers: { ours: OURS },
        permissions: { default: 'allow', tools: { file_read: 'deny', file_list: { action: 'ask' } } },
      });
      const { unconfirmed: waiting } = await load();
      await confirm(waiting!, home);
      const loaded = await load(true);
      assert.deepEqual(
        [loaded.config, loaded.problems, loaded.unconfirmed],
        [
          {
            providers: {},
            models: {},
            permissions: [{ layer: 'project', rules: { tools: { file_read: 'deny', file_list: { action: 'ask' } } } }],
            key_envs: ['OUR_KEY'],
            header_secrets: [],
          },
          [],
          undefined,
        ],
      );
    });

    it('takes no rule of the user that allows something, and all else of the user', async () => {
      const commands = { 'git *': 'allow', 'git push *': 'deny' };
      await own({
        model: 'mine/x',
        providers: { mine: { type: 'demo' } },
        permissions: { default: 'allow', tools: { run_command: { commands }, file_write: 'deny', file_edit: 'allow' } },
        folders: { [workspace]: { permissions: { tools: { file_edit: { action: 'allow', paths: { a: 'deny' } } } } } },
      });
      const { config, problems } = await load(true);
      assert.deepEqual([config.model, Object.keys(config.providers), problems], ['mine/x', ['mine'], []]);
      assert.deepEqual(config.permissions, [
        { layer: 'folder', rules: { tools: { file_edit: { paths: { a: 'deny' } } } } },
        {
          layer: 'user',
          rules: { tools: { run_command: { commands: { 'git push *': 'deny' } }, file_write: 'deny' } },
        },
      ]);
    });
  });
});
