import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { runCommand } from '../../../src/tools/runCommand.ts';
import type { ToolResult } from '../../../src/tools/tool.ts';
import { Workspace } from './workspace.ts';

describe('run_command', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const run = (command: string, timeout?: number) =>
    workspace.call(runCommand, timeout === undefined ? { command } : { command, timeout });

  it('gives the output, both streams in the order they were written, and the exit code', async () => {
    const result = await run('for i in 1 2 3; do echo out$i; echo err$i >&2; done');
    assert.deepEqual(result, { output: 'out1\nerr1\nout2\nerr2\nout3\nerr3\n[Exit code 0]', is_error: false });
  });

  it('runs in bash, in the workspace folder, with no input and no login shell', async () => {
    await workspace.write('.bash_profile', 'echo profile');
    const { output } = await run(
      'pwd; read -t 5 line || echo no input; [[ -n $BASH_VERSION ]] && shopt -q login_shell || echo no login',
    );
    assert.equal(output, `${workspace.root}\nno input\nno login\n[Exit code 0]`);
  });

  it('runs exactly the text it was given', async () => {
    const command = `printf '%s|' "a  b" 'c"d' $'\\n' "\\$HOME" # comment`;
    assert.equal((await run(command)).output, 'a  b|c"d|\n|$HOME|\n[Exit code 0]');
    assert.equal((await run('echo "$0" "$#"; (exit 3)')).output.split('\n').at(-1), '[Exit code 3]');
  });

  it('says how a command failed', async () => {
    assert.deepEqual(await run('exit 3'), { output: '(no output)\n[Exit code 3]', is_error: true });
    assert.equal((await run('kill -SEGV $$')).output, '(no output)\n[Ended by SIGSEGV]');
    assert.match((await run('sh -c "kill -SEGV \\$\\$"; exit $?')).output, /\[Exit code 139, SIGSEGV\]$/);
    const unknown = await run('no-such-program');
    assert.match(unknown.output, /no-such-program: command not found\n\[Exit code 127\]$/);
    assert.equal(unknown.is_error, true);
  });

  it('reports the output while it runs, with characters that come in two pieces whole', async () => {
    const running = run(`printf 'a\\xf0\\x9f'; sleep 0.3; printf '\\x98\\x80b'; sleep 2; printf '\\xe6\\x97\\xa5'`);
    while (!workspace.pieces.join('').includes('b')) await sleep(10);
    assert.equal(workspace.pieces.join(''), 'a😀b');
    assert.equal((await running).output, 'a😀b日\n[Exit code 0]');
    assert.equal(workspace.pieces.join(''), 'a😀b日');
    assert.ok(workspace.pieces.length > 1);
  });

  it('goes no faster than its output is taken, and loses nothing of it', async () => {
    const length = 20_000_000;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let seen = 0;
    workspace.with({ max_output_chars: 2 * length, onOutput: (piece) => ((seen += piece.length), opened) });
    const running = run(`head -c ${length} /dev/zero | tr '\\0' x`);
    while (seen === 0) await sleep(10);
    await sleep(500);
    assert.ok(seen < 1_000_000, `${seen} characters were pushed on a reader that takes none`);
    open();
    assert.equal((await running).output.length, length + '\n[Exit code 0]'.length);
    assert.equal(seen, length);
  });

  it('ends at its time limit while nobody takes its output', async () => {
    workspace.with({ command_secs: 1, onOutput: () => new Promise(() => undefined) });
    const { output } = await run('yes');
    assert.match(output, /^y\ny\n[^]*\n\[Stopped after 1 seconds, its time limit/);
  });

  it('shows bytes that are no text as such', async () => {
    assert.equal((await run(`printf 'a\\xff\\xf0\\x9f'`)).output, 'a\uFFFD\uFFFD\n[Exit code 0]');
  });

  it('shows a line that was written over as it was in the end', async () => {
    const { output } = await run(
      String.raw`for i in 1 50 100; do printf '\r%d %%' $i; sleep 0.05; done; printf '\r\na\r\nb\r\r\n'; printf 'end\r'`,
    );
    assert.equal(output, '100 %\na\nb\nend\n[Exit code 0]');
  });

  it('leaves binary data out, but not a list with a NUL between its names', async () => {
    for (const command of ['head -c 5000 /dev/urandom', 'head -c 5000 /dev/zero'])
      assert.match(
        (await run(command)).output,
        /^\[The output is binary data and left out; [^\n]*\]\n\[Exit code 0\]$/,
      );
    await workspace.write('some-long-name', '');
    const { output } = await run('for i in $(seq 50); do printf "some-long-name\\0"; done');
    assert.equal(output, `${'some-long-name\0'.repeat(50)}\n[Exit code 0]`);
  });

  it('takes colours and other controls of a terminal out', async () => {
    assert.equal((await run(`printf '\\033[31mred\\033[0m\\n'`)).output, 'red\n[Exit code 0]');
    assert.equal((await run('echo $TERM $PAGER $GIT_TERMINAL_PROMPT')).output, 'dumb cat 0\n[Exit code 0]');
  });

  it('bounds a long output, keeping beginning and end', async () => {
    workspace.with({ max_output_chars: 2000 });
    const { output } = await run('for i in $(seq 1 20000); do echo line $i 😀; done');
    assert.ok([...output].length <= 2000);
    assert.match(output, /^line 1 😀\nline 2 😀\n/);
    assert.match(output, /\n\[\d+ characters \(\d+ lines\) left out here; /);
    assert.match(output, /line 20000 😀\n\[Exit code 0\]$/);
    assert.doesNotMatch(output, /[\p{Surrogate}\uFFFD]/u);
  });

  it('gets no key (R15)', async () => {
    process.env['POLYGLAV_TEST_KEY'] = 'sk-recognisable';
    process.env['POLYGLAV_TEST_COPY'] = 'Bearer sk-recognisable';
    try {
      const { output } = await workspace
        .with({ secret_env: ['POLYGLAV_TEST_KEY'] })
        .call(runCommand, { command: 'env; tr "\\0" "\\n" < /proc/self/environ' });
      assert.doesNotMatch(output, /recognisable/);
      assert.match(output, /^PATH=/m);
    } finally {
      delete process.env['POLYGLAV_TEST_KEY'];
      delete process.env['POLYGLAV_TEST_COPY'];
    }
  });

  it('stops at its time limit and keeps the output so far', async () => {
    const begun = Date.now();
    const result = await run('echo begun; sleep 30', 1);
    assert.deepEqual(result, {
      output: 'begun\n[Stopped after 1 seconds, its time limit. With timeout it may have up to 3600.]',
      is_error: true,
    });
    assert.ok(Date.now() - begun < 3000);
  });

  it('has a time limit without being given one, and a highest one', async () => {
    workspace.with({ command_secs: 1 });
    assert.match((await run('sleep 30')).output, /Stopped after 1 seconds/);
    const refused = await run('echo no', 3601);
    assert.deepEqual(refused, { output: 'timeout: at most 3600 seconds are possible, not 3601.', is_error: true });
    assert.equal(
      (await workspace.with({ command_secs: 5000 }).call(runCommand, { command: 'true', timeout: 5000 })).is_error,
      false,
    );
  });

  it('says that a command is too long to be started', async () => {
    const { output, is_error } = await run(`echo ${'x'.repeat(200_000)}`);
    assert.equal(is_error, true);
    assert.match(output, /could not be started: .*E2BIG/);
  });

  it('cannot be started where the path leads elsewhere by now', async () => {
    workspace.with({ resolve: () => Promise.reject(new Error('led elsewhere')) });
    await assert.rejects(run('touch made'), /led elsewhere/);
    await assert.rejects(stat(workspace.path('made')), { code: 'ENOENT' });
  });

  describe('ends all that it started (T7)', () => {
    /** Every one of them writes a line ten times a second, and none listens to a polite request. */
    const loop = (name: string) => `while true; do echo x >> ${name}; sleep 0.1; done`;
    const deaf = (name: string) => `trap "" TERM HUP INT; ${loop(name)}`;
    const runaways: [name: string, command: string][] = [
      ['the shell itself', loop('log')],
      ['one that is deaf to being asked', deaf('log')],
      ['a grandchild in the background', `bash -c '(${loop('log')}) & wait'`],
      ['one whose parent is gone', `(bash -c '${loop('log')}' &) ; sleep 60`],
      ['one in a session of its own', `setsid bash -c '${deaf('log')}' & wait`],
      [
        'one in a session of its own whose parent is gone',
        `(setsid nohup bash -c '${deaf('log')}' > /dev/null 2>&1 &); sleep 60`,
      ],
      ['one in a process group of its own', `set -m; bash -c '${loop('log')}' & wait`],
      ['one with an environment of its own', `env -i /bin/bash -c '${loop('log')}' & wait`],
      [
        'one with neither parent, session nor environment of the command',
        `env -i setsid bash -c '(${deaf('log')}) </dev/null >/dev/null 2>&1 &'; sleep 60`,
      ],
      [
        'one that closed all that it had inherited too, while its parent was still there',
        `bash -c 'env -i setsid bash -c "exec 97>&- </dev/null >/dev/null 2>&1; ${loop('log')}" & sleep 1'; sleep 60`,
      ],
      ['a pipeline', `(${loop('log')}; echo) | cat | tail -f -`],
      ['those that start others for ever', `f() { echo x >> log; sleep 0.1; f & }; f; wait; sleep 60`],
    ];

    const size = async () => (await stat(workspace.path('log')).catch(() => ({ size: 0 }))).size;

    async function assertAllEnded(result: Promise<ToolResult>, begun: number): Promise<ToolResult> {
      const settled = await result;
      // A second is the promise; a busy machine takes longer, and what hangs takes for ever.
      assert.ok(Date.now() - begun < 8000, `it took ${Date.now() - begun} ms`);
      const before = await size();
      await sleep(400);
      assert.equal(await size(), before, 'something still runs');
      return settled;
    }

    for (const [name, command] of runaways)
      it(`${name}, when it is stopped`, async () => {
        const stop = new AbortController();
        const result = workspace.with({ signal: stop.signal }).call(runCommand, { command });
        while ((await size()) < 24) await sleep(20);
        stop.abort(new Error('stopped'));
        const { output, is_error } = await assertAllEnded(result, Date.now());
        assert.match(output, /\[Stopped by the person before it ended\.\]$/);
        assert.equal(is_error, true);
      });

    it('those of a command inside a command', async () => {
      const stop = new AbortController();
      const command = `POLYGLAV_CALL=$POLYGLAV_CALL,inner setsid bash -c '${deaf('log')}' & sleep 60`;
      const result = workspace.with({ signal: stop.signal }).call(runCommand, { command });
      while ((await size()) < 4) await sleep(20);
      stop.abort();
      await assertAllEnded(result, Date.now());
    });

    it('at its time limit', async () => {
      const command = `setsid bash -c '${deaf('log')}' & echo begun; wait`;
      const result = await assertAllEnded(run(command, 1), Date.now() + 1000);
      assert.match(result.output, /^begun\n\[Stopped after 1 seconds/);
      assert.ok((await size()) > 0);
    });

    it('what the shell left in the background, and says so', async () => {
      for (const command of [
        `${loop('log')} & echo done`,
        `setsid bash -c '${deaf('log')}' > /dev/null 2>&1 & echo done`,
        // The shell is over before anybody has looked at it for the first time, mostly.
        ...Array<string>(4).fill(`env -i setsid bash -c '(${deaf('log')}) </dev/null >/dev/null 2>&1 &'; echo done`),
        `env -i setsid bash -c "exec 97>&- </dev/null >/dev/null 2>&1; ${loop('log')}" & sleep 2; echo done`,
      ]) {
        const { output, is_error } = await assertAllEnded(run(command), Date.now());
        assert.match(
          output,
          /^done\n\[Ended what the command had left running: bash \(\d+\)(, \w+ \(\d+\))*\.\]\n\[Exit code 0\]$/,
        );
        assert.equal(is_error, false);
      }
    });

    describe('while file handles are scarce', () => {
      const HANDLES = 128;
      const MANY = 150;
      const SECS = 47_110_000 + process.pid;
      const alive = async () => {
        const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,stat=,args=']);
        const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
        return lines.filter(([, stat, ...args]) => !stat?.startsWith('Z') && args.join(' ') === `sleep ${SECS}`);
      };

      before(function () {
        if (process.platform !== 'linux') this.skip();
      });
      afterEach(async () => {
        for (const [pid] of await alive()) process.kill(Number(pid), 'SIGKILL');
      });

      async function inProgram(command: string, free: number, ending: 'stop' | 'itself') {
        const program = path.join(import.meta.dirname, 'fewHandles.ts');
        const { stdout } = await promisify(execFile)('bash', [
          '-c',
          `ulimit -n ${HANDLES}; exec "$@"`,
          'bash',
          process.execPath,
          program,
          command,
          String(free),
          ending,
        ]);
        return JSON.parse(stdout) as { output: string; watched: number };
      }

      it('more processes than handles, when it is stopped', async () => {
        const many = `for i in $(seq ${MANY}); do setsid sleep ${SECS} & done; echo ready; wait`;
        const { output, watched } = await inProgram(many, 3, 'stop');
        assert.equal(output, 'ready\n[Stopped by the person before it ended.]');
        assert.deepEqual(await alive(), []);
        assert.equal(watched, 0);
      });

      for (const [ending, command, last] of [
        ['stop', `echo ready; sleep ${SECS}`, /\[Stopped by the person before it ended\.\]$/],
        ['itself', `sleep ${SECS} & echo ready; sleep 1.5`, /\[Exit code 0\]$/],
      ] as const)
        it(`all that is in the shell's group when there is not one handle to look with (${ending})`, async () => {
          const { output, watched } = await inProgram(command, 0, ending);
          assert.match(output, /^ready\n\[Its processes could not be looked up, so some may still run\.\]\n/);
          assert.match(output, last);
          assert.deepEqual(await alive(), []);
          assert.equal(watched, 0);
        });
    });

    it('lets what is nearly done finish', async () => {
      const { output } = await run('(sleep 0.2; echo late; touch made) & echo done');
      assert.equal(output, 'done\nlate\n[Exit code 0]');
      assert.ok(await stat(workspace.path('made')));
    });

    it('does not start at all when it is stopped already', async () => {
      workspace.with({ signal: AbortSignal.abort(new Error('stopped')) });
      await assert.rejects(run('touch made'), /stopped/);
      await assert.rejects(stat(workspace.path('made')), { code: 'ENOENT' });
    });

    it('touches no process of others', async () => {
      const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      await run('sleep 30', 1);
      assert.equal(other.exitCode ?? other.signalCode, null);
      other.kill('SIGKILL');
    });
  });
});
