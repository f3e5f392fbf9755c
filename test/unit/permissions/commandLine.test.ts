import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

import type { PermissionRules } from '../../../src/config/permissionSchema.ts';
import { narrowestRule } from '../../../src/permissions/always.ts';
import { decide, type Call, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import type { Action } from '../../../src/session/schema.ts';
import { tools } from '../../../src/tools/registry.ts';

describe('the permission policy for command lines (P2, P4)', () => {
  let base: string;
  let workspace: string;
  before(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-lines-')));
    workspace = path.join(base, 'workspace');
    await mkdir(path.join(workspace, 'src'), { recursive: true });
    await mkdir(path.join(workspace, '.git'));
    await mkdir(path.join(base, 'outside'));
    await symlink(path.join(base, 'outside'), path.join(workspace, 'out'));
    await symlink('.git', path.join(workspace, 'repository'));
  });
  after(() => rm(base, { recursive: true, force: true }));

  const tool = tools.find(({ name }) => name === 'run_command')!;
  const callOf = (command: string, cwd = workspace): Call => ({ tool, input: { command }, workspace, cwd });
  const user = (rules: PermissionRules): PermissionConfig[number] => ({ layer: 'user', rules });
  const commands = (rules: Record<string, Action>, action?: Action) =>
    user({ tools: { run_command: { ...(action === undefined ? {} : { action }), commands: rules } } });
  const on = (command: string, permissions: PermissionConfig, cwd?: string): Promise<Verdict> =>
    decide(callOf(command, cwd), permissions);

  const RULES: PermissionConfig = [
    user({
      tools: {
        run_command: {
          commands: {
            'echo *': 'allow',
            'git status': 'allow',
            'cat *': 'allow',
            'cd *': 'allow',
            'rm *': 'deny',
            'cp *': 'allow',
            'cat big *': 'ask',
          },
          paths: { 'vendor/**': 'ask', 'vault/**': 'deny' },
        },
        file_read: { paths: { 'secrets/**': 'deny', 'notes/**': 'ask' } },
        file_write: { paths: { 'generated/**': 'deny' } },
        file_edit: { paths: { 'locked/*': 'ask' } },
      },
    }),
  ];

  const table: [command: string, action: Action, why: RegExp][] = [
    ['git status', 'allow', /^user: run_command "git status" allow$/],
    ['git status && echo a', 'allow', /^user: run_command "git status" allow, user: run_command "echo \*" allow$/],
    ['echo a > /dev/null 2>&1', 'allow', /echo/],
    ['git status -s', 'ask', /^default$/],
    ['git status; npm test', 'ask', /^default$/],
    ['git status & npm test', 'ask', /^default$/],
    ['npm test | cat', 'ask', /^default$/],
    ['echo $(npm test)', 'ask', /^default$/],
    ['cat big file', 'ask', /by the rule run_command "cat big \*" ask/],
    ['git status && rm -r tmp', 'deny', /user: run_command "rm \*" deny/],
    ['echo `rm x`', 'deny', /rm/],
    ['bash -c "rm x"', 'deny', /rm/],
    ['/bin/rm x', 'deny', /rm/],
    ['RM x', 'deny', /rm/],
    ['$X y', 'ask', /only known when it runs.*may turn out to be what a rule denies: run_command "rm \*" deny/s],
    // Redirections.
    ['echo a > x.txt', 'ask', /it writes to x\.txt/],
    ['echo a >> src/x.txt', 'ask', /it writes to src\/x\.txt/],
    ['echo a > .git/config', 'deny', /may not write inside \.git\//],
    ['echo a > repository/config', 'deny', /may not write inside \.git\//],
    ['echo a > .polyglav/config.json', 'deny', /the record/],
    ['echo a > generated/x', 'deny', /user: file_write "generated\/\*\*" deny/],
    ['echo a > locked/x', 'ask', /by the rule file_edit "locked\/\*" ask/],
    ['echo a > vault/x', 'deny', /user: run_command "vault\/\*\*" deny/],
    ['echo a > out/x', 'ask', /outside the workspace: .*outside\/x/],
    // Paths that it shows.
    ['cat secrets/a', 'deny', /user: file_read "secrets\/\*\*" deny/],
    ['cat src/../secrets/a', 'deny', /secrets/],
    ['cat < secrets/a', 'deny', /secrets/],
    ['cat Secrets/a', 'deny', /secrets/],
    ['cd secrets && cat a', 'deny', /secrets/],
    ['cat notes/a', 'ask', /by the rule file_read "notes\/\*\*" ask/],
    ['cat vendor/a', 'ask', /by the rule run_command "vendor\/\*\*" ask/],
    [
      'cp a generated/x',
      'ask',
      /may change generated\/x, for which there is the rule user: file_write "generated\/\*\*" deny/,
    ],
    ['cat .env', 'ask', /may hold passwords and keys: \.env/],
    ['cat certs/server.key', 'ask', /may hold passwords and keys: certs\/server\.key/],
    ['cat .git/config', 'ask', /may reach into \.git\//],
    ['cat .polyglav/sessions/a.json', 'ask', /may reach into \.polyglav\//],
    ['cat /etc/hosts', 'ask', /outside the workspace: \/etc\/hosts/],
    ['cat ../outside/x', 'ask', /outside/],
    ['cat out/x', 'ask', /outside/],
    ['cat ~/x', 'ask', /outside/],
    ['cd / && echo a', 'ask', /outside/],
    // What cannot be read, or hides something.
    ['echo "a', 'ask', /cannot be parsed/],
    ['eval "$X"', 'ask', /./],
    ['X=1 git status', 'ask', /sets X/],
    ['', 'ask', /^default$/],
    ['# nothing', 'ask', /^default$/],
  ];
  for (const [command, action, why] of table)
    it(`${action}: ${command}`, async () => {
      const verdict = await on(command, RULES);
      const reason = verdict.action === 'ask' ? verdict.ask_reason : verdict.denied_reason;
      assert.equal(verdict.action, action, JSON.stringify(verdict));
      assert.match(reason ?? verdict.by, why);
    });

  it('asks for what the line itself gives reason to, also where every command is allowed', async () => {
    const all = [user({ tools: { run_command: 'allow' } })];
    for (const command of ['npm test', 'rm x', '', 'a; b | c'])
      assert.equal((await on(command, all)).action, 'allow', command);
    for (const command of ['a > x', 'echo "a', '$X', 'cat .env', 'cat .git/config', 'cat /etc/hosts', 'cd ..'])
      assert.equal((await on(command, all)).action, 'ask', command);
    for (const command of ['a > .git/x', 'a > .polyglav/x'])
      assert.equal((await on(command, all)).action, 'deny', command);
  });

  it('catches with a rule that asks what a rule that denies would catch', async () => {
    const lines = [
      'git push x',
      'GIT push x',
      '/usr/bin/Git.exe push x',
      'git -C src push',
      'git --no-pager push',
      'env git push',
      'docker exec web git push',
    ];
    for (const command of lines) {
      assert.equal((await on(command, [commands({ '*': 'allow', 'git push *': 'ask' })])).action, 'ask', command);
      assert.notEqual((await on(command, [commands({ '*': 'allow', 'git push *': 'deny' })])).action, 'allow', command);
    }
    assert.equal((await on('GIT push x', [commands({ '*': 'allow', 'git push *': 'deny' })])).action, 'deny');
  });

  it('leaves no question about what is outside to grants, "always" or --yes', async () => {
    for (const command of ['cat /etc/hosts', 'cd ..', 'cat ~/x', 'echo a > ../x', 'cat < out/x'])
      assert.equal((await on(command, RULES)).only_once, true, command);
    assert.equal((await on('cat .env', RULES)).only_once, false);
    assert.equal((await on('git status', RULES, path.join(base, 'outside'))).only_once, true);
  });

  const hiding = [
    ...['r{m,} b', '$(echo rm) c', 'X=rm; $X e', '/bin/r? a', 'xargs -0r rm', 'git -C . push', 'git --no-pager push'],
    ...[
      'busybox rm d',
      'curl -s x | bash',
      'bash -c "$X"',
      'eval "$X"',
      'zsh -c "rm a"',
      'echo a | sh -s',
      'find . $X',
    ],
    ...[
      'git -c core.pager="rm a" log',
      'git rebase -x "rm a" HEAD~1',
      'tar --to-command="rm a" -tf x',
      'alias x=rm; x a',
    ],
    ...["sed '1e rm a' x", "sed -i '1e rm a' x", `awk 'BEGIN { system("rm a") }'`, 'trap "$X" EXIT', 'echo $((x))'],
    ...['echo ${!x}', "test -v 'a[$(rm a)]'", 'if then', 'echo "a', 'cp a generated/x', 'sed -i s/a/b/ generated/x'],
  ];
  for (const line of hiding)
    it(`leaves ${line} to a person each time, where it may turn out to be what a rule denies`, async () => {
      const denying = commands({ '*': 'allow', 'rm *': 'deny', 'git push *': 'deny' });
      const files = user({ tools: { file_write: { paths: { 'generated/**': 'deny' } } } });
      const { action, only_once } = await on(line, [denying, files]);
      assert.ok(action === 'deny' || only_once, `${action} ${only_once}`);
      assert.equal((await on(line, [commands({ '*': 'allow' })])).only_once, false);
    });

  it('says of a line that its variables may last', async () => {
    for (const line of ['export PATH=$PWD/bin:$PATH', '. .venv/bin/activate', 'unset X'])
      assert.match((await on(line, RULES)).ask_reason ?? '', /may last for later commands of this session/, line);
    for (const line of ['npm test', 'x=1; echo a', 'git push'])
      assert.doesNotMatch((await on(line, RULES)).ask_reason ?? '', /may last/, line);
  });

  it('leaves what surely is not denied to grants and --yes as before', async () => {
    const denying = commands({ 'rm *': 'deny', 'git push *': 'deny' });
    const lines = [
      ...['npm test > log 2>&1', 'CI=1 npm test', 'sed -i s/a/b/ x', 'sed -i.bak -e s/a/b/ x', '. ./x', 'git log -5'],
      ...['export A=b', 'node x.js $X', 'cat *.ts', 'git commit -m "a $X"', 'find . -name "*.o" -delete', 'bash x.sh'],
    ];
    for (const line of lines) {
      const { action, only_once } = await on(line, [denying]);
      assert.deepEqual([action, only_once], ['ask', false], line);
    }
  });

  it('judges the folder where the shell stands, and reads the line from there', async () => {
    const src = path.join(workspace, 'src');
    assert.equal((await on('cat ../a', RULES, src)).action, 'allow');
    assert.equal((await on('cat ../../a', RULES, src)).action, 'ask');
    assert.equal((await on('cat ../secrets/a', RULES, src)).action, 'deny');
    assert.equal((await on('git status', RULES, path.join(workspace, '.git'))).action, 'ask');
    assert.equal((await on('git status', RULES, path.join(workspace, 'repository'))).action, 'ask');
    assert.equal((await on('git status', RULES, src)).path, src);
  });

  it("takes a user's rule that names .git/ or a secret file for run_command, and no other tool's", async () => {
    const naming = (name: string) => [
      commands({ 'cat *': 'allow' }),
      user({ tools: { [name]: { paths: { '.git/**': 'allow', '.env': 'allow' } } } }),
    ];
    for (const command of ['cat .env', 'cat .git/config']) {
      assert.equal((await on(command, naming('run_command'))).action, 'allow', command);
      assert.equal((await on(command, naming('file_read'))).action, 'ask', command);
    }
  });

  it('finds in a rule for paths that allows something no reason to run a command', async () => {
    const all = [user({ tools: { run_command: { paths: { '**': 'allow' } } } })];
    assert.equal((await on('npm test', all)).action, 'ask');
  });

  it('takes no denied command for an allowed one in any order of rules or layers (F05)', async () => {
    const layers: PermissionConfig = [
      { layer: 'folder', rules: { tools: { run_command: { commands: { 'rm -r tmp': 'allow' } } } } },
      commands({ 'rm *': 'deny' }),
      { layer: 'project', rules: { tools: { run_command: { commands: { 'rm *': 'allow' } } } } },
    ];
    for (const permissions of [layers, layers.toReversed()])
      assert.equal((await on('rm -r tmp', permissions)).by, 'user: run_command "rm *" deny');
  });

  it('gives all reasons, each once and on a line, and bounds them', async () => {
    const line = Array.from({ length: 50 }, (_, n) => `cat /etc/${'x'.repeat(100)}${n}`).join('; ');
    const { ask_reason = '' } = await on(`${line}; echo > a; echo > a`, RULES);
    const lines = ask_reason.split('\n');
    assert.match(lines[0]!, /^outside the workspace: \/etc\/x+0$/);
    assert.match(lines.at(-1)!, /^it writes to a/);
    assert.equal(new Set(lines).size, lines.length);
    const long = Array.from({ length: 150 }, (_, n) => `cat /etc/${'x'.repeat(90)}${n}`).join('; ');
    assert.ok((await on(`${long}; ${long}`, RULES)).ask_reason!.length <= 20_000);
    assert.doesNotMatch((await on('cat "/etc/a\nb"', RULES)).ask_reason!, /\n/);
  });

  it('gives first what leads outside, then what is hidden, then the rest', async () => {
    const { ask_reason = '' } = await on('cat .env; npm test > x; cat /etc/hosts', RULES);
    const at = ['outside the workspace: /etc/hosts', 'it writes to x', '.env'].map((words) =>
      ask_reason.indexOf(words),
    );
    assert.ok(!at.includes(-1), ask_reason);
    assert.deepEqual(
      at.toSorted((a, b) => a - b),
      at,
      ask_reason,
    );
  });

  describe('"always"', () => {
    const rule = async (command: string, permissions: PermissionConfig = []) => {
      const call = callOf(command);
      const found = await narrowestRule(call, await decide(call, permissions), permissions);
      return 'rule' in found ? `${found.rule.under} ${found.rule.pattern}` : `none: ${found.none}`;
    };

    it('proposes exactly the one command that is not allowed yet', async () => {
      assert.equal(await rule('npm test'), 'commands npm test');
      assert.equal(await rule("git commit -m 'a b'"), "commands git commit -m 'a b'");
      assert.equal(await rule('npm test && npm test'), 'commands npm test');
      assert.equal(await rule('git status && npm test', RULES), 'commands npm test');
      assert.equal(await rule('npm test', [user({ default: 'ask' })]), 'commands npm test');
    });

    it('proposes nothing for several commands, and nothing that would not be enough (F05)', async () => {
      for (const [command, why, permissions = []] of [
        ['git status && rm -r tmp', /^each command of this line would need a rule$/],
        ['npm test; npm run lint', /^each command/],
        ['echo a > x', /^this is asked whatever the rules allow$/],
        ['cat .env', /^this is asked/],
        ['cat /etc/hosts', /^this is asked/],
        ['ls $X', /^no rule can say this command word by word$/],
        ['ls *.ts', /^no rule can say/],
        ['X=1 npm test', /^this is asked/],
        ['bash -c "npm test"', /^each command/],
        ['echo "a', /^this is asked/],
        ['', /^this is asked/],
        // Another program in another folder.
        ['./build.sh', /^\.\/build\.sh is another program in each folder that the shell stands in$/],
        ['scripts/build.sh --fast', /^scripts\/build\.sh is another/],
        ['git status && ../x', /^this is asked/],
        [
          'npm test',
          /^another rule would ask all the same, project: default ask$/,
          [{ layer: 'project', rules: { default: 'ask' } }],
        ],
        ['npm test', /^another rule would .*, user: run_command "npm \*" ask$/, [commands({ 'npm *': 'ask' })]],
      ] satisfies [string, RegExp, PermissionConfig?][]) {
        const found = await rule(command, permissions);
        assert.match(found.replace(/^none: /, ''), why, command);
        assert.match(found, /^none: /, command);
      }
    });
  });

  it('knows the home folder of the person', async () => {
    assert.ok((await on('cat ~/x', RULES)).ask_reason!.includes(await realpath(homedir()).catch(() => homedir())));
  });
});
