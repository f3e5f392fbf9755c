/** An owner that slept while its session was taken over, and one whose files change under it: nothing is acknowledged that is not there. */
import assert from 'node:assert/strict';
import { copyFile, cp, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { SessionEvent } from '../../../src/session/events.ts';
import type { SessionFile } from '../../../src/session/file.ts';
import { Journal } from '../../../src/session/journal.ts';
import { JournalSeries } from '../../../src/session/journalSeries.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { WrittenFile } from '../../../src/session/writtenFile.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const at = '2026-08-17T12:00:00.123+00:00';
const entry = (code: number): SessionEvent => ({ type: 'error', at, entry: { code, message: 'x', timestamp: at } });

describe('session/fencing', () => {
  const folder = useTempFolder();
  let store: SessionStore;
  let file: SessionFile;
  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '1.0.0' });
    file = await store.create({ name: 'notes' });
    await file.append(entry(1));
  });
  afterEach(() => file.close().catch(() => undefined));

  const journalFolder = () => join(store.dir, '.journal');
  const journals = async () => (await readdir(journalFolder())).filter((name) => name.endsWith('.jsonl'));
  const codes = async () => (await store.read('notes')).errors.map(({ code }) => code);
  /** As the next owner does it. */
  const takeOver = () => writeFile(join(journalFolder(), 'notes.lock.2'), '{"token":"theirs"}');

  for (const [what, prototype, method] of [
    ['an entry is synced', Journal.prototype, 'append'],
    ['a new journal is made', JournalSeries.prototype, 'next'],
    ['the end is put in order', WrittenFile.prototype, 'isReplaced'],
  ] as const)
    it(`acknowledges nothing when another takes over while ${what}, and leaves the other's journal`, async () => {
      const real = prototype[method as never] as (...args: unknown[]) => Promise<unknown>;
      let taken = false;
      const theirs = join(journalFolder(), 'notes.1000001.jsonl');
      Object.assign(prototype, {
        [method]: async function (this: unknown, ...args: unknown[]) {
          if (!taken) {
            taken = true;
            await takeOver();
            await writeFile(theirs, 'theirs');
          }
          return real.apply(this, args);
        },
      });
      try {
        const written = file.append(entry(2));
        const saved = file.flush();
        const results = await Promise.allSettled([written, saved]);
        assert.ok(taken);
        assert.ok(
          results.some(({ status }) => status === 'rejected'),
          'it says so',
        );
        for (const result of results)
          if (result.status === 'rejected') assert.match(String(result.reason), /Another program has taken over/);
        await assert.rejects(file.append(entry(3)), SessionError);
        assert.ok((await journals()).includes('notes.1000001.jsonl'));
      } finally {
        Object.assign(prototype, { [method]: real });
      }
    });

  it('numbers the journals of the next owner behind all of the one before', async () => {
    await file.close();
    file = (await store.open('notes')).file;
    await file.append(entry(2));
    assert.deepEqual(await journals(), ['notes.1000001.jsonl']);
  });

  const each = async (change: (path: string) => Promise<void>) => {
    for (const name of await journals()) await change(join(journalFolder(), name));
  };
  for (const [what, change] of Object.entries<() => Promise<void>>({
    'the journal was removed': () => each((path) => rm(path)),
    'the journal was emptied': () => each((path) => truncate(path, 0)),
    'a copy took the place of the journal': () =>
      each(async (path) => {
        await copyFile(path, `${path}.copy`);
        await rename(`${path}.copy`, path);
      }),
    'an older copy took the place of the file': async () => {
      await copyFile(file.path, `${file.path}.copy`);
      await rename(`${file.path}.copy`, file.path);
    },
    'the folder was moved away, and a copy put there': async () => {
      await rename(store.dir, `${store.dir}.old`);
      await cp(`${store.dir}.old`, store.dir, { recursive: true });
    },
  }))
    it(`acknowledges only what a reader finds when ${what}`, async () => {
      await file.append(entry(2));
      await change();
      await file.append(entry(3));
      assert.deepEqual(await codes(), [1, 2, 3]);
      await file.append(entry(4));
      assert.deepEqual(await codes(), [1, 2, 3, 4]);
      assert.ok((await readdir(dirname(file.path))).includes('notes.json'));
    });
});
