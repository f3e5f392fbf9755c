import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { Outside } from '../../../scripts/lib/outside.mjs';

describe('scripts/outside', () => {
  let outside: Outside;
  let home: string;
  let temp: string;
  beforeEach(() => {
    outside = new Outside();
    home = outside.env.HOME;
    temp = outside.env.TMPDIR;
  });
  afterEach(() => outside.remove());

  it('finds nothing when tests keep to their folders, and others to their own', async () => {
    for (const folder of [path.join(temp, 'polyglav-x', 'workspace'), path.join(home, '.cache', 'chromium')])
      await mkdir(folder, { recursive: true });
    assert.deepEqual(outside.faults(), []);
  });

  const harm: [name: string, act: () => Promise<unknown>][] = [
    ['a canary in the home that was written', () => writeFile(path.join(home, 'canary.txt'), 'x')],
    ['one that is gone', () => rm(path.join(temp, 'canary.txt'))],
    ['one above both that has another mode', () => chmod(path.join(home, '..', 'canary.txt'), 0o600)],
    ['a file beside the workspaces', () => writeFile(path.join(temp, 'pwned'), '')],
    ['a folder in the home', () => mkdir(path.join(home, '.polyglav'))],
    ['a file above the home', () => writeFile(path.join(home, '..', 'pwned'), '')],
    ['a file in a folder of the home', () => writeFile(path.join(home, 'work', 'pwned'), '')],
  ];
  for (const [name, act] of harm)
    it(`finds ${name}`, async () => {
      await act();
      assert.equal(outside.faults().length, 1);
    });
});
