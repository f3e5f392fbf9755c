import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import ignore from 'ignore';

import { IgnoreRules } from '../../../src/tools/gitignore.ts';
import { Workspace } from './workspace.ts';

describe('what git ignores', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  /** The answer for a path below the workspace when the folders above it are not ignored. */
  async function ignores(name: string, isFolder = false): Promise<boolean> {
    let { rules } = await IgnoreRules.of(workspace.root, workspace.root);
    const folders = name.split('/').slice(0, -1);
    for (const [index] of folders.entries())
      rules = await rules.within(workspace.path(folders.slice(0, index + 1).join('/')));
    return rules.ignores(workspace.path(name), isFolder);
  }

  const RULES = [
    ...[
      '# comment',
      '',
      '*.log',
      '!keep.log',
      '/root.txt',
      'dir/',
      'a/b.txt',
      'trail  ',
      'space\\ ',
      '\\#hash',
      '\\!bang',
    ],
    ...[
      'deep/**',
      '**/any/x',
      'm/**/n',
      'two**stars',
      '[ab].c',
      '[!a]?.h',
      'x{1,2}',
      '[[:digit:]]z',
      '[open',
      'crlf\r',
      '*',
    ],
  ];
  const NAMES = [
    ...[
      'a.log',
      'keep.log',
      'root.txt',
      's/root.txt',
      'dir',
      'a/b.txt',
      's/a/b.txt',
      'b.txt',
      'trail',
      'trail  ',
      'space ',
    ],
    ...['#hash', '!bang', 'deep', 'deep/x', 'deep/x/y', 'any/x', 's/any/x', 'm/n', 'm/q/n', 'mn', 'twoxstars', 'a.c'],
    ...['c.c', 'bb.h', 'ab.h', 'x{1,2}', 'x1', '1z', 'az', '[open', 'open', 'crlf', '.hidden', 'ünï.log', '# comment'],
  ];

  for (const rules of [RULES.slice(0, -1), [...RULES.slice(-1), '!*.txt'], ...RULES.map((rule) => [rule])])
    it(`is as git says for ${rules.length === 1 ? JSON.stringify(rules[0]) : `${rules.length} rules`}`, async function () {
      if (!hasGit()) this.skip();
      await workspace.write('.gitignore', rules.map((rule) => `${rule}\n`).join(''));
      execFileSync('git', ['init', '-q'], { cwd: workspace.root });
      const parents = NAMES.map((name) => path.posix.dirname(name));
      const theirs = gitIgnores([...NAMES, ...parents]);
      for (const [at, name] of NAMES.entries())
        // Of what is in an ignored folder git speaks, and a walk never gets there.
        if (parents[at] === '.' || theirs[NAMES.length + at] === false)
          assert.equal(await ignores(name), theirs[at], `${name} under ${JSON.stringify(rules)}`);
    });

  function gitIgnores(names: readonly string[]): boolean[] {
    const options = ['check-ignore', '--no-index', '--verbose', '--non-matching', '-z', '--stdin'];
    // It ends with 1 when nothing is ignored.
    const { stdout } = spawnSync('git', options, { cwd: workspace.root, input: names.join('\0'), encoding: 'utf8' });
    const fields = stdout.split('\0');
    return names.map((_, at) => /^[^!]/.test(fields[4 * at + 2] ?? ''));
  }

  it('lets the innermost file decide, and in it the last rule', async () => {
    await workspace.write('.gitignore', '*.gen\n/only-here\n');
    await workspace.write('a/.gitignore', '!*.gen\nb/x.gen\n');
    for (const [name, ignored] of [
      ['1.gen', true],
      ['a/1.gen', false],
      ['a/b/x.gen', true],
      ['a/b/y.gen', false],
      ['only-here', true],
      ['a/only-here', false],
    ] as const)
      assert.equal(await ignores(name), ignored, name);
  });

  it('agrees with another reader of these files', async () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', '/', '/', '**/', '[ab]', '.', '!', '\\*', '{', ' ');
    const line = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    const file = fc.array(line, { minLength: 1, maxLength: 4 });
    const name = fc.stringMatching(/^[ab.*{]?[ab]$/);
    await fc.assert(
      fc.asyncProperty(file, name, fc.boolean(), async (lines, own, isFolder) => {
        // It takes `a//b` and a slash behind a backslash differently; git sees neither in practice.
        fc.pre(!lines.some((text) => /\/\/|\*\*\*|\\ |^!+\/?$|! *$/.test(text)));
        await workspace.write('.gitignore', lines.join('\n'));
        const theirs = ignore({ ignorecase: process.platform !== 'linux' }).add(lines);
        assert.equal(await ignores(own, isFolder), theirs.test(isFolder ? `${own}/` : own).ignored);
      }),
      { numRuns: 500 },
    );
  });

  it('heeds no file that is too large to be compared with every name, and says which', async () => {
    await workspace.write('.gitignore', '*.log\n');
    for (const [size, content] of [
      ['bytes', 'a'.repeat(1024 * 1024 + 1)],
      ['patterns', Array.from({ length: 20_000 }, (_, at) => `x${at}*`).join('\n')],
    ] as const) {
      await workspace.write(`${size}/.gitignore`, content);
      const outer = (await IgnoreRules.of(workspace.root, workspace.root)).rules;
      const { unheeded } = await outer.within(workspace.path(size));
      assert.deepEqual(unheeded, [workspace.path(`${size}/.gitignore`)]);
      assert.equal(await ignores(`${size}/x1y`), false);
      assert.equal(await ignores(`${size}/a.log`), true);
    }
  });

  it('follows no link to such a file, as git does', async () => {
    await workspace.write('elsewhere', '*');
    await symlink('elsewhere', workspace.path('.gitignore'));
    assert.equal(await ignores('a'), false);
  });

  it('looks up 60,000 plain names at once', async () => {
    await workspace.write('.gitignore', Array.from({ length: 60_000 }, (_, at) => `name${at}`).join('\n'));
    assert.equal(await ignores('name59999'), true);
    assert.equal(await ignores('other'), false);
  });
});

function hasGit(): boolean {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
