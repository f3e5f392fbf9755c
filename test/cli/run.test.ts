import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { SessionEvent } from '../../src/session/events.ts';
import { reduce } from '../../src/session/reduce.ts';
import type { ToolPart } from '../../src/session/schema.ts';
import type { MockProvider, Reply } from '../support/mockProvider.ts';
import { KEY_ENV as env, useMockedPlace, type MockedPlace } from './mocked.ts';
import { node20 } from './polyglav.ts';

describe('polyglav run', function () {
  this.timeout(30_000);
  let place: MockedPlace;
  useMockedPlace((made) => (place = made));

  async function withReplies(replies: Reply[], options: { permissions?: object } = {}): Promise<MockProvider> {
    await place.replies(replies, options);
    return place.mock;
  }

  const twoRounds: Reply[] = [
    [{ text: 'I look first.' }, { call: 'file_read', arguments: { path: 'a.txt' } }],
    [{ thinking: 'It says hello.' }, { text: 'The file says hello.' }],
  ];

  it('is tested on Node 20, the oldest that it promises to run on', function () {
    if (node20 === undefined) this.skip();
  });

  it('writes the answer alone to standard output', async () => {
    await withReplies(twoRounds);
    await writeFile(place.file('a.txt'), 'hello\n');
    const { code, stdout, stderr } = await place.run(['run', 'read a.txt'], { env });
    assert.equal(stdout, 'The file says hello.\n');
    assert.match(stderr, /I look first\.\n\* Read a\.txt\n/);
    assert.equal(code, 0);
  });

  it('says on standard error which session it writes, and when it is new', async () => {
    const stderrOf = async (...args: string[]) => (await place.run(['run', ...args])).stderr;
    assert.match(await stderrOf('hello'), /^New session ses_\w+\n$/);
    assert.equal(await stderrOf('--session-id', 'notes', 'hello'), 'New session notes\n');
    assert.equal(await stderrOf('--session-id', 'notes', 'hello'), 'Session notes\n');
    assert.equal(await stderrOf('--session-id', 'note', '--format', 'json', '/session'), 'New session note\n');
    assert.match(await stderrOf('/mode plan'), /^New session ses_\w+\n$/);
    for (const args of [['--format', 'json', 'hello'], ['/sessions'], ['/session new mine']])
      assert.equal(await stderrOf(...args), '', args.join(' '));
  });

  it('says of a session that was interrupted what is closed', async () => {
    await place.run(['run', '--session-id', 'notes', 'hello']);
    const session = await place.session('notes');
    session.turns[0]!.status = 'running';
    await writeFile(place.file('.polyglav', 'sessions', 'notes.json'), JSON.stringify(session));
    const { stderr } = await place.run(['run', '--session-id', 'notes', 'go on']);
    assert.equal(
      stderr,
      'Session notes\nThe last turn of this session was interrupted, and is closed as cancelled: hello\n',
    );
  });

  it('records the prompt, what the model did and its answer, and makes no other request', async () => {
    const provider = await withReplies(twoRounds);
    await writeFile(place.file('a.txt'), 'hello\n');
    await place.run(['run', 'read a.txt'], { env });
    assert.equal(provider.requests.length, 2);
    assert.deepEqual(provider.refusals, []);
    const { turns, errors } = await place.session();
    assert.deepEqual(
      turns.map(({ status, model, provider: by, mode, parts }) => [
        status,
        model,
        by,
        mode,
        parts.map(({ type }) => type),
      ]),
      [['ok', 'mock-model', 'mock', 'build', ['user', 'text', 'tool', 'thinking', 'text']]],
    );
    assert.deepEqual(errors, []);
  });

  it('writes one event per line as JSON, which add up to the record', async () => {
    await withReplies(twoRounds);
    await writeFile(place.file('a.txt'), 'hello\n');
    const { code, stdout, stderr } = await place.run(['run', '--format', 'json', 'read a.txt'], { env });
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const [first, ...events] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; name?: string });
    const recorded = await place.session();
    assert.deepEqual(first, { type: 'session', name: recorded.session_name });
    const session = { ...structuredClone(recorded), turns: [], errors: [], permissions: [] };
    for (const event of events) reduce(session, event as unknown as SessionEvent);
    assert.deepEqual(session, recorded);
  });

  it('works with the demo model when nothing is configured', async () => {
    const { code, stdout } = await place.run(['run', 'hello']);
    assert.equal(code, 0);
    assert.match(stdout, /demo model/);
    const [turn] = (await place.session()).turns;
    assert.deepEqual([turn!.provider, turn!.model, turn!.parts[0]!['text']], ['demo', 'demo', 'hello']);
    assert.ok(turn!.parts.every(({ type }) => ['user', 'thinking', 'text', 'tool'].includes(type)));
  });

  it('reads the prompt from standard input for "-"', async () => {
    await withReplies([[{ text: 'Read.' }]]);
    const { code } = await place.run(['run', '-'], { env, input: 'two\nlines\n' });
    assert.equal(code, 0);
    assert.equal((await place.session()).turns[0]!.parts[0]!['text'], 'two\nlines\n');
  });

  describe('exit codes', () => {
    const wrong: [name: string, args: string[], message: RegExp][] = [
      ['no command', [], /Usage: polyglav/],
      ['an unknown command', ['walk'], /unknown command 'walk'/],
      ['an unknown flag', ['run', '--fast', 'x'], /unknown option '--fast'/],
      ['a prompt too many', ['run', 'a', 'b'], /too many arguments/],
      ['no prompt', ['run'], /missing required argument 'prompt'/],
      ['an empty prompt', ['run', ' \n'], /The prompt is empty/],
      ['an empty standard input', ['run', '-'], /The prompt is empty/],
      ['a format that there is not', ['run', '--format', 'xml', 'x'], /Allowed choices are text, json/],
      ['no rounds', ['run', '--max-rounds', '0', 'x'], /whole number above 0/],
      ['rounds that are no number', ['run', '--max-rounds', '1e3', 'x'], /whole number above 0/],
      ['an unknown mode', ['run', '--mode', 'biuld', 'x'], /The modes are: build, plan\. Did you mean "build"\?/],
      ['an unknown provider', ['run', '--model', 'nobody/x', 'x'], /the providers are: ollama, openai, demo/],
      ['a model without a provider', ['run', '--model', 'x', 'x'], /Write <provider>\/<model>/],
      ['an unknown id', ['run', '--session-id', '#zzzzzz', 'x'], /no session #zzzzzz/],
      ['an unknown slash command', ['run', '/sesion'], /There is no command "\/sesion"\. Did you mean "\/session"\?/],
      ['a slash command with a wrong word', ['run', '/mode biuld'], /Did you mean "build"\?/],
    ];
    for (const [name, args, message] of wrong)
      it(`2 for ${name}, and nothing is made`, async () => {
        const { code, stdout, stderr } = await place.run(args);
        assert.match(stderr, message);
        assert.deepEqual([code, stdout], [2, '']);
        assert.deepEqual(await place.sessions(), []);
      });

    for (const name of ['../../x', '..\\x', 'nul.txt', 'a\nb'])
      it(`2 for the session name ${JSON.stringify(name)} (R3)`, async () => {
        const { code, stderr } = await place.run(['run', '--session-id', name, 'x']);
        assert.match(stderr, /The session name .* Use letters/s);
        assert.equal(code, 2);
        assert.equal(existsSync(place.file('.polyglav')), false);
      });

    it('2 for a faulty configuration, with file and key', async () => {
      await mkdir(place.file('.polyglav'));
      await writeFile(place.file('.polyglav', 'config.json'), '{\n  "modle": "a/b"\n}');
      const { code, stderr } = await place.run(['run', 'x']);
      assert.ok(stderr.includes(`${place.file('.polyglav', 'config.json')}:2:3: modle is not known here`), stderr);
      assert.equal(code, 2);
      assert.deepEqual(await place.sessions(), []);
      assert.equal((await place.run(['run', '/help'])).code, 0);
    });

    it('2 for a session that does not load, which stays as it is', async () => {
      await mkdir(place.file('.polyglav', 'sessions'), { recursive: true });
      await writeFile(place.file('.polyglav', 'sessions', 'old.json'), '{"messages": []}');
      const { code, stderr } = await place.run(['run', '--session-id', 'old', 'x']);
      assert.match(stderr, /old\.json was written before the turn format/);
      assert.equal(code, 2);
      assert.equal(await readFile(place.file('.polyglav', 'sessions', 'old.json'), 'utf8'), '{"messages": []}');
    });

    it('1 for a wrong key, after exactly one request', async () => {
      const refusal = { status: 401, message: 'Incorrect API key provided.' };
      const provider = await withReplies([refusal, refusal]);
      const { code, stdout, stderr } = await place.run(['run', 'x'], { env });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /key/i);
      assert.equal(provider.requests.length, 1);
      const { turns, errors } = await place.session();
      assert.equal(turns[0]!.status, 'error');
      assert.deepEqual(
        errors.map(({ code: status }) => status),
        [401],
      );
    });

    const failures: [status: string, reply: Reply, stdout: string][] = [
      ['error', { status: 400, message: 'No such thing.' }, ''],
      ['truncated', [{ text: 'Half of' }, { finish: 'length' }], 'Half of\n'],
      ['empty', [{ finish: 'stop' }], ''],
    ];
    for (const [status, reply, answer] of failures)
      it(`1 for a turn that ends as ${status}`, async () => {
        await withReplies([reply]);
        const { code, stdout, stderr } = await place.run(['run', 'x'], { env });
        assert.deepEqual([code, stdout], [1, answer]);
        assert.notEqual(stderr, '');
        const session = await place.session();
        assert.equal(session.turns[0]!.status, status);
        assert.equal(session.errors.length, 1);
      });

    it('1 at the most rounds, with an error that says so', async () => {
      await withReplies([
        [{ call: 'file_list', arguments: {} }],
        [{ call: 'file_list', arguments: {} }],
        [{ text: 'never asked for' }],
      ]);
      const { code, stderr } = await place.run(['run', '--max-rounds', '2', 'x'], { env });
      assert.equal(code, 1);
      assert.match(stderr, /2 rounds/);
      assert.equal(place.mock.requests.length, 2);
      assert.match((await place.session()).errors[0]!.message, /2 rounds/);
    });
  });

  describe('Ctrl+C', () => {
    it('cancels the turn: exit code 130, the file complete', async () => {
      await withReplies([[{ text: 'Once upon a time ' }, { hang: true }]]);
      const { code, stdout } = await place.run(['run', '--session-id', 'long', 'x'], {
        env,
        during: async (child) => {
          await until(async () => (await place.session('long').catch(() => undefined))?.turns[0]?.parts.length === 2);
          child.kill('SIGINT');
        },
      });
      assert.equal(code, 130);
      assert.equal(stdout, 'Once upon a time \n');
      const [turn] = (await place.session('long')).turns;
      assert.equal(turn!.status, 'cancelled');
      assert.ok(turn!.ended_at !== undefined);
      assert.equal(turn!.parts[1]!['text'], 'Once upon a time ');
    });

    it('ends the command that runs, and what it started', async function () {
      if (process.platform === 'win32') this.skip();
      await withReplies([[{ call: 'run_command', arguments: { command: 'sleep 300 & echo $! > pid; wait' } }]]);
      let pid = 0;
      const { code } = await place.run(['run', '--yes', 'x'], {
        env,
        during: async (child) => {
          await until(async () => (pid = Number(await readFile(place.file('pid'), 'utf8').catch(() => ''))) > 0);
          child.kill('SIGINT');
        },
      });
      assert.equal(code, 130);
      assert.equal(isRunning(pid), false);
      const [turn] = (await place.session()).turns;
      assert.equal(turn!.status, 'cancelled');
      assert.equal(turn!.parts[1]!['is_error'], true);
    });

    it('quits at once the second time, and leaves no command running', async function () {
      if (process.platform === 'win32') this.skip();
      const stubborn = (file: string) => `sh -c 'trap "" TERM INT HUP; echo $$ > ${file}; while :; do sleep 1; done'`;
      await withReplies([
        [{ call: 'run_command', arguments: { command: `setsid ${stubborn('away')} & ${stubborn('here')}` } }],
      ]);
      const pids: number[] = [];
      const began = { at: 0 };
      const { code } = await place.run(['run', '--yes', 'x'], {
        env,
        during: async (child) => {
          for (const file of ['away', 'here'])
            await until(async () => {
              const pid = Number(await readFile(place.file(file), 'utf8').catch(() => ''));
              return pid > 0 && pids.push(pid) > 0;
            });
          child.kill('SIGINT');
          await wait(50);
          began.at = performance.now();
          child.kill('SIGINT');
        },
      });
      assert.equal(code, 130);
      assert.ok(performance.now() - began.at < 2000, 'it did not quit at once');
      assert.deepEqual(pids.map(isRunning), [false, false]);
    });

    it('quits at once the second time, while an answer streams', async () => {
      await withReplies([[{ text: 'x' }, { hang: true }]]);
      const { code } = await place.run(['run', '--session-id', 'long', 'x'], {
        env,
        during: async (child) => {
          await until(async () => (await place.session('long').catch(() => undefined))?.turns[0]?.parts.length === 2);
          child.kill('SIGINT');
          child.kill('SIGINT');
        },
      });
      assert.equal(code, 130);
    });
  });

  describe('permissions', () => {
    const create: Reply[] = [
      [{ call: 'file_write', arguments: { path: 'new.txt', content: 'Hello\n' } }],
      [{ text: 'Done.' }],
    ];

    it('are given by --yes, which is recorded', async () => {
      await withReplies(create);
      const { code, stdout } = await place.run(['run', '--yes', 'create it'], { env });
      assert.deepEqual([code, stdout], [0, 'Done.\n']);
      assert.equal(await readFile(place.file('new.txt'), 'utf8'), 'Hello\n');
      const [decision] = (await place.session()).permissions;
      assert.deepEqual(
        { ...decision, timestamp: '' },
        {
          tool: 'file_write',
          action: 'ask',
          decision: 'granted',
          path: place.file('new.txt'),
          timestamp: '',
          turn: 1,
          part: 2,
          by: '--yes',
        },
      );
    });

    it('are declined without a terminal, which is recorded and explained with a rule that would do', async () => {
      await withReplies([...create, ...create]);
      const { code, stderr } = await place.run(['run', 'create it'], { env });
      assert.equal(code, 0);
      assert.equal(existsSync(place.file('new.txt')), false);
      assert.match(stderr, /no terminal to ask in: Write new\.txt\. --yes allows it, or /);
      const { permissions, turns } = await place.session();
      assert.deepEqual([permissions[0]!.decision, permissions[0]!.by], ['declined', 'no terminal']);
      assert.equal((turns[0]!.parts[1] as ToolPart).is_error, true);

      const rule = /--yes allows it, or (\{.*\}) in .*config\.json\./.exec(stderr)?.[1] ?? '';
      const config = JSON.parse(await readFile(path.join(place.home, 'config.json'), 'utf8')) as object;
      await place.configure({ ...config, ...(JSON.parse(rule) as object) });
      await place.run(['run', '--session-id', 'again', 'create it'], { env });
      assert.equal(existsSync(place.file('new.txt')), true);
      assert.match((await place.session('again')).permissions[0]!.by!, /^folder: file_write "new\.txt" allow/);
    });

    it('are not given by --yes outside the workspace (P4)', async () => {
      await writeFile(place.file('../canary'), 'chirp');
      await withReplies([
        [{ call: 'file_write', arguments: { path: '../canary', content: 'dead' } }],
        [{ text: 'Not done.' }],
      ]);
      const { stderr } = await place.run(['run', '--yes', 'x'], { env });
      assert.match(stderr, /outside the workspace/);
      assert.equal(await readFile(place.file('../canary'), 'utf8'), 'chirp');
      const { permissions } = await place.session();
      assert.deepEqual([permissions[0]!.decision, permissions[0]!.by], ['declined', 'no terminal']);
    });

    it('follow the configuration', async () => {
      await withReplies(create, { permissions: { tools: { file_write: 'allow' } } });
      await place.run(['run', 'create it'], { env });
      assert.equal(existsSync(place.file('new.txt')), true);
      assert.match((await place.session()).permissions[0]!.by!, /^user: /);
    });

    it('are hinted at where a rule does less than it seems to, and count all the same', async () => {
      const tools = { file_write: 'allow', run_command: { commands: { rm: 'deny', 'git push *': 'deny' } } };
      await withReplies(create, { permissions: { tools } });
      const { code, stderr } = await place.run(['run', 'create it'], { env });
      assert.deepEqual([code, existsSync(place.file('new.txt'))], [0, true]);
      const [hint, ...others] = stderr.split('\n').filter((line) => line.startsWith('Hint: '));
      assert.match(hint!, /config\.json:\d+:\d+: .*\.commands\.rm matches the command without .* Write "rm \*" for it/);
      assert.deepEqual(others, []);
      assert.doesNotMatch((await place.run(['run', '/permissions'], { env })).stderr, /Hint/);
    });

    it('are not given by the file of the project while nobody can confirm it, which is said (P5)', async () => {
      const { url } = await withReplies(create);
      await mkdir(place.file('.polyglav'));
      const project = {
        permissions: { default: 'allow', tools: { file_write: 'allow' } },
        providers: { theirs: { type: 'openai-chat', base_url: url, api_key_env: 'THEIR_KEY' } },
      };
      await writeFile(place.file('.polyglav', 'config.json'), JSON.stringify(project));
      const { code, stderr } = await place.run(['run', 'create it'], { env });
      assert.equal(code, 0);
      const [said, ...others] = stderr.split('\n').filter((line) => line.startsWith('Not used'));
      assert.deepEqual(others, []);
      assert.match(
        said!,
        /the provider theirs and the rules default allow, file_write allow of \S*\.polyglav\/config\.json\. /,
      );
      assert.match(said!, /at a terminal "polyglav run <prompt>" asks\. Or write .*home\/config\.json\.$/);
      assert.deepEqual([place.mock.requests.length, existsSync(place.file('new.txt'))], [2, false]);
      assert.equal((await place.session()).permissions[0]!.by, 'no terminal');
      // Its denies count without a word to anybody.
      place.mock.reply(...create);
      await writeFile(place.file('.polyglav', 'config.json'), '{"permissions":{"tools":{"file_write":"deny"}}}');
      const denied = await place.run(['run', '--yes', '--session-id', 's', 'create it'], { env });
      assert.doesNotMatch(denied.stderr, /Not used/);
      assert.match((await place.session('s')).permissions[0]!.by!, /^project: file_write deny/);
    });

    it('does not send a prompt to a provider that nobody confirmed, and leaves nothing behind (P5)', async () => {
      const { url } = await withReplies(create);
      await mkdir(place.file('.polyglav'));
      const project = { model: 'theirs/m', providers: { theirs: { type: 'openai-chat', base_url: url } } };
      await writeFile(place.file('.polyglav', 'config.json'), JSON.stringify(project));
      const { code, stderr } = await place.run(['run', '--yes', 'create it'], { env });
      assert.equal(code, 2);
      assert.match(stderr, /polyglav: The provider "theirs" is one that .* is not used until you confirm it\./);
      assert.deepEqual([place.mock.requests.length, await place.sessions()], [0, []]);
      const other = await place.run(['run', '--model', 'demo/demo', 'hello'], { env });
      assert.equal(other.code, 0);
    });

    it('never give a key of the user to the file of the project (P5)', async () => {
      const { url } = await withReplies(create);
      await mkdir(place.file('.polyglav'));
      const elsewhere = url.replace('127.0.0.1', 'localhost');
      const project = {
        providers: { theirs: { type: 'openai-chat', base_url: elsewhere, api_key_env: 'MOCK_API_KEY' } },
      };
      await writeFile(place.file('.polyglav', 'config.json'), JSON.stringify(project));
      const { code, stderr } = await place.run(['run', '--yes', 'create it'], { env });
      assert.equal(code, 2);
      assert.match(stderr, /workspace\/\.polyglav\/config\.json:1:\d+: .* in .*home\/config\.json\.\n$/);
      assert.equal(place.mock.requests.length, 0);
    });

    it('never give the provider key to a command (R15)', async function () {
      if (process.platform === 'win32') this.skip();
      await withReplies([
        [{ call: 'run_command', arguments: { command: 'echo "key: [$MOCK_API_KEY]"' } }],
        [{ text: 'Done.' }],
      ]);
      await place.run(['run', '--yes', 'x'], { env });
      const [turn] = (await place.session()).turns;
      assert.match((turn!.parts[1] as ToolPart).output!, /key: \[\]/);
    });
  });

  describe('sessions', () => {
    it('begin under the name of --session-id and are taken up again', async () => {
      await withReplies([[{ text: 'One.' }], [{ text: 'Two.' }]]);
      await place.run(['run', '--session-id', 'mine', 'first'], { env });
      const { stdout } = await place.run(['run', '--session-id', 'mine', 'second'], { env });
      assert.equal(stdout, 'Two.\n');
      assert.deepEqual(await place.sessions(), ['mine']);
      assert.equal((await place.session('mine')).turns.length, 2);
      assert.equal(place.mock.requests[1]!.body.messages.length, place.mock.requests[0]!.body.messages.length + 2);
    });

    it('begin with the model and mode of the flags, and record a later change', async () => {
      await withReplies([[{ text: 'Two.' }]]);
      await place.run(['run', '--session-id', 's', '--model', 'demo/demo', '--mode', 'plan', 'hello'], { env });
      const { turns } = await place.session('s');
      assert.deepEqual(
        turns.map(({ provider, mode }) => [provider, mode]),
        [['demo', 'plan']],
      );
      await place.run(['run', '--session-id', 's', '--model', 'mock/other', 'again'], { env });
      const later = (await place.session('s')).turns.slice(1);
      assert.deepEqual(
        later.map(({ parts }) => [parts[0]!.type, parts[0]!['text']]),
        [
          ['command', '/model mock/other'],
          ['user', 'again'],
        ],
      );
      assert.deepEqual([later[1]!.provider, later[1]!.model, later[1]!.mode], ['mock', 'other', 'plan']);
    });
  });

  describe('slash commands', () => {
    it('print to standard output', async () => {
      assert.match((await place.run(['run', '/help'])).stdout, /`\/session new \[name\]`/);
      assert.equal((await place.run(['run', '/session new mine'])).stdout, 'The new session `mine` has begun.\n');
      assert.match((await place.run(['run', '/sessions'])).stdout, /^- `mine` \(no turns yet, just now\)\n$/);
      assert.match(
        (await place.run(['run', '--session-id', 'mine', '/session'])).stdout,
        /^Session `mine` \(#1\): 0 turns/,
      );
      const { stdout } = await place.run(['run', '--session-id', 'mine', '--format', 'json', '/mode plan']);
      assert.deepEqual(JSON.parse(stdout), { type: 'command', command: 'mode', text: 'Mode: `plan`.' });
      assert.equal((await place.session('mine')).turns[0]!.parts[0]!['text'], '/mode plan');
    });

    it('are prompts behind two slashes, and a path is one too', async () => {
      await withReplies([[{ text: 'One.' }], [{ text: 'Two.' }]]);
      await place.run(['run', '--session-id', 'a', '//help me'], { env });
      await place.run(['run', '--session-id', 'b', '/etc/hosts is odd'], { env });
      assert.equal((await place.session('a')).turns[0]!.parts[0]!['text'], '/help me');
      assert.equal((await place.session('b')).turns[0]!.parts[0]!['text'], '/etc/hosts is odd');
    });
  });
});

/** Not for a process that has ended and that nobody has asked for its exit code yet. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

/** Waits, at most ten seconds, until something is so. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await wait(50);
  }
  throw new Error('waited ten seconds in vain');
}
