import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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
  const folder = useTempFolder(() => engine.close());
  let engine: Engine;
  let config: Config;
  let active: Run | undefined;
  let asked: string[];
  let yes: boolean;

  beforeEach(() => {
    asked = [];
    yes = true;
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
      read_along: undefined,
      load: async (name) => (active = await engine.open(name)).session,
      ensureRun: async () => (active ??= await engine.create()),
      activate: async (run) => {
        active = run;
      },
      leave: async () => {
        active = undefined;
      },
      cwd: folder.path,
      confirm: async ({ question, detail }) => {
        asked.push(`${question} ${detail}`);
        return yes;
      },
      remove: (file) => rm(file),
      outlet: undefined,
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
    // A completion list shows the text as it is.
    for (const { name, help: text } of commands) assert.doesNotMatch(text, /`/, name);
  });

  it('/session describes the active session', async () => {
    assert.match(await say('/session'), /No session is active yet/);
    active = await engine.create('mine');
    assert.equal(await say('/session'), 'Session `mine` (#1): 0 turns, 0 messages in the context, ~0 tokens.');
    const { done } = await active.submit('hello');
    await done;
    assert.match(await say('/session'), /^Session `mine` \(#1\): 1 turn, 2 messages in the context, ~\d{2,} tokens\.$/);
  });

  it('/session new makes a session and switches to it', async () => {
    assert.equal(await say('/session new my notes'), 'The new session `my notes` has begun.');
    assert.equal(active!.name, 'my notes');
    assert.equal(await say('/session new "quoted notes"'), 'The new session `quoted notes` has begun.');
    assert.match(
      await say('/session new'),
      /^A new session has begun\. .*; its name is `ses_\d{8}_\d{6}_[0-9a-z]{6}`\.$/,
    );
    await assert.rejects(say('/session new my notes'), { name: 'SessionError', message: /already/ });
    await assert.rejects(say('/session new ../x'), { name: 'SessionError', message: /path separator/ });
    assert.equal((await saved()).length, 3);
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
    assert.match(list, /^- `mine` \(active, #1, no turns yet, just now\)$/m);
    assert.match(list, /^- `sub_\w+` \(sub-agent of `mine`, no turns yet, just now\)$/m);
    assert.match(list, /^- `broken` \(just now\) `broken\.json is not JSON/m);
    assert.match(list, /^- `folder` \(just now\) `folder\.json is not a regular file/m);
  });

  it('/model lists, marks the current one and says what cannot be listed', async () => {
    const begins = await say('/model');
    assert.match(begins, /^- `demo\/demo` \(current\)$/m, 'what a new session begins with');
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
    for (const word of ['x', 'demo/', '/x y', 'demo/ a'])
      await assert.rejects(say(`/model ${word}`), {
        name: 'Refusal',
        message: /is no model\. Write <provider>\/<model>; the providers are: ollama, openai, demo\./,
      });
    for (const word of ['nobody/x', 'olama/x'])
      await assert.rejects(say(`/model ${word}`), {
        name: 'Refusal',
        message: /There is no provider "\w+"; the providers are: ollama, openai, demo\./,
      });
    await assert.rejects(say('/model olama/x'), { message: /Did you mean "ollama"\?/ });
    assert.deepEqual(await saved(), []);
  });

  it('/model takes a bare name for the provider of the configured model', async () => {
    config = { ...EMPTY_CONFIG, model: 'ollama/llama3.2' };
    assert.equal(await say('/model qwen3'), 'Model: `ollama/qwen3`.');
  });

  it('/model takes the name of a provider for no model', async () => {
    config = { ...EMPTY_CONFIG, model: 'ollama/llama3.2' };
    for (const word of ['demo', 'ollama'])
      await assert.rejects(say(`/model ${word}`), {
        name: 'CommandError',
        message: `"${word}" is the name of a provider. Write <provider>/<model>, such as "demo/demo".`,
      });
    assert.deepEqual(await saved(), []);
  });

  it('/mode lists and switches, and makes no session for a wrong word', async () => {
    await assert.rejects(say('/mode biuld'), {
      name: 'Refusal',
      message: /The modes are: build, plan\. Did you mean "build"\?/,
    });
    assert.deepEqual(await saved(), []);
    assert.equal(await say('/mode plan'), 'Mode: `plan`.');
    assert.match(await say('/mode'), /^- `plan` \(current\): /m);
    assert.deepEqual(recorded(), ['/mode plan']);
    assert.deepEqual(await complete('mode', ''), ['build', 'plan']);
    assert.deepEqual(await complete('mode', 'p'), ['plan']);
  });

  it('/reset-shell leaves the conversation as it is', async () => {
    assert.match(await say('/reset-shell'), /as at the start/);
    assert.deepEqual(await saved(), []);
    await say('/mode plan');
    assert.match(await say('/reset-shell'), /in the workspace folder/);
    assert.deepEqual(recorded(), ['/mode plan']);
  });

  const answered = async (name: string, prompt = 'hello') => {
    const run = await engine.create(name);
    await (
      await run.submit(prompt)
    ).done;
    return run;
  };

  it('/history lists the turns of the active session, or of another one without going there', async () => {
    await assert.rejects(say('/history'), { name: 'CommandError', message: /No session is active yet/ });
    active = await answered('mine', 'first');
    await (
      await active.submit('second')
    ).done;
    await answered('other', 'theirs');
    assert.match(await say('/history'), /#1  \[ok\]  \S+  .*  first\n#2  \[ok\]  \S+  .*  second/);
    assert.doesNotMatch(await say('/history 1'), /first/);
    assert.match(await say('/history all --thoughts all'), /#1[^]*#2/);
    for (const target of ['other', 'session:other', '#2'])
      assert.match(await say(`/history --run ${target}`), /#1  \[ok\]  .*  theirs/);
    assert.equal(active.name, 'mine');
    await assert.rejects(say('/history --run #9'), { message: /There is no run #9\. There are #1 to #2\./ });
    await assert.rejects(say('/history 0'), { name: 'CommandError', message: /"0" is no number of turns\. Write/ });
    await assert.rejects(say('/history 1 2'), { name: 'CommandError', message: /one number of turns, not "2" too/ });
    await assert.rejects(say('/history --al'), {
      name: 'CommandError',
      message: '/history has no option "--al"; it has --thoughts [all] and --run <target>.',
    });
    await assert.rejects(say('/history --run mine --run other'), {
      name: 'CommandError',
      message: '/history takes --run once, not twice.',
    });
    await assert.rejects(say('/history --run'), { name: 'CommandError', message: /--run needs a session/ });
  });

  it('/print shows a turn or a part, cut where the configuration says', async () => {
    active = await answered('mine', 'x'.repeat(5000));
    assert.match(await say('/print 1'), /Status: ok[^]*x{4000}\.\.\. \(1000 more chars, use --full\)/);
    assert.match(await say('/print 1.1 --full'), /x{5000}/);
    config = { ...EMPTY_CONFIG, print_max_chars: 10 };
    assert.match(await say('/print 1.1'), /x{10}\.\.\. \(4990 more chars/);
    config = { ...EMPTY_CONFIG, print_max_chars: 0 };
    assert.match(await say('/print 1.1 --run session:mine'), /x{5000}/);
    await assert.rejects(say('/print 7'), { name: 'SessionError', message: /no turn 7/ });
    await assert.rejects(say('/print one'), { name: 'CommandError', message: /"one" names no turn/ });
    await assert.rejects(say('/print --full'), { name: 'CommandError', message: /needs the number of a turn/ });
    await assert.rejects(say('/print 1 --run mine --run mine'), { message: /takes --run once/ });
    await assert.rejects(say('/print --ful 1'), {
      name: 'CommandError',
      message: /has no option "--ful"; it has --full/,
    });
  });

  it('names the quotes where a name with spaces may have stood without them', async () => {
    active = await answered('my notes');
    const quotes = 'A name with spaces stands in double quotes: "my notes".';
    const refused: [line: string, message: string][] = [
      ['/history --run my notes', `"notes" is no number of turns. Write a whole number above 0, or "all". ${quotes}`],
      ['/history 3 --run my notes', `/history takes one number of turns, not "notes" too. ${quotes}`],
      ['/print 1 --run my notes', `/print shows one turn or part at a time, not "notes" too. ${quotes}`],
      ['/sessions export my notes', `There is no session "my". Did you mean "my notes"? ${quotes}`],
      [
        '/sessions export my notes more',
        `/sessions export takes a session and a file, not "more" too. ${quotes.replace('notes', 'notes more')}`,
      ],
      ['/sessions export my -', 'There is no session "my". Did you mean "my notes"?'],
      ['/history --run #ab12cd x', '"x" is no number of turns. Write a whole number above 0, or "all".'],
      ['/history --run "my notes" x', '"x" is no number of turns. Write a whole number above 0, or "all".'],
      [
        `/history --run ses_20260817_120000_ab12cd x`,
        '"x" is no number of turns. Write a whole number above 0, or "all".',
      ],
    ];
    for (const [line, message] of refused) await assert.rejects(say(line), { message }, line);
  });

  it('/session save writes what is pending and says where', async () => {
    await assert.rejects(say('/session save'), { message: /nothing to save yet/ });
    active = await answered('mine');
    const file = path.join(engine.store.dir, 'mine.json');
    assert.equal(await say('/session save'), `Saved in \`${file}\`.`);
    assert.match(await readFile(file, 'utf8'), /"text":"hello"[^]*"status":"ok"/);
  });

  it('/sessions preview shows how a session is built', async () => {
    await answered('my notes');
    const shown = await say('/sessions preview my notes');
    assert.match(shown, /Title: hello\nTurns: 1\nParts: /);
    assert.equal(active, undefined);
    assert.deepEqual(await complete('sessions preview', 'my'), ['my notes']);
  });

  it('/permissions lists the decisions of the active session, or of another', async () => {
    await assert.rejects(say('/permissions'), { message: /No session is active yet/ });
    await assert.rejects(say('/permissions mine'), { message: /takes a session behind --run, not "mine"/ });
    active = await answered('mine');
    assert.match(await say('/permissions'), /mine[^]*No decisions yet\./);
    active = undefined;
    assert.match(await say('/permissions --run mine'), /No decisions yet\./);
    assert.deepEqual(await complete('permissions', '--run mi'), ['--run mine']);
  });

  it('/sessions delete asks, closes the session when it is the active one, and deletes it', async () => {
    active = await answered('mine');
    yes = false;
    assert.match(await say('/sessions delete mine'), /was not deleted/);
    assert.deepEqual(await saved(), ['mine']);
    assert.match(asked[0]!, /^Delete the session "mine"\? It begins with: hello\n/);
    yes = true;
    assert.equal(await say('/sessions delete mine'), 'Deleted the session `mine`.');
    assert.deepEqual(await saved(), []);
    assert.equal(active, undefined);
    assert.deepEqual(engine.runs(), []);
    await assert.rejects(say('/sessions delete mine'), { message: /no session "mine"/ });
  });

  it('/sessions delete refuses what another program has, before it asks, and takes no role for a name', async () => {
    const other = new SessionStore(folder.path, { version: '0.0.0', program: 'another window' });
    const file = await other.create({ name: 'theirs', role: 'reviewer' });
    try {
      await assert.rejects(say('/sessions delete theirs'), { name: 'SessionError', message: /open in another window/ });
      await assert.rejects(say('/sessions delete reviewer'), { message: /no session "reviewer"/ });
      assert.deepEqual(asked, []);
    } finally {
      await file.close();
    }
    await writeFile(path.join(engine.store.dir, 'broken.json'), '{');
    assert.match(await say('/sessions delete broken'), /Deleted/);
    assert.deepEqual(await saved(), ['theirs']);
  });

  it('/sessions export writes the default file, another one, or shows it', async () => {
    await answered('mine');
    const file = path.join(folder.path, '.polyglav/exports/mine.md');
    assert.equal(await say('/sessions export mine'), `Exported to \`${file}\`.`);
    assert.match(await readFile(file, 'utf8'), /^# Session `mine`/);
    assert.equal(await say('/sessions export mine -'), await readFile(file, 'utf8'));
    assert.match(await say('/sessions export mine "a b.md"'), /a b\.md/);
    await assert.rejects(say('/sessions export mine "a b.md"'), { name: 'ExportError', message: /exists already/ });
    assert.match(await say('/sessions export mine "a b.md" --force'), /Exported/);
    await assert.rejects(say('/sessions export mine --forse'), {
      message: /has no option "--forse"; it has --force\./,
    });
    await assert.rejects(say('/sessions export --force'), { message: /needs the name of a session/ });
    await assert.rejects(say('/sessions export a b c'), { name: 'CommandError', message: /double quotes/ });
    await assert.rejects(say('/sessions export "a'), { name: 'CommandError', message: /has no end/ });
  });
});
