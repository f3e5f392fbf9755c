import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';

import { withGitSettings } from '../../../src/tools/gitSettings.ts';
import { runCommand } from '../../../src/tools/runCommand.ts';
import { Workspace } from './workspace.ts';

describe('git in the commands of a session', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const run = async (command: string) => (await workspace.call(runCommand, { command })).output;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace.root, stdio: 'pipe' });

  /** A program that leaves a trace, for the settings of `repository`. */
  async function trap(repository: string): Promise<void> {
    await workspace.write('run.sh', `#!/bin/sh\ntouch '${workspace.path('RAN')}'\nexit 1\n`);
    await chmod(workspace.path('run.sh'), 0o755);
    git('-C', repository, 'config', 'core.fsmonitor', workspace.path('run.sh'));
  }

  it('takes no folder of the project for a repository but by a .git', async () => {
    git('init', '-q', '.');
    await mkdir(workspace.path('vend'));
    git('init', '-q', '--bare', 'vend');
    await trap('vend');
    git('-C', 'vend', 'config', 'core.bare', 'false');
    git('-C', 'vend', 'config', 'core.worktree', workspace.root);
    for (const command of ['git -C vend status', 'cd vend && git status', 'git status; git diff; cd ..']) {
      assert.match(await run(command), /cannot use bare repository '.*vend'/);
      assert.equal(existsSync(workspace.path('RAN')), false, command);
    }
    // By itself it would have.
    git('-C', 'vend', 'status');
    assert.equal(existsSync(workspace.path('RAN')), true);
  });

  it('runs no watcher of files', async () => {
    git('init', '-q', '.');
    await trap('.');
    assert.match(await run('git status'), /run\.sh/);
    assert.equal(existsSync(workspace.path('RAN')), false);
  });

  it('keeps the settings that the person gives in the same way', () => {
    const own = {
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'A B',
      GIT_CONFIG_KEY_0: 'x.y',
    };
    // The first one is incomplete, with which git would do nothing at all.
    const env = withGitSettings({ PATH: process.env['PATH'] ?? '', ...own });
    const get = (name: string) => execFileSync('git', ['config', name], { env, cwd: workspace.root, encoding: 'utf8' });
    assert.deepEqual(['user.name', 'safe.bareRepository', 'core.fsmonitor'].map(get), [
      'A B\n',
      'explicit\n',
      'false\n',
    ]);
    for (const count of ['', '-1', 'x', '1e9', '0'])
      assert.equal(withGitSettings({ GIT_CONFIG_COUNT: count })['GIT_CONFIG_COUNT'], '2', count);
  });
});
