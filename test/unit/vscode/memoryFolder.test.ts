import assert from 'node:assert/strict';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { MemoryFolder } from '../../../src/vscode/memoryFolder.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('vscode/memoryFolder', () => {
  const temp = useTempFolder();

  it('gives a value back at once, and to the next window once it has settled', async () => {
    const folder = path.join(temp.path, 'made', 'here');
    const memory = await MemoryFolder.open(folder);
    assert.equal(memory.get('session'), undefined);
    const settled = memory.update('session', 'ses_1');
    assert.equal(memory.get('session'), 'ses_1');
    await settled;
    assert.equal((await MemoryFolder.open(folder)).get('session'), 'ses_1');
    const mode = async (file: string) => (await stat(file)).mode & 0o777;
    assert.deepEqual([await mode(folder), await mode(path.join(folder, 'session.json'))], [0o700, 0o600]);
  });

  it('keeps the last of many, and forgets what becomes undefined', async () => {
    const folder = temp.path;
    const memory = await MemoryFolder.open(folder);
    await Promise.all(Array.from({ length: 50 }, (_, at) => memory.update('sent', [at])));
    await memory.update('offers', { a: ['text'] });
    await memory.update('offers', undefined);
    const next = await MemoryFolder.open(folder);
    assert.deepEqual([next.get('sent'), next.get('offers')], [[49], undefined]);
    assert.deepEqual(await readdir(folder), ['sent.json']);
  });

  it('takes a broken file for a forgotten one', async () => {
    const folder = temp.path;
    await writeFile(path.join(folder, 'sent.json'), '[{"id"');
    assert.equal((await MemoryFolder.open(folder)).get('sent'), undefined);
  });

  it('takes one that cannot be read for a forgotten one, and has the others', async () => {
    const folder = temp.path;
    await mkdir(path.join(folder, 'sent.json'));
    await writeFile(path.join(folder, 'session.json'), '"ses_1"');
    const memory = await MemoryFolder.open(folder);
    assert.deepEqual([memory.get('sent'), memory.get('session')], [undefined, 'ses_1']);
  });
});
