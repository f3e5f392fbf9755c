import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { Engine } from '../../../src/agent/engine.ts';
import type { Run } from '../../../src/agent/run.ts';
import type { CommandContext } from '../../../src/commands/command.ts';
import { commands, parseCommand } from '../../../src/commands/registry.ts';
import { EMPTY_CONFIG, type Config } from '../../../src/config/schema.ts';
import { createProviders } from '../../../src/providers/registry.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { diskFiles } from '../../../src/tools/diskFiles.ts';
import { tools } from '../../../src/tools/registry.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('commands', () => {
  let engine: Engine;
  // Before the folder goes.
  afterEach(() => engine.close());
  const folder = useTempFolder();
  let config: Config;
  let active: Run | undefined;

  beforeEach(() => {
    config = EMPTY_CONFIG;
    active = undefined;
    engine = new Engine({
      store: new SessionStore(folder.path, { version: '0.0.0' }),
      loadConfig: async () => ({ config, problems: [] }),
      // No test may depend on what listens on this machine.
      providers: (given) =>
        createProviders(given, {}, { fetch: () => Promise.reject(new TypeError('no network in this test')) }),
      tools,
      asker: { ask: async () => ({ answer: 'dismissed' }) },
      files: diskFiles,
      ripgrep: undefined,
      env: {},
    });
  });

  function context(): CommandContext {
    return {
      engine,
      run: active,
      ensureRun: async () => (active ??= await engine.create()),
      activate: async (run) => {
        active = run;
      },
    };
  }

  async function say(line: string): Promise<string> {
    const parsed = parseCommand(line);
    assert.equal(parsed.kind, 'command');
    return (await parsed.command.run(context(), parsed.args)).text;
  }

  const complete = (name: string, typed: string) =>
    commands.find((command) => command.name === name)!.complete!(context(), typed);
  const saved = async () => (await engine.store.list()).map(({ name }) => name).sort();
  const recorded = () => active!.session.turns.map(({ parts }) => parts[0]!['text']);

  it('/help names every command', async () => {
    const help = await say('/help');
    for (const { name } of commands) assert.ok(help.includes(`\`/${name}`), name);
  });

  it('/session describes the active session', async () => {
    assert.match(await say('/session'), /No session is active yet/);
    active = await engine.create('mine');
    assert.equal(await say('/session'), 'Session `mine`: 0 turns, 0 messages in the context, about 0 tokens.');
    const { done } = await active.submit('hello');
    await done;
    assert.match(await say('/session'), /^Session `mine`: 1 turn, 2 messages in the context, about \d{2,} tokens\.$/);
  });

  it('/session new makes a session and switches to it', async () => {
    assert.equal(await say('/session new my notes'), 'New session `my notes`.');
    assert.equal(active!.name, 'my notes');
    assert.match(await say('/session new'), /^New session `ses_\d{8}_\d{6}_[0-9a-z]{6}`\.$/);
    await assert.rejects(say('/session new my notes'), { name: 'SessionError', message: /already/ });
    await assert.rejects(say('/session new ../x'), { name: 'SessionError', message: /path separator/ });
    assert.equal((await saved()).length, 2);
    assert.match(active!.name, /^ses_/);
  });

  it('/session load takes a session up by name or id', async () => {
    const first = await engine.create();
    await engine.create('other');
    assert.equal(await say(`/session load #${first.session.session_id}`), `Session \`${first.name}\`.`);
    assert.equal(active, first);
    await say('/session load other');
    assert.equal(active.name, 'other');
    await assert.rejects(say('/session load nobody'), { name: 'SessionError', message: /no session "nobody"/ });
    assert.equal(active.name, 'other');
    assert.deepEqual(await complete('session load', 'oth'), ['other']);
  });

  it('/sessions lists parents, and what does not load with its reason', async () => {
    assert.match(await say('/sessions'), /no saved sessions/);
    active = await engine.create('mine');
    await engine.store.create({ kind: 'sub', parent_id: 'mine' });
    await mkdir(path.join(engine.store.dir, 'folder.json'));
    await writeFile(path.join(engine.store.dir, 'broken.json'), '{');
    const list = await say('/sessions');
    assert.match(list, /^- `mine` \(active, 0 turns, just now\)$/m);
    assert.match(list, /^- `sub_\w+` \(sub-agent of `mine`, 0 turns, just now\)$/m);
    assert.match(list, /^- `broken` \(just now\) `does not load: .*not JSON/m);
    assert.match(list, /^- `folder` \(just now\) `does not load: /m);
  });

  it('/model lists, marks the current one and says what cannot be listed', async () => {
    active = await engine.create();
    const list = await say('/model');
    assert.match(list, /^- `demo\/demo` \(current\)$/m);
    assert.match(list, /^- not listed: `ollama: /m);
    assert.deepEqual(await complete('model', 'demo'), ['demo/demo']);
  });

  it('/model switches, and keeps the provider for a bare name', async () => {
    assert.equal(await say('/model ollama/library/llama3.2:3b'), 'Model: `ollama/library/llama3.2:3b`.');
    assert.equal(await say('/model qwen3'), 'Model: `ollama/qwen3`.');
    assert.deepEqual(recorded(), ['/model ollama/library/llama3.2:3b', '/model ollama/qwen3']);
    assert.equal(await active!.model(), 'ollama/qwen3');
  });

  it('/model refuses what is no model, and makes no session for it', async () => {
    for (const word of ['nobody/x', 'olama/x', 'x', 'demo/', '/x y', 'demo/a b'])
      await assert.rejects(say(`/model ${word}`), {
        name: 'CommandError',
        message: /is no model\. Write <provider>\/<model>; the providers are: ollama, openai, demo\./,
      });
    await assert.rejects(say('/model olama/x'), { message: /Did you mean "ollama"\?/ });
    assert.deepEqual(await saved(), []);
  });

  it('/model takes a bare name for the provider of the configured model', async () => {
    config = { ...EMPTY_CONFIG, model: 'ollama/llama3.2' };
    assert.equal(await say('/model qwen3'), 'Model: `ollama/qwen3`.');
  });

  it('/mode lists and switches, and makes no session for a wrong word', async () => {
    await assert.rejects(say('/mode biuld'), {
      name: 'CommandError',
      message: /The modes are: build, plan\. Did you mean "build"\?/,
    });
    assert.deepEqual(await saved(), []);
    assert.equal(await say('/mode plan'), 'Mode: `plan`.');
    assert.match(await say('/mode'), /^- `plan` \(current\): /m);
    assert.deepEqual(recorded(), ['/mode plan']);
    assert.deepEqual(await complete('mode', ''), ['build', 'plan']);
    assert.deepEqual(await complete('mode', 'p'), ['plan']);
  });
});
