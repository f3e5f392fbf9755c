import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { changeShared } from '../../../src/session/sharedFile.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const MODULE = join(import.meta.dirname, '../../../src/session/sharedFile.ts');

/** Adds a line to the file, `times` times, one after the other. */
const ADD = `
  const { changeShared } = await import(${JSON.stringify(MODULE)});
  const [file, line, times] = process.argv.slice(1);
  for (let n = 0; n < Number(times); n++)
    await changeShared(file, (before) => Buffer.concat([before ?? Buffer.alloc(0), Buffer.from(line + '\\n')]));
`;

describe('a file that several programs change', () => {
  const folder = useTempFolder();
  const upper = (before: Buffer | undefined) => Buffer.from((before?.toString() ?? 'new').toUpperCase());

  it('is made with its folder, for the owner alone', async () => {
    const file = join(folder.path, 'home', 'a.json');
    await changeShared(file, upper);
    assert.equal(await readFile(file, 'utf8'), 'NEW');
    if (process.platform === 'win32') return;
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(join(folder.path, 'home'))).mode & 0o777, 0o700);
  });

  it('stays behind its link', async () => {
    await writeFile(join(folder.path, 'real.json'), 'abc');
    await symlink('real.json', join(folder.path, 'a.json'));
    await changeShared(join(folder.path, 'a.json'), upper);
    assert.equal(await readFile(join(folder.path, 'real.json'), 'utf8'), 'ABC');
    assert.ok((await lstat(join(folder.path, 'a.json'))).isSymbolicLink());
  });

  it('is made behind a link that leads to nothing yet, and leaves nothing beside it', async () => {
    await mkdir(join(folder.path, 'home'));
    await mkdir(join(folder.path, 'dotfiles'));
    const file = join(folder.path, 'home', 'a.json');
    await symlink('../dotfiles/deep/b.json', join(folder.path, 'home', 'link.json'));
    await symlink('link.json', file);
    for (const content of ['NEW', 'NEW']) {
      await changeShared(file, upper);
      assert.equal(await readFile(join(folder.path, 'dotfiles', 'deep', 'b.json'), 'utf8'), content);
      assert.ok((await lstat(file)).isSymbolicLink());
    }
    assert.deepEqual(await readdir(join(folder.path, 'dotfiles', 'deep')), ['b.json']);
    await symlink('round.json', join(folder.path, 'home', 'round.json'));
    await assert.rejects(changeShared(join(folder.path, 'home', 'round.json'), upper), { code: 'ELOOP' });
  });

  it('stays as it is when the change throws, and is free again', async () => {
    const file = join(folder.path, 'a.json');
    await writeFile(file, 'abc');
    const failing = changeShared(file, () => {
      throw new Error('broken');
    });
    await assert.rejects(failing, /broken/);
    assert.equal(await readFile(file, 'utf8'), 'abc');
    await changeShared(file, upper);
    assert.equal(await readFile(file, 'utf8'), 'ABC');
  });

  it('is refused when it is none', async () => {
    await mkdir(join(folder.path, 'a.json'));
    await assert.rejects(changeShared(join(folder.path, 'a.json'), upper), /a\.json was not changed: .*regular file/);
  });

  it('has the changes of all programs that make them at the same time', async () => {
    const file = join(folder.path, 'a.txt');
    const add = async (line: string) => {
      const args = ['--input-type=module', '--eval', ADD, file, line, '10'];
      const child = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    };
    await Promise.all(['one', 'two', 'three'].map(add));
    const lines = (await readFile(file, 'utf8')).trim().split('\n').sort();
    assert.deepEqual(
      lines,
      ['one', 'three', 'two'].flatMap((line) => Array<string>(10).fill(line)),
    );
  });
});
