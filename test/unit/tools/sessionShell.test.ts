import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';

import { resolveAsDecided, resolvePath } from '../../../src/permissions/paths.ts';
import { runCommand } from '../../../src/tools/runCommand.ts';
import { Workspace } from './workspace.ts';

describe('what lasts from one command to the next (P1)', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await Workspace.make();
    await mkdir(workspace.path('src/deep'), { recursive: true });
  });
  afterEach(() => workspace.remove());

  const run = async (command: string, timeout?: number) =>
    (await workspace.call(runCommand, timeout === undefined ? { command } : { command, timeout })).output;

  it('is the folder, and the result says where the shell stands now', async () => {
    assert.equal(await run('cd src'), '(no output)\n[The shell is now in src/]\n[Exit code 0]');
    assert.deepEqual(runCommand.paths({ command: 'pwd' }, await workspace.shell.folder()), [workspace.path('src')]);
    assert.equal(await run('pwd; cd deep'), `${workspace.path('src')}\n[The shell is now in src/deep/]\n[Exit code 0]`);
    assert.equal(
      await run('cd - > /dev/null; pwd'),
      `${workspace.path('src')}\n[The shell is now in src/]\n[Exit code 0]`,
    );
    assert.match(await run('cd ..'), /\[The shell is now in the workspace folder\]/);
    assert.match(await run(`cd '${tmpdir()}'`), /\[The shell is now in \/.*\/\]/);
  });

  it('is what was exported, and what was taken out of the environment', async () => {
    process.env['POLYGLAV_TEST_OWN'] = 'own';
    try {
      await run(`export A='x  y\n=z' B=; export PATH="$PWD/bin:$PATH"; unset POLYGLAV_TEST_OWN`);
      assert.equal(
        await run('echo "$A|${B-none}|${PATH%%:*}|${POLYGLAV_TEST_OWN-none}"; unset A; export B=2'),
        `x  y\n=z||${workspace.path('bin')}|none\n[Exit code 0]`,
      );
      assert.equal(await run('echo "${A-none} $B"; export POLYGLAV_TEST_OWN=back'), 'none 2\n[Exit code 0]');
      assert.equal(await run('echo $POLYGLAV_TEST_OWN'), 'back\n[Exit code 0]');
    } finally {
      delete process.env['POLYGLAV_TEST_OWN'];
    }
  });

  it('is nothing that would give the words of a later command another meaning', async () => {
    await run(
      'plain=1; git() { echo evil; }; export -f git; shopt -s expand_aliases; alias ls="echo evil"; set -e; umask 0',
    );
    assert.equal(
      await run('echo "${plain-none} $(type -t git) $(type -t ls) ${-//[!e]/}"; false; echo on'),
      'none file file \non\n[Exit code 0]',
    );
    const lost = await run('export BASH_ENV=$PWD/evil PS4=x HOME=/ CDPATH=/ PROMPT_COMMAND=x');
    assert.match(lost, /\[Not kept for the next command: BASH_ENV, CDPATH, HOME, PROMPT_COMMAND, PS4\]/);
    await run(
      'export GIT_CONFIG_COUNT=0 GIT_SSH_COMMAND=x LD_PRELOAD=x NODE_OPTIONS=x GIT_PAGER=x EDITOR=x 2> /dev/null',
    );
    assert.equal(
      await run('env | grep -cE "^(GIT_SSH_COMMAND|LD_PRELOAD|NODE_OPTIONS|GIT_CONFIG_COUNT|GIT_PAGER|EDITOR)=x"'),
      '0\n[Exit code 1]',
    );
    assert.match(
      await run('export GIT_EXTERNAL_DIFF=x GIT_TRACE=/x GIT_AUTHOR_NAME=me npm_config_script_shell=x RUSTC_WRAPPER=x'),
      /\[Not kept for the next command: GIT_EXTERNAL_DIFF, GIT_TRACE, RUSTC_WRAPPER, npm_config_script_shell\]/,
    );
    assert.equal(await run('echo "$GIT_AUTHOR_NAME ${GIT_TRACE-none}"'), 'me none\n[Exit code 0]');
    assert.equal(
      await run('echo "${BASH_ENV-none} ${CDPATH-none} ${PROMPT_COMMAND-none}"; [ "$HOME" != / ]'),
      'none none none\n[Exit code 0]',
    );
  });

  it('is no key, which is neither shown nor told (R15)', async () => {
    process.env['POLYGLAV_TEST_KEY'] = 'sk-recognisable';
    workspace.with({ secret_env: ['POLYGLAV_TEST_KEY'], holdsKey: (text) => text.includes('sk-recognisable') });
    try {
      // A command that reads it from a file.
      await workspace.write('key', 'sk-recognisable');
      const { shell } = workspace;
      assert.match(
        await run('export POLYGLAV_TEST_KEY=other COPY="Bearer $(cat key)" C=1'),
        /Not kept .*: COPY, POLYGLAV_TEST_KEY\]/,
      );
      assert.doesNotMatch(JSON.stringify(shell.environment([], {})), /Bearer|other/);
      assert.equal(await run('env | grep -c -e recognisable -e ^POLYGLAV_TEST_KEY; echo $C'), '0\n1\n[Exit code 0]');
      // What becomes the name of a key later.
      await run('export LATER=sk-of-another');
      assert.equal(shell.environment([], {})['LATER'], 'sk-of-another');
      assert.equal(shell.environment(['LATER'], {})['LATER'], undefined);
    } finally {
      delete process.env['POLYGLAV_TEST_KEY'];
    }
  });

  const ends: [how: string, command: string][] = [
    ['exit', 'cd src; export LEFT=1; exit 3'],
    ['a failed exec', 'cd src; export LEFT=1; exec no-such-program'],
    ['set -e', 'set -e; cd src; export LEFT=1; false; cd ..'],
    ['an unbound variable', 'set -u; cd src; export LEFT=1; echo $NO_SUCH_VARIABLE'],
    ['a function that exits', 'f() { cd src; export LEFT=1; exit 9; }; f'],
    [
      'tracing, a debug trap, other separators and an own printf',
      'printf() { echo no; }; IFS=_; set -x; trap "echo d" DEBUG; cd src; export LEFT=1',
    ],
    ['closed streams', 'cd src; export LEFT=1; exec >&- 2>&- <&-'],
    [
      'an output that says the like',
      String.raw`cd src; export LEFT=1; printf 'nonce\0/etc\0LEFT=2\0nonce\0' >&2; cat /proc/$$/cmdline >&2`,
    ],
    [
      'a background process that goes on writing',
      'cd src; export LEFT=1; (while true; do echo x; echo y >&2; sleep 0.01; done) & sleep 0.1',
    ],
  ];
  for (const [how, command] of ends)
    it(`also after ${how}`, async () => {
      assert.match(await run(command), /\[The shell is now in src\/\]/);
      assert.equal(await run('echo "$LEFT ${PWD##*/}"'), '1 src\n[Exit code 0]');
    });

  it('is as before after a command that took the shell with it, and the result says so', async () => {
    await run('cd src; export A=1');
    for (const command of ['cd ..; export A=2; exec true', 'cd ..; trap "A=3" EXIT; export A=2; exit'])
      assert.match(await run(command), /\[The folder and variables are as before: .*\]\n\[Exit code 0\]$/);
    assert.equal(await run('cd ..; export A=2; kill -KILL $$'), '(no output)\n[Ended by SIGKILL]');
    assert.match(await run('cd ..; export A=2; echo begun; sleep 30', 1), /^begun\n\[Stopped after 1 seconds/);
    const stop = new AbortController();
    const stopped = workspace
      .with({ signal: stop.signal })
      .call(runCommand, { command: 'cd ..; export A=2; sleep 30' });
    setTimeout(() => stop.abort(new Error('stopped')), 300);
    assert.match((await stopped).output, /\[Stopped by the person before it ended\.\]$/);
    workspace.with({ signal: new AbortController().signal });
    assert.equal(await run('echo "$A ${PWD##*/}"'), '1 src\n[Exit code 0]');
  });

  it('is nothing that a command says in place of the shell, though it finds out how', async () => {
    const nonce = [
      'n=${BASH_EXECUTION_STRING#*%s?0?}',
      'n=${n#* }',
      'n=${n%%;*}',
      `echo -ne "$n\\0${tmpdir()}\\n\\0EVIL=1\\0$n\\0" >&97`,
    ].join('; ');
    const flood = 'head -c 5000000 /dev/zero >&97';
    for (const command of [nonce, `${nonce}; ${flood}`, `${flood}; ${nonce}`, `cd src; ${flood}`])
      assert.match(
        await run(command),
        /^\(no output\)\n\[The folder and variables are as before: .*\]\n\[Exit code 0\]$/,
      );
    assert.match(await run('echo "${EVIL-none}"'), /^none\n/);
  });

  it('is no folder that is gone: the next command starts in the workspace folder and says so', async () => {
    const gone = await run('mkdir tmp && cd tmp && rmdir ../tmp');
    assert.match(gone, /\[The folder where the shell stood is gone; it is back in the workspace folder\.\]/);
    assert.equal(await run('pwd'), `${workspace.root}\n[Exit code 0]`);
    await run('cd src/deep');
    await rm(workspace.path('src/deep'), { recursive: true });
    assert.equal(
      await run('pwd'),
      `${workspace.root}\n[The folder where the shell stood is gone: this ran in the workspace folder.]\n[Exit code 0]`,
    );
    assert.equal(await run('pwd'), `${workspace.root}\n[Exit code 0]`);
  });

  it('is a folder and nothing else', async () => {
    const { shell } = workspace;
    await workspace.write('file', '');
    for (const folder of [workspace.path('file'), 'src', workspace.path('none'), '']) {
      const remarks = await shell.take({ folder, variables: new Map() }, {}, () => false);
      assert.match(remarks.join(), /back in the workspace folder/, folder);
    }
    await shell.take({ folder: workspace.path('src'), variables: new Map() }, {}, () => false);
    assert.equal(await shell.folder(), workspace.path('src'));
  });

  it('is the real folder: one that was swapped for a link since the decision is not entered (P4)', async () => {
    await run('cd src');
    const decided = await resolvePath(workspace.root, await workspace.shell.folder());
    await rename(workspace.path('src'), workspace.path('was'));
    await symlink(tmpdir(), workspace.path('src'));
    workspace.with({ resolve: (given) => resolveAsDecided(workspace.root, given, decided) });
    assert.match(await run('touch made'), /led elsewhere when it was decided/);
  });

  it('has a bound, so that the next command can be started', async () => {
    const { output } = await workspace.call(runCommand, {
      command:
        'export BIG=$(head -c 100000 /dev/zero | tr "\\0" x); export SMALL=1; for i in $(seq 20); do export "N$i=$(head -c 30000 /dev/zero | tr "\\0" x)"; done 2> /dev/null',
    });
    assert.match(output, /\[Not kept for the next command: BIG, .* and \d+ more\]/);
    assert.equal(await run('echo "${#BIG} $SMALL"'), '0 1\n[Exit code 0]');
  });

  it('is taken back by a reset', async () => {
    await run('cd src; export A=1');
    workspace.shell.reset();
    assert.equal(
      await run('echo "${A-none}"; pwd'),
      `none\n${workspace.root}\n[The person reset the shell: this ran in the workspace folder, without what was exported before.]\n[Exit code 0]`,
    );
    assert.equal(await run('true'), '(no output)\n[Exit code 0]');
  });
});
