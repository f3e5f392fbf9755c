import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { messageOf, UsageError } from '../../../src/cli/usage.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('cli/usage', () => {
  const folder = useTempFolder();

  it('puts what the system says of a file in a sentence, and leaves other messages as they are', async () => {
    const file = `${folder.path}/x`;
    const missing = await readFile(file).catch((error: unknown) => error);
    assert.equal(messageOf(missing), `${file} cannot be used: it does not exist (ENOENT).`);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    assert.equal(messageOf(full), 'The system refused it: the disk is full (ENOSPC).');
    assert.equal(messageOf(new UsageError('Write it so.')), 'Write it so.');
    assert.equal(messageOf('thrown'), 'thrown');
    const gone = Object.assign(new Error('ENOENT: uv_cwd'), { code: 'ENOENT', syscall: 'uv_cwd' });
    assert.match(messageOf(gone), /^The current directory does not exist any more\. Change to one that does\.$/);
  });
});
