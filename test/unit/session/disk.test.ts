import assert from 'node:assert/strict';
import fsp, { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

import { claim } from '../../../src/session/disk.ts';
import { Lock } from '../../../src/session/lock.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('session/disk', () => {
  const folder = useTempFolder();
  const { link } = fsp;
  const withLink = (replaced: typeof link) => {
    fsp.link = replaced;
    syncBuiltinESMExports();
  };
  afterEach(() => withLink(link));

  for (const code of [undefined, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'])
    describe(code === undefined ? 'with hard links' : `without hard links (${code})`, () => {
      beforeEach(() => {
        if (code !== undefined)
          withLink(() => Promise.reject(Object.assign(new Error(`${code}: link`), { code, syscall: 'link' })));
      });

      it('gives a name to one of many that ask at once, whole, and leaves nothing else', async () => {
        const path = join(folder.path, 'name');
        const contents = Array.from({ length: 20 }, (_, number) => `content ${number} `.repeat(2000));
        const got = await Promise.all(contents.map((content) => claim(path, Buffer.from(content))));
        assert.equal(got.filter(Boolean).length, 1);
        assert.equal(await readFile(path, 'utf8'), contents[got.indexOf(true)]);
        assert.deepEqual(await readdir(folder.path), ['name']);
      });

      it('never replaces what is there', async () => {
        const path = join(folder.path, 'name');
        for (const put of [() => writeFile(path, ''), () => mkdir(path)]) {
          await put();
          assert.equal(await claim(path, Buffer.from('ours')), false);
          await fsp.rm(path, { recursive: true });
        }
      });

      it('makes sessions, which have one owner', async () => {
        const store = new SessionStore(folder.path, { version: '1.0.0' });
        const made = await Promise.allSettled(Array.from({ length: 5 }, () => store.create({ name: 'notes' })));
        const files = made.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
        assert.equal(files.length, 1);
        for (const result of made) if (result.status === 'rejected') assert.ok(result.reason instanceof SessionError);
        assert.deepEqual(await store.read('notes'), files[0]!.session);
        await assert.rejects(Lock.acquire({ dir: store.dir, name: 'notes' }, 'another'), /is open in Polyglav/);
        await files[0]!.close();
        const again = await store.open('notes');
        await again.file.close();
        assert.deepEqual(await readdir(join(store.dir, '.journal')), ['notes.lock.2']);
      });

      it('keeps what another program wrote over a session, and what it wrote the next time', async () => {
        const store = new SessionStore(folder.path, { version: '1.0.0' });
        const file = await store.create({ name: 'notes' });
        const at = '2026-08-17T12:00:00.123+00:00';
        const append = (message: string) =>
          file.append({ type: 'error', at, entry: { code: 0, message, timestamp: at } }).then(() => file.flush());
        await append('ours');
        for (const theirs of ['first', 'second']) {
          await writeFile(file.path, theirs);
          await append(theirs);
        }
        assert.deepEqual(JSON.parse(await readFile(file.path, 'utf8')), file.session);
        await file.close();
        const aside = join(store.dir, '.journal', 'aside');
        const kept = await Promise.all((await readdir(aside)).map((name) => readFile(join(aside, name), 'utf8')));
        assert.deepEqual(kept.sort(), ['first', 'second']);
      });
    });

  it('says why a name cannot be claimed for another reason', async () => {
    withLink(() => Promise.reject(Object.assign(new Error('EIO: link'), { code: 'EIO', syscall: 'link' })));
    await assert.rejects(claim(join(folder.path, 'name'), Buffer.from('a')), /EIO/);
    assert.deepEqual(await readdir(folder.path), []);
  });
});
