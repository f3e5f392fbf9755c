import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { isAsTracked, repositoryOf, trackedIn } from '../../../src/permissions/gitIndex.ts';

describe('what Git tracks', () => {
  const NAMES = ['.polyglav/config.json', 'a', `${'d/'.repeat(40)}long`, 'src/a.ts', 'src/ab.ts', 'ü/é.txt'];
  let base = '';
  let root: string;
  const git = (...given: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...given], { cwd: root, stdio: 'pipe' });
  const names = async (at = root) => (await trackedIn(at))?.files.map(({ file }) => path.relative(at, file)).sort();

  async function make(...options: string[]): Promise<void> {
    root = path.join(base, String(options));
    await mkdir(root, { recursive: true });
    git('init', '-q', ...options);
    assert.deepEqual(await names(), []);
    for (const name of NAMES) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), name);
    }
    git('add', '.');
  }
  before(async function () {
    try {
      execFileSync('git', ['--version'], { stdio: 'ignore' });
    } catch {
      this.skip();
    }
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-index-')));
  });
  after(async () => {
    if (base !== '') await rm(base, { recursive: true, force: true });
  });

  it('is read from each version of the index', async () => {
    await make();
    for (const version of ['2', '4', '3']) {
      git('update-index', '--index-version', version);
      assert.deepEqual(await names(), [...NAMES].sort(), version);
    }
    git('add', '-N', '.');
    git('update-index', '--skip-worktree', 'a');
    assert.deepEqual(await names(), [...NAMES].sort());
  });

  it('is read with long ids', async () => {
    await make('--object-format=sha256');
    assert.deepEqual(await names(), [...NAMES].sort());
  });

  it('is found from a folder below, and in another working tree', async () => {
    await make('-b', 'main');
    assert.equal(await repositoryOf(path.join(root, 'src')), root);
    git('commit', '-qm', 'one');
    git('worktree', 'add', '-q', 'tree');
    assert.equal(await repositoryOf(path.join(root, 'tree/src')), path.join(root, 'tree'));
    assert.deepEqual(await names(path.join(root, 'tree')), [...NAMES].sort());
  });

  it('is not known of an index that is split, of folders, or broken', async () => {
    await make('-b', 'split');
    git('update-index', '--split-index');
    assert.equal(await names(), undefined);
    git('update-index', '--no-split-index');
    assert.deepEqual(await names(), [...NAMES].sort());
    await writeFile(path.join(root, '.git/index'), 'DIRC\0\0\0\x02\0\0\0\x09');
    assert.equal(await names(), undefined);
  });

  it('is the same as on the disk until that changes', async () => {
    await make('-b', 'same');
    const at = async () => {
      const { files, written } = (await trackedIn(root)) ?? assert.fail();
      const file = files.find((each) => each.file.endsWith('src/a.ts')) ?? assert.fail();
      return isAsTracked(file, written);
    };
    await new Promise((resolve) => setTimeout(resolve, 20));
    git('update-index', '--force-write-index');
    assert.equal(await at(), true);
    await writeFile(path.join(root, 'src/a.ts'), 'SRC/A.TS');
    assert.equal(await at(), false);
    await rm(path.join(root, 'src/a.ts'));
    assert.equal(await at(), false);
  });
});
