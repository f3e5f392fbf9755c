import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { findRipgrep, RIPGREP } from '../../../src/tools/ripgrepBinary.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('the ripgrep binary', function () {
  if (process.platform === 'win32') return;
  const folder = useTempFolder();

  async function program(name: string, mode = 0o755): Promise<string> {
    const file = path.join(folder.path, name, RIPGREP);
    await mkdir(path.dirname(file));
    await writeFile(file, '');
    await chmod(file, mode);
    return file;
  }

  it('is the first own one that can be run, else the first on the PATH', async () => {
    const own = [path.join(folder.path, 'missing'), await program('locked', 0o644)];
    const onPath = await program('bin');
    const env = { PATH: ['relative', path.dirname(own[1]!), path.dirname(onPath)].join(path.delimiter) };
    assert.equal(await findRipgrep(own, env), onPath);
    const packaged = await program('packaged');
    assert.equal(await findRipgrep([...own, packaged], env), packaged);
    assert.equal(await findRipgrep(own, {}), undefined);
  });
});
