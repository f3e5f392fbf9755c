import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Journal } from '../../../src/session/journal.ts';
import { readAhead } from '../../../src/session/record.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('session/record', () => {
  const folder = useTempFolder();
  const place = () => ({ dir: folder.path, name: 'notes' });
  const write = (turns: number) =>
    writeFile(
      join(folder.path, 'notes.json'),
      JSON.stringify(sessionOf(Array.from({ length: turns }, (_, at) => ({ index: at + 1, status: 'ok', parts: [] })))),
    );

  it('is read once, ahead of the lock, when nobody changes it meanwhile', async () => {
    await write(1);
    const read = await readAhead(place());
    assert.equal(await read(), await read());
    assert.equal((await read()).session.turns.length, 1);
  });

  it('is read again when it was changed before the lock was there', async () => {
    await write(1);
    const read = await readAhead(place());
    await write(2);
    assert.equal((await read()).session.turns.length, 2);
  });

  it('is read again when somebody wrote a journal before the lock was there', async () => {
    await write(1);
    const read = await readAhead(place());
    await mkdir(join(folder.path, '.journal'));
    const journal = await Journal.create(
      join(folder.path, '.journal'),
      'notes',
      1,
      { length: 9, sum: '' },
      Buffer.of(),
    );
    await journal.close();
    assert.equal((await read()).look.mismatch, true);
  });
});
