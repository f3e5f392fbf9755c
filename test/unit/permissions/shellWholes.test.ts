/** Lines that read or change what they do not name: what is not asked is run in a real git, and neither shows a secret nor touches the record. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { decide, type PermissionConfig } from '../../../src/permissions/policy.ts';
import { makeFolders } from '../../../src/session/folders.ts';
import { runCommand } from '../../../src/tools/runCommand.ts';
import { hasBash } from './canaries.ts';

const SECRET = 'the-canary-sings';
const RULES: PermissionConfig = [
  {
    layer: 'user',
    rules: {
      tools: {
        run_command: 'allow',
        file_read: { paths: { 'held/denied.txt': 'deny' } },
        file_write: { paths: { 'fixed/**': 'deny' } },
      },
    },
  },
];

type Expected = 'allowed' | 'asked' | 'once' | 'denied';
/** Of a project: `plain` tracks nothing special, `shared` tracks a secret, a held back file and the project's configuration. */
type Project = 'plain' | 'shared';

const TABLE: Readonly<Record<string, Readonly<Partial<Record<`${Project} ${Expected}`, readonly string[]>>>>> = {
  'what Git tracks, shown': {
    'plain allowed': [
      ...[
        'git status',
        'git status -v',
        'git log -3',
        'git log -p',
        'git show',
        'git show HEAD',
        'git show HEAD:a.txt',
      ],
      ...['git diff', 'git diff HEAD', 'git diff --cached', 'git diff -- src', 'git grep x', 'git blame a.txt'],
      ...['git stash list -p', 'git cat-file -p HEAD', 'git reflog -p', 'echo HEAD | git cat-file --batch'],
    ],
    'plain asked': [
      'git diff --no-index .env a.txt',
      'git diff --no-index . src',
      'git grep --untracked x',
      'git show HEAD:.env',
    ],
    'shared allowed': [
      ...['git status', 'git log', 'git log --stat', 'git log --oneline -- .', 'git show --stat', 'git show -s HEAD'],
      ...[
        'git diff',
        'git diff --stat HEAD',
        'git diff --name-only HEAD',
        'git diff -- src',
        'git diff HEAD src',
        'git diff HEAD -- src',
      ],
      ...['git show HEAD:a.txt', 'git show :a.txt', 'git show HEAD -- src', 'git log -p src', "git log -p -- '*.ts'"],
      ...[
        "git log -p -- ':/src'",
        "git diff HEAD -- ':(top)src'",
        'git grep x -- src',
        'git grep -n x src',
        'git -C src log -p -- .',
      ],
      ...[
        'git cat-file -t HEAD',
        'git cat-file -p HEAD:a.txt',
        'echo HEAD | git cat-file --batch-check',
        'cd src && git grep x',
      ],
    ],
    'shared asked': [
      ...[
        'git show HEAD:.npmrc',
        'git show :.npmrc',
        'git show :0:.npmrc',
        'git show HEAD:./.npmrc',
        'git cat-file -p HEAD:.npmrc',
      ],
      ...['cd src && git show HEAD:../.npmrc', 'git diff HEAD:.npmrc HEAD:a.txt', 'git show HEAD:$(echo .npmrc)'],
      ...['git diff HEAD -- .npmrc', 'git log -p -- .npmrc', "git log -p -- '.n*'", "git log -p -- ':(top).npmrc'"],
      ...[
        "git log -p -- ':/.npmrc'",
        "git log -p -- ':(icase).NPMRC'",
        'git log -p -- :',
        "git log -p -- ':!src'",
        'git log -p -- "$f"',
      ],
      ...[
        'git log -p',
        'git log -U1',
        'git log -p -- .',
        'git log --cc',
        'git log -p --author src',
        'git show',
        'git show HEAD',
      ],
      ...[
        "git show ':/one'",
        'git diff HEAD',
        'git diff --cached',
        'git diff HEAD~1 HEAD',
        'git grep x',
        'git grep src',
        'git grep x HEAD',
      ],
      ...[
        'git grep x -- "$f"',
        'git stash show -p',
        'git stash list -p',
        'git status -v',
        'git status -sv',
        'git commit --dry-run -v',
      ],
      ...['git add -p', 'git reset -p', 'git blame .npmrc', 'git checkout HEAD -- .npmrc', 'git archive HEAD'],
      ...[
        'git cat-file -p $(git rev-parse HEAD)',
        'git cat-file --batch-all-objects --batch',
        'git rebase --show-current-patch',
      ],
      ...[
        'git -C src log -p',
        'cd src && git log -p',
        'bash -c "git log -p"',
        'git --no-pager show',
        'git reflog -p',
        'git diff-tree -p HEAD',
      ],
      ...[
        'git add -A && git diff --cached',
        'x=.; git log -p -- $x',
        'git log -p -- {a.txt,.npmrc}',
        'git log -p -- src/.*',
      ],
    ],
    'shared denied': [
      'git show HEAD:held/denied.txt',
      'cd src && git show HEAD:held/denied.txt',
      'git -C src show :held/denied.txt',
    ],
  },
  'what Git tracks, changed': {
    'plain allowed': [
      ...[
        'git checkout main',
        'git checkout .',
        'git checkout -b x',
        'git restore .',
        'git reset --hard',
        'git stash',
        'git stash -u',
      ],
      ...[
        'git merge x',
        'git rebase x',
        'git pull',
        'git cherry-pick x',
        'git rm -r src',
        'git mv src other',
        'git switch -c y',
      ],
      ...[
        'git clean -fd src',
        'git clean -nd',
        'git clean -fd',
        'git -C src clean -fd',
        'git add -A',
        'git add -f src',
        'git worktree add src/w',
      ],
    ],
    'plain once': [
      ...[
        'git clean -fdx',
        'git clean -fX',
        'git clean -fd -e x',
        'git stash -a',
        'git stash push --all',
        'git add -f .',
        'git add -fA',
      ],
      ...['git add -f . && git rm -rf .', "git add --force '*'", 'git submodule deinit -f --all'],
    ],
    'shared allowed': [
      ...[
        'git checkout -b x',
        'git switch -c x',
        'git checkout -- src',
        'git checkout src',
        'git checkout HEAD -- src a.txt',
      ],
      ...[
        'git restore src',
        'git restore --staged .',
        'git reset HEAD',
        'git reset --soft HEAD',
        'git rm -r src',
        'git rm -r --cached .',
      ],
      ...[
        'git stash push -- src',
        'git stash list',
        'git clean -fd src',
        'git clean -fdn',
        'cd src && git checkout .',
        "git checkout -- '*.ts'",
      ],
      ...['git commit -qam x', 'git add -A', 'git fetch', 'git bisect log'],
    ],
    'shared once': [
      ...[
        'git checkout .',
        'git checkout -p',
        'git checkout main',
        'git checkout -f main',
        'git checkout HEAD -- .',
        'git checkout "$x"',
        'git checkout -- "$x"',
      ],
      ...[
        "git checkout -- '*.json'",
        "git checkout -- ':/'",
        'cd src && git checkout main',
        'git switch main',
        'git restore .',
        'git restore -SW .',
      ],
      ...[
        'git reset --hard',
        'git reset --hard HEAD~1',
        'git reset --merge',
        'git stash',
        'git stash -u',
        'git stash pop',
        'git stash save x',
      ],
      ...[
        'git merge x',
        'git pull',
        'git pull --rebase',
        'git rebase main',
        'git cherry-pick x',
        'git revert HEAD',
        'git bisect start',
      ],
      ...[
        'git rm -r .',
        "git rm -r '*.json'",
        'git mv fixed other',
        'git clean -fd',
        'git clean -f .',
        "git clean -fd ':/'",
        'cd src && git clean -fd ..',
      ],
      ...[
        'rm -rf fixed',
        'mv fixed other',
        'git restore fixed',
        'git checkout -b x HEAD~1',
        'ls | xargs git checkout --',
      ],
    ],
  },
  'what lies in a folder, changed': {
    'plain allowed': [
      ...[
        'rm a.txt',
        'rm -rf src',
        'rm -rf node_modules',
        'rm -rf sr*',
        'mv a.txt src',
        'mv a.txt .',
        'cp -r src other',
      ],
      ...[
        'chmod -R u+w src',
        'chmod +x a.txt',
        'tar xf a.tar -C src',
        'tar -xzf a.tgz -C src',
        'tar tf a.tar',
        'tar cf a.tar src',
      ],
      ...[
        'unzip a.zip -d src',
        '7z x a.7z -osrc',
        'patch -d src -p1 -i a',
        'find src -name "*.ts" -exec rm {} +',
        'gzip -r src',
      ],
      ...[
        'find . -name "*.pyc" -exec rm -f {} +',
        'find . -name "*.ts" -exec cat {} +',
        "find . -name '*.ts' -exec sed -n 1p {} +",
        "find . -name '*.ts' -exec cp {} src ';'",
        "find . -name '*.ts' -exec touch {} +",
        "find ways -name out -exec rm {} ';'",
        'cd src && rm -rf ../src/b.ts',
        'rsync -a --delete src/ other/',
      ],
    ],
    'plain once': [
      ...[
        'rm -rf .',
        'rm -rf ./',
        'rm -rf "$PWD"',
        'x=.; rm -rf $x',
        'rm -rf ../plain',
        'cd src && rm -rf ..',
        'rm -r --force .',
        'rimraf .',
      ],
      ...[
        'rm -rf nested',
        'rm -rf n*',
        'mv nested src',
        'cp -r nested src',
        'rsync -a --delete src/ .',
        'rsync -a nested/ src',
        'chmod -R 0 .',
      ],
      ...[
        'chown -R me .',
        'tar xf a.tar',
        'tar -x -f a.tar',
        'tar xf a.tar src -C other',
        'bsdtar -xf a.tar',
        'tar cf /dev/null --remove-files nested',
      ],
      ...[
        'unzip a.zip',
        '7z x a.7z',
        'patch -p1 -i a',
        'cpio -i',
        'zip -rm a.zip nested',
        'gzip -r .',
        'find . -delete',
        'find . -type f -delete',
      ],
      ...[
        'find . -name "*.json" -exec rm {} +',
        'find . -name ".p*" -exec rm -rf {} +',
        'find . -exec mv {} src ";"',
        'find nested -delete',
      ],
      ...[
        "find . -name one.json -exec cp a.txt {} ';'",
        "find . -name hooks -exec cp a.txt {}/pre-commit ';'",
        "find . -path '*glav*' -name '*.json' -exec mv {} src ';'",
        "find . -name config -execdir cp ../a.txt {} ';'",
        "find . -name sessions -exec cp a.txt {} ';'",
        "find . -name one.json -exec env cp a.txt {} ';'",
        "find . -name one.json -exec sh -c 'cat a.txt > $1' x {} ';'",
        "find . -name one.json -exec sed -i s/a/b/ {} ';'",
        "find . -name one.json -exec sort -o {} a.txt ';'",
        "find . -name one.json -exec unknown {} ';'",
        "find . -exec touch {} ';'",
        "find . -name zz -exec cp a.txt {} ';' -o -delete",
        "find ways -name out -exec cp a.txt {} ';'",
        "find ways -name out -exec cp a.txt {}/PWN ';'",
        "find ways -name '*.txt' -exec tee {} ';'",
        "find ways -name none -exec touch {} ';'",
        "find . -name 'e?' -exec cp a.txt {} ';'",
      ],
      ...['bash -c "rm -rf ."', 'sudo rm -rf .', 'true && (cd nested; rm -rf .)', 'rm -rf submodule'],
    ],
    'plain asked': ['rm -rf keys', 'mv keys src', 'find src -delete', 'mv lost/here .', 'cp -r lost/here .'],
  },
  'what lies in a folder, read': {
    'plain allowed': [
      ...[
        'grep -rn x src',
        'grep -rn -A 2 x src',
        'grep -rnA2 -m 1 x src',
        'grep -rne x -e y src',
        'grep -rn x --color never src',
      ],
      ...[
        "grep -rn --include='*.ts' x src",
        "grep -rn --include='*.ts' x .",
        "grep -rn --include='*.ts' --include=a.txt x",
        'grep -rn --include=*.ts x',
        'grep -rn --include=*.{ts,js} x .',
        'grep -rn --exclude-dir={node_modules,dist} x src',
        "grep -rn --include='*.ts' --exclude-dir=node_modules -C 1 x .",
        'grep -rn --exclude-dir=node_modules --exclude=y x src',
        'rgrep x src',
      ],
      ...[
        'rg x shown',
        'rg x told/other',
        'rg x src',
        'rg -n -A 2 x src',
        'rg -A 2 x shown',
        'cd shown && rg -A 2 x',
        'rg -e x -e y shown',
        "rg -g '*.ts' x src",
        'rg -t ts x src',
        'rg --files',
        "rg --files -g '.e*'",
        'ag x shown',
        'ag -i x src',
        'ack x src',
      ],
      ...[
        "find src -name '*.ts'",
        "find . -type f -name '*.ts' | wc -l",
        "find . -name '*.ts' -exec grep -l x {} +",
        "find . -name '*.ts' -not -path './node_modules/*' -exec grep -l x {} +",
        "find . -type f -name 'b.*' -exec wc -l {} ';'",
        "find . -type f -name conf -exec cat {} ';'",
        "find packages src -name '*.ts' -exec head -n 3 {} +",
        "find src/* -name '*.ts' -exec head -n 3 {} +",
        'find src -exec cat {} +',
        "find src -name b.ts -execdir echo {} ';'",
        "find src -name b.ts -exec echo {}.x ';'",
        "find ways -name near -exec cat {} ';'",
      ],
    ],
    'plain asked': [
      ...[
        'grep -rn -A 2 sings',
        'grep -r -m 1 sings',
        'grep -r -e sings -e y',
        'grep -rnA 3 sings',
        'grep -rn --exclude-dir node_modules sings',
        "grep -rn --exclude '*.md' sings",
        'grep -rn sings --max-count 3',
        'grep -rf a.txt',
        'grep -rn --colour sings',
        'grep -r --context 2 keys src',
        'grep -rn --exclude-d node_modules sings src',
        'grep -r --incl=zzz sings .',
      ],
      ...[
        'grep -r --exclude=zzz --include=zzz sings .',
        'grep -r --include=zzz --exclude=zzz sings .',
        'grep --exclude-from=a.txt --include=z -r sings .',
        "grep -r --include='.e[[=n=]]v' sings .",
        "grep -r --include='.?nv' sings .",
        "grep -r --include='{.env,x}' sings .",
        "grep -r --include=*.{'}',env} sings .",
        'grep -r --include=*.{env,npmrc} sings .',
        'grep -r --include=$x sings .',
        'zgrep -r --include=zzz sings .',
        'pcregrep -r --include=x* sings .',
        'cp -r --include=zzz keys src',
        'rgrep -A 1 sings',
        "bash -O nullglob -c 'grep -r sings src/none*'",
      ],
      ...[
        "rg -g '.e*' sings shown",
        'cd shown && rg --no-ignore sings',
        "rg --iglob '.E*' sings",
        "rg sings -g '*' .",
        'rg -t sh sings',
        "rg --type-add 'x:.e*' -tx sings src",
        'rg --no-ignore sings',
        'rg --no-ignore-vcs sings',
        'rg --hid sings',
        'rg -uu sings',
        'rg --hidden --no-ignore --files --json sings',
        'rg sings --ignore-file a.txt src',
        "ag -G '.e*' sings",
        'ag -u sings',
        'ag -A 2 sings src',
        'ug sings src',
        'rg sings told',
        'rg sings told/deep',
        'rg sings told/wild',
        'cd told && ag sings',
      ],
      ...[
        'find . -type f -exec cat {} + -name nosuch',
        "find . -type f -exec cat {} ';' -name nosuch",
        'find -exec cat {} + -name zz',
        'find . -maxdepth 1 -type f -exec cat {} + -a -name zz',
        "find . -name '.e[[=n=]]v' -exec cat {} +",
        "find . -name '.e[[.n.]]v' -exec cat {} +",
        "find . -name '.?nv' -exec cat {} +",
        'find . ( -name a.txt ) -exec cat {} +',
        'find . \\( -name a.txt -o -name b \\) -exec cat {} +',
        'find . ! -name a.txt -exec cat {} +',
        "find . -name . -exec grep -r sings {} ';'",
        'find keys -name keys -exec grep -r sings {} +',
        "find ./keys/ -name 'k*' -exec grep -r sings {} +",
        'find {src,keys} -name keys -exec grep -r sings {} +',
        'find . -name zz -prune , -exec cat {} +',
        'find . -false -o -exec cat {} +',
      ],
      ...[
        "find ways -name conf -exec cat {} ';'",
        "find ways -name out -exec cat {}/secret.txt ';'",
        "find ways -name out -exec ls {} ';'",
        "find . -name near -exec diff {} src ';'",
        "find ways -name near -exec grep -r sings {} ';'",
        "find src -name b.ts -execdir cat c ';'",
        "find src -name b.ts -okdir cat {} ';'",
        "find src -name b.ts -execdir git log ';'",
        "find src -name b.ts -execdir ./echo ';'",
        'find ways -name conf -exec cat {} +; grep -r x ways',
      ],
    ],
    'plain once': [
      ...[
        "find ways -name '*.txt' -exec cat {} +",
        "find . -name near -exec cp -r {} src ';'",
        "find . -name near -exec prettier --write {} ';'",
        "find src -name b.ts -exec cat {}/../../.env ';'",
        "find src -name b.ts -execdir cp b.ts ../x ';'",
      ],
    ],
  },
};

describe('lines that do not name what they reach', function () {
  this.timeout(120_000);
  const hasGit = (() => {
    try {
      execFileSync('git', ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();
  let base = '';
  const folder = (project: Project) => path.join(base, project);
  const git = (cwd: string, ...given: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...given], {
      cwd,
      stdio: 'ignore',
    });

  before(async function () {
    if (!hasGit || !hasBash) return this.skip();
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-wholes-')));
    await mkdir(path.join(base, 'outside'));
    await writeFile(path.join(base, 'outside/secret.txt'), `${SECRET}\n`);
    for (const project of ['plain', 'shared'] as const) {
      const root = folder(project);
      const write = async (name: string, text: string) => {
        await mkdir(path.dirname(path.join(root, name)), { recursive: true });
        await writeFile(path.join(root, name), text);
      };
      await makeFolders(path.join(root, '.polyglav/sessions'));
      await write('.polyglav/sessions/one.json', '{}');
      await write('a.txt', 'a\n');
      await write('src/b.ts', 'x\n');
      await write('.gitignore', '.env*\nkeys/\nnested\nsubmodule\nnode_modules\nways\nlost\n');
      await write('.env', `${SECRET}\n`);
      await write('shown/.env', `${SECRET}\n`);
      await write('shown/a.txt', 'x\n');
      await write('told/.ignore', '!.env.example\n');
      await write('told/.env.example', `${SECRET}\n`);
      await write('told/deep/.env.example', `${SECRET}\n`);
      await write('told/other/.env', `${SECRET}\n`);
      await write('told/wild/.ignore', '!/.[e]nv\n');
      await write('told/wild/.env', `${SECRET}\n`);
      await write('keys/id_rsa', `${SECRET}\n`);
      await write('node_modules/x/.npmrc', 'x\n');
      await mkdir(path.join(root, 'ways/inner'), { recursive: true });
      for (const [name, target] of Object.entries({
        out: '../../outside',
        'far.txt': '../../outside/secret.txt',
        conf: '../.env',
        near: '../keys',
        none: '../../none',
      }))
        await symlink(target, path.join(root, 'ways', name));
      // It leads out from where `lost/here` is put, and to nothing before.
      await mkdir(path.join(root, 'lost/here'), { recursive: true });
      await symlink('../../outside', path.join(root, 'lost/here/away'));
      await makeFolders(path.join(root, 'nested/.polyglav/sessions'));
      await write('nested/.polyglav/sessions/two.json', '{}');
      await write('submodule/.git', 'gitdir: ../x\n');
      if (project === 'shared') {
        await write('.npmrc', `${SECRET}\n`);
        await write('fixed/c.txt', 'c\n');
        await write('held/denied.txt', `${SECRET}\n`);
        await write('.polyglav/config.json', '{}');
      }
      git(base, 'init', '-q', '-b', 'main', root);
      git(root, 'add', '.');
      git(root, 'commit', '-qm', 'one');
      git(root, 'commit', '-q', '--allow-empty', '-m', 'two');
      git(root, 'branch', 'x');
      // What was written in the same moment as the index may be another content by now.
      await new Promise((resolve) => setTimeout(resolve, 20));
      git(root, 'update-index', '--force-write-index');
    }
  });
  after(async () => {
    if (base !== '') await rm(base, { recursive: true, force: true });
  });

  async function judge(project: Project, line: string): Promise<{ found: Expected; why: string }> {
    const workspace = folder(project);
    const verdict = await decide({ tool: runCommand, input: { command: line }, workspace }, RULES);
    const found =
      verdict.action === 'allow'
        ? 'allowed'
        : verdict.action === 'deny'
          ? 'denied'
          : verdict.only_once
            ? 'once'
            : 'asked';
    return { found, why: `${verdict.by}: ${verdict.ask_reason ?? ''}` };
  }

  /** The record, and what a rule protects. */
  async function kept(root: string): Promise<string[]> {
    const names = await readdir(root, { recursive: true });
    const files = names.filter((name) => /(^|\/)(\.polyglav|fixed|keys)(\/|$)/.test(name)).sort();
    return Promise.all(
      files.map(async (name) => `${name} ${await readFile(path.join(root, name), 'utf8').catch(() => '')}`),
    );
  }

  for (const [group, rows] of Object.entries(TABLE))
    describe(group, () => {
      for (const [key, lines] of Object.entries(rows)) {
        const [project, expected] = key.split(' ') as [Project, Expected];
        for (const line of lines)
          it(`${expected} in a ${project} project: ${line}`, async () => {
            const { found, why } = await judge(project, line);
            assert.equal(found, expected, why);
            if (found !== 'allowed') return;
            const root = path.join(base, 'trial', project);
            await rm(path.join(base, 'trial'), { recursive: true, force: true });
            await cp(folder(project), root, {
              recursive: true,
              preserveTimestamps: true,
              verbatimSymlinks: true,
            });
            const before = await kept(root);
            let output = '';
            try {
              output = execFileSync('bash', ['-c', line], {
                cwd: root,
                encoding: 'utf8',
                stdio: ['ignore', 'pipe', 'pipe'],
              });
            } catch (error) {
              output = String((error as { stdout?: unknown }).stdout);
            }
            assert.ok(!output.includes(SECRET), output);
            assert.deepEqual(await kept(root), before);
          });
      }
    });
});
