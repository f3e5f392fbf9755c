import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { guardedFolder } from '../../support/tempFolder.ts';

describe('support/canary', () => {
  it('fails a test that wrote beside its folder', async () => {
    const clean = await guardedFolder();
    await writeFile(path.join(clean.path, 'a.txt'), 'x');
    await clean.remove();
    for (const harm of [
      (around: string) => writeFile(path.join(around, 'canary.txt'), 'x'),
      (around: string) => symlink('folder', path.join(around, 'link')),
    ]) {
      const folder = await guardedFolder();
      await harm(path.dirname(folder.path));
      await assert.rejects(folder.remove(), /something was changed in .*, outside of the test's folder/);
    }
  });
});
