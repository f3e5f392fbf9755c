import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';

import { findShell, languageOf } from '../../../src/tools/commandShell.ts';
import { Workspace } from './workspace.ts';

describe('the shell of commands', () => {
  let workspace: Workspace;
  before(async () => (workspace = await Workspace.make()));
  after(() => workspace.remove());

  it('is the first bash on the PATH that can be run', async () => {
    await workspace.write('plain/bash', '');
    await workspace.write('good/bash', '');
    await chmod(workspace.path('good/bash'), 0o755);
    const PATH = [workspace.path('empty'), workspace.path('plain'), workspace.path('good')].join(':');
    assert.equal(await findShell({ PATH }), workspace.path('good/bash'));
  });

  it('is never one that the current folder happens to hold', async () => {
    assert.match(await findShell({ PATH: '.:good' }), /^(\/usr)?\/bin\/(ba)?sh$/);
  });

  it('is found without a PATH too', async () => {
    assert.match(await findShell({}), /^(\/usr)?\/bin\/(ba)?sh$/);
  });

  it('reads lines as bash, or as plain sh where it is another one', () => {
    assert.equal(languageOf('/usr/local/bin/bash'), 'bash');
    assert.equal(languageOf('/bin/sh'), 'sh');
  });
});
