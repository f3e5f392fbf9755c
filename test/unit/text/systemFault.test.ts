import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { systemFault } from '../../../src/text/systemFault.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('text/systemFault', () => {
  const folder = useTempFolder();

  it('says why a file cannot be used', async () => {
    const fault = await readFile(folder.path).catch((error: unknown) => error);
    assert.equal(systemFault(fault), 'it is a folder (EISDIR)');
    const missing = await readFile(`${folder.path}/x`).catch((error: unknown) => error);
    assert.equal(systemFault(missing), 'it does not exist (ENOENT)');
  });

  it("keeps the system's own message where it has no better words", () => {
    for (const error of [new Error('odd'), Object.assign(new Error('odd'), { code: 'EODD' })])
      assert.equal(systemFault(error), 'odd');
  });
});
