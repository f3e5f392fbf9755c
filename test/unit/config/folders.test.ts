import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { folderRules, isSameFolder } from '../../../src/config/folders.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('config/folders', () => {
  const folder = useTempFolder();
  const DENY = { default: 'deny' } as const;

  it('looks where a path leads no more often than twice a minute', async () => {
    const [shop, other, link] = ['shop', 'other', 'link'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await mkdir(shop);
    await mkdir(other);
    await symlink(other, link);
    const rules = (now: number) => folderRules({ folders: { [link]: { permissions: DENY } } }, shop, now);
    assert.deepEqual(await rules(0), []);
    await rm(link);
    await symlink(shop, link);
    assert.equal(await isSameFolder(link, shop), true);
    assert.deepEqual(await rules(29_000), []);
    assert.deepEqual(await rules(30_000), [DENY]);
  });

  it('needs no look for the path itself', async () => {
    const shop = join(folder.path, 'shop');
    const rules = () => folderRules({ folders: { [shop]: { permissions: DENY } } }, shop);
    assert.deepEqual(await rules(), [DENY]);
    await mkdir(`${shop}2`);
    await rename(`${shop}2`, shop);
    assert.deepEqual(await rules(), [DENY]);
  });
});
