/** Lines that are not asked are run as the tool runs them: none may show a secret or what lies outside, or change a file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';

import { decide } from '../../../src/permissions/policy.ts';
import { runCommand } from '../../../src/tools/runCommand.ts';
import { SessionShell } from '../../../src/tools/sessionShell.ts';
import { Workspace } from '../tools/workspace.ts';
import { allowing, hasBash, SECRET } from './canaries.ts';

const PROGRAMS =
  'echo cat grep egrep head tail sed sort ls find xargs bash sh env eval git tar diff wc cut nl tac paste read printf cd cp true test rg awk command time dd'.split(
    ' ',
  );
const CONFIG = allowing(PROGRAMS, ['held/back.txt']);
/** Beginnings that are likely to show something. */
const READERS = [
  ...[
    'cat',
    'cat a.txt',
    'grep -h the',
    'grep -rh the',
    'grep -nf',
    'dd',
    'rg the',
    'head -n 5',
    'sed -n p',
    'sort',
    'tar cf -',
    'find',
    'diff a.txt',
  ],
  ...[
    'git grep -h the',
    'git grep --untracked the',
    'git grep --no-index the',
    'git diff --no-index a.txt',
    'git show',
    'git diff',
    'git log -p',
    'git log',
    'git cat-file -p',
    'git -C src show',
    'git status -v',
  ],
  ...['xargs cat', 'find . -exec cat', 'find src -exec grep the', 'command cat', 'awk 1', 'paste', 'nl --'],
];
/** What may lead to a canary, as text or when it runs, and what leads to none. */
const PLACES = [
  ...['.en$(echo v)', '$(echo .e)nv', 'ou$(echo t)/secret', '.en$x', '.en"$x"', 'ou$x/secret'],
  ...[
    '.env',
    '.e*',
    '.e?v',
    '.[e]nv',
    '{.env,a.txt}',
    '.e{n,x}v',
    '.e{m..o}v',
    '*',
    '.*',
    '*/*',
    '.',
    './',
    '..',
    '"$PWD"',
  ],
  ...[
    'out/secret',
    'o*/secret',
    'o?t/s*',
    '*/secret',
    'src/away/secret',
    's*/aw*/secret',
    'src/../out/secret',
    '"out"/secret',
  ],
  ...[
    '../outside/secret',
    'held/back.txt',
    'held/*',
    'h*/b*',
    'held',
    'keys/id_rsa',
    'keys',
    'k*/id*',
    'src',
    'src/',
    'a.txt',
    'src/b.ts',
  ],
  ...[
    '$x',
    '"$x"',
    '${x}',
    '"$x"/secret',
    '$x/secret',
    '.en$x',
    '"$x$y"',
    '$x$y',
    '${x%.ts}',
    '$y',
    '"$y/secret"',
    '"$1"',
  ],
  ...[
    '$(echo .env)',
    '"$(echo .env)"',
    '`echo .env`',
    '<(cat .env)',
    '$(cat .env)',
    'HEAD:.env',
    ':.env',
    "':(icase).ENV'",
    "-- '.e*'",
    'HEAD -- src',
    'HEAD src',
    'HEAD',
    '-- .env',
    '--file=.env',
    '-f.env',
    '-nf.env',
    '-nfkeys/id_rsa',
    '-nfout/secret',
    'if=.env',
    'if=keys/id_rsa',
    'if=o*/secret',
    'if=held/back.txt',
  ],
  ...[
    '\\.env',
    "'.env'",
    "$'.\\x65nv'",
    '.en""v',
    '~+/.env',
    '@.env',
    '/dev/stdin',
    '/dev/fd/0',
    '/proc/self/cwd/.env',
    '{}',
  ],
];
const OPTIONS = [
  ...[
    '-r',
    '-R',
    '-rn',
    '-h',
    '-n',
    '-e',
    '-e the',
    '-f',
    '-L',
    '-0',
    '-1',
    '-c',
    '-a',
    '-l',
    '-i',
    '-n p',
    'p',
    'the',
    '"the"',
    '-o new',
    '-u',
  ],
  ...[
    '--no-index',
    '--include=*',
    "--include='*.ts'",
    '-follow',
    '-name ".*"',
    '-exec cat {} +',
    '-exec cat {} \\;',
    '-type f',
    '-print0',
  ],
  ...[
    'diff',
    'show',
    'log -p',
    'grep -h the',
    'grep --untracked the',
    'status',
    'ls-files',
    'hash-object -w',
    '-C out',
    '-C src',
    '-cf -',
    'cf -',
    '-chf -',
    '-I{} cat {}',
  ],
  ...[
    'cat',
    'grep -h the',
    "-c 'cat .env'",
    '-c \'cat "$0"\'',
    "-c 'cat $1' _",
    '-n 1 cat',
    '-x',
    '--',
    '"s/a/b/"',
    "'{ print }'",
    '-v x',
    '-r x',
    'x',
  ],
  ...['>&2', '2>&1', '< .env', '< $x', '< o*/secret', '<<< .env', '<<< "$x"', '2>/dev/null'],
];
const BEFORE = [
  ...['x=v;', 'x=v;', 'x=t;', 'x=t;'],
  ...[
    '',
    '',
    '',
    '',
    'x=.env;',
    'x=v;',
    'x=out;',
    'x=src y=/away;',
    'x=.e; y=nv;',
    'x=o*;',
    "x='.e*';",
    "x='a.txt .env';",
    'x=$(echo .env);',
    'x=a.txt;',
  ],
  ...[
    'cd out &&',
    'cd src;',
    'cd src &&',
    'cd keys &&',
    'cd held;',
    'cd "$x" &&',
    'cd src/away;',
    'read x <<< .env;',
    'printf -v x .env;',
    'x=a.txt; x=.env;',
  ],
  ...[
    'x=a; y=$x;',
    'x=out; y=$x;',
    'y=.env; x=$y;',
    'x=({.env,b}); y=$x;',
    ': ${x:=.env};',
    'x+=.env;',
    'export x=.env;',
    'eval x=.env;',
  ],
  ...[
    'echo .env |',
    'ls -a |',
    'printf "%s" .env | xargs',
    'find . -name ".e*" |',
    'echo a |',
    'env',
    'command',
    'time',
    'eval',
    '! ',
  ],
];
const AROUND: ((line: string) => string)[] = [
  (line) => line,
  (line) => line,
  (line) => line,
  (line) => `for x in .env a; do ${line}; done`,
  (line) => `for x in *; do ${line}; done`,
  (line) => `for x in a.txt src/*; do ${line}; done`,
  (line) => `for x in out src; do ${line}; done`,
  (line) => `echo "$(${line})"`,
  (line) => `while read -r x; do ${line}; done <<< .env`,
  (line) => `ls -A | while read x; do ${line}; done`,
  (line) => `if true; then ${line}; fi; cat a.txt`,
  (line) => `bash -c '${line.replaceAll("'", `'\\''`)}'`,
  (line) => `sh -c '${line.replaceAll("'", `'\\''`)}'`,
  (line) => `(${line}); ${line}`,
  (line) => `${line} && ${line} | cat`,
];

const pick = (all: readonly string[]) => fc.constantFrom(...all);
const words = fc.array(fc.oneof({ weight: 3, arbitrary: pick(PLACES) }, { weight: 2, arbitrary: pick(OPTIONS) }), {
  maxLength: 3,
});
const line = fc
  .tuple(pick(BEFORE), fc.oneof(pick(PROGRAMS), pick(READERS)), words, fc.constantFrom(...AROUND))
  .map(([before, program, given, around]) => around([before, program, ...given].join(' ').trim()));

describe('lines that are not asked', function () {
  this.timeout(300_000);
  let base: Workspace;
  let root: string;
  before(async () => {
    base = await Workspace.make();
    await base.write('outside/secret', `${SECRET} outside\n`);
    await base.write('ws/.env', `${SECRET} env\n`);
    await base.write('ws/a.txt', 'a\nsrc\n');
    await base.write('ws/src/b.ts', 'b\n');
    await base.write('ws/held/back.txt', `${SECRET} held\n`);
    await base.write('ws/keys/id_rsa', `${SECRET} key\n`);
    root = await realpath(base.path('ws'));
    await symlink('../outside', path.join(root, 'out'));
    await symlink('../../outside', path.join(root, 'src/away'));
    await mkdir(path.join(root, 'empty'));
    const git = (...given: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...given], { cwd: root, stdio: 'ignore' });
    git('init');
    git('add', 'a.txt', 'src/b.ts', '.env', 'held', 'keys');
    git('commit', '-m', 'all of it');
    base.with({ workspace: root, command_secs: 10 });
  });
  after(() => base.remove());

  const run = (command: string) =>
    base
      .with({ shell: new SessionShell(root) })
      .call(runCommand, { command })
      .then(({ output }) => output);
  const files = async () =>
    Promise.all(
      ['a.txt', '.env', 'src/b.ts', 'held/back.txt', 'keys/id_rsa', '../outside/secret'].map((name) =>
        readFile(path.join(root, name), 'utf8'),
      ),
    );

  it('show no canary and change no file', async function () {
    if (!hasBash) return this.skip();
    assert.match(await run('cat .env out/secret'), /canary-sings env[^]*canary-sings outside/);
    const before = await files();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(line, async (command) => {
        const verdict = await decide({ tool: runCommand, input: { command }, workspace: root }, CONFIG);
        if (verdict.action !== 'allow') return;
        ran++;
        const output = await run(command);
        assert.ok(!output.includes(SECRET), `${command}\nshowed\n${output}`);
        assert.deepEqual(await files(), before, command);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 400) },
    );
    assert.ok(ran > 20, `only ${ran} lines ran`);
  });
});
