/** A writer on a disk that fails at some of its calls, once or for a while, and then is back (R6). */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import fc from 'fast-check';

import type { SessionEvent } from '../../src/session/events.ts';
import type { SessionFile } from '../../src/session/file.ts';
import { SessionError, SessionStore } from '../../src/session/store.ts';
import { legalEvents } from '../support/arbitraryRecords.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { canonical } from './canonical.ts';
import { faults, FaultyDisk, INJECTED } from './faultyDisk.ts';

const RUNS = process.env['POLYGLAV_CRASH'] === 'short' ? 60 : 1500;
/** More than any run has calls: until the disk is back. */
const FOR_GOOD = 1_000_000;

describe('a disk that fails', function () {
  this.timeout(20 * 60_000);
  const folder = useTempFolder();
  const at = '2026-08-17T12:00:00.123+00:00';
  const last: SessionEvent = { type: 'error', at, entry: { code: 0, message: 'The disk is back.', timestamp: at } };
  const storeIn = (name: string) => new SessionStore(join(folder.path, name), { version: '1.0.0' });

  it('refuses or keeps each event, shows nothing by halves, and goes on when it is back', async () => {
    let number = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        legalEvents(0, 'max'),
        fc.array(fc.constantFrom('wait', 'go on', 'go on', 'soon', 'flush', 'flush and wait'), { minLength: 40 }),
        faults(fc.constantFrom(1, 1, 2, 5, FOR_GOOD)),
        async (events, how, plan) => {
          const store = storeIn(`${number++}`);
          const file = await store.create({ name: 'notes' });
          const disk = new FaultyDisk(store.workspace, plan);
          const told = new Told(file, disk);
          try {
            refused += await write(file, store, disk, events, how);
            await checkBack(file, store, disk);
            told.check();
          } finally {
            disk.stop();
            await file.close().catch(() => undefined);
          }
          assert.ok(disk.calls < 400 + 60 * events.length, `${disk.calls} calls for ${events.length} events`);
        },
      ),
      { numRuns: RUNS },
    );
    console.log(`      ${refused} events were refused in ${RUNS} runs`);
  });

  /** Returns how many events were refused. */
  async function write(
    file: SessionFile,
    store: SessionStore,
    disk: FaultyDisk,
    events: readonly SessionEvent[],
    how: readonly string[],
  ): Promise<number> {
    const states = [canonical(file.session)];
    let acknowledged = 0;
    let refused = 0;
    const check = async () => {
      const before = acknowledged;
      const there = states.lastIndexOf(canonical(await disk.unharmed(() => store.read('notes'))));
      assert.ok(there >= 0, 'a reader finds what was never said');
      assert.ok(there >= before, `${before} events were acknowledged, and ${there} are there`);
    };
    const pending: Promise<void>[] = [];
    for (const [position, event] of events.entries()) {
      const written = file.append(event).then(
        () => {
          // Of what streams half a second may be lost.
          if (event.type === 'part_extended') return;
          acknowledged = Math.max(acknowledged, position + 1);
        },
        (error: unknown) => {
          refused++;
          assertForThePerson(error);
        },
      );
      states.push(canonical(file.session));
      pending.push(written);
      if (how[position] === 'wait') await inTime(written).then(check);
      if (how[position] === 'soon') await soon();
      if (how[position]?.startsWith('flush') === true) {
        const flushed = file.flush().then(() => {
          acknowledged = Math.max(acknowledged, position + 1);
        }, assertForThePerson);
        pending.push(flushed);
        if (how[position] === 'flush and wait') await inTime(flushed).then(check);
      }
    }
    await inTime(Promise.all(pending));
    await check();
    return refused;
  }

  async function checkBack(file: SessionFile, store: SessionStore, disk: FaultyDisk): Promise<void> {
    disk.back();
    await inTime(file.append(last));
    assert.equal(canonical(await store.read('notes')), canonical(file.session));
    await inTime(file.flush());
    const onDisk = async () => JSON.parse(await readFile(file.path, 'utf8')) as SessionFile['session'];
    assert.equal(canonical(await onDisk()), canonical(file.session), 'flushed, but not in the file');
    await file.close();
    assert.equal(canonical(await onDisk()), canonical(file.session));
    const left = (await readdir(join(store.dir, '.journal'))).filter((name) => name.endsWith('.jsonl'));
    assert.deepEqual(left, []);
    const again = (await store.open('notes')).file;
    assert.equal(canonical(again.session), canonical(file.session), 'the next owner has another record');
    await again.close();
  }

  it('keeps what another program wrote over the file, and has its own again when it is back', async () => {
    let number = 0;
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(
        legalEvents(0, 'max'),
        fc.array(fc.constantFrom('wait', 'go on', 'go on', 'change', 'flush'), { minLength: 40 }),
        faults(fc.constantFrom(1, 1, 2, 5, FOR_GOOD)),
        async (events, how, plan) => {
          const store = storeIn(`${number++}`);
          const file = await store.create({ name: 'notes' });
          await file.append(last);
          const theirs: string[] = [];
          const disk = new FaultyDisk(store.workspace, plan);
          try {
            for (const [position, event] of events.entries()) {
              const written = file.append(event).catch(assertForThePerson);
              if (how[position] === 'wait') await inTime(written);
              if (how[position] === 'flush') await inTime(file.flush().catch(assertForThePerson));
              if (how[position] !== 'change') continue;
              await inTime(file.flush().catch(assertForThePerson)); // it is not written to at the same time
              theirs.push(`theirs ${theirs.length}`);
              await disk.unharmed(() => writeFile(file.path, theirs.at(-1) as string));
              changed++;
            }
            disk.back();
            await inTime(file.flush()); // it notices a change
            await checkBack(file, store, disk);
          } finally {
            disk.stop();
            await file.close().catch(() => undefined);
          }
          // The last of them that was there when ours was written again; those before it may have been written over by the next.
          const aside = join(store.dir, '.journal', 'aside');
          const names = await readdir(aside).catch(() => []);
          const kept = await Promise.all(names.map((name) => readFile(join(aside, name), 'utf8')));
          const lost = theirs.at(-1);
          assert.ok(lost === undefined || kept.includes(lost), `${lost} is gone`);
        },
      ),
      { numRuns: RUNS },
    );
    console.log(`      ${changed} times another program wrote`);
  });

  it('opens a session that a crash left, or says why not and has lost nothing', async () => {
    let number = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(legalEvents(0, 'max'), faults(fc.constantFrom(1, 1, 2, 5)), async (events, plan) => {
        const crashed = storeIn(`${number++}`);
        const file = await crashed.create({ name: 'notes' });
        for (const event of events) await file.append(event);
        await file.flush();
        await file.append(last);
        const store = storeIn(`${number++}`);
        await cp(crashed.workspace, store.workspace, { recursive: true });
        await file.close();
        await removeLocks(store);
        const disk = new FaultyDisk(store.workspace, plan);
        try {
          const opened = await inTime(store.open('notes')).catch((error: unknown) => {
            refused++;
            assertForThePerson(error);
          });
          disk.back();
          await opened?.file.close();
        } finally {
          disk.stop();
        }
        assert.equal(canonical(await store.read('notes')), canonical(file.session));
        await removeLocks(store); // one that could not be given back: its process is dead
        const again = (await store.open('notes')).file;
        assert.equal(canonical(again.session), canonical(file.session));
        await again.close();
      }),
      { numRuns: RUNS },
    );
    console.log(`      ${refused} of ${RUNS} were not opened`);
  });

  it('answers in words whatever is asked of a folder of sessions', async () => {
    let number = 0;
    let refused = 0;
    const asked: Record<string, (store: SessionStore) => Promise<unknown>> = {
      read: (store) => store.read('notes'),
      stream: (store) =>
        store.stream('notes', async (stream) => {
          for await (const item of stream.items()) assert.ok(item);
        }),
      resolve: (store) => store.resolve('notes'),
      holder: (store) => store.holder('notes'),
      list: async (store) => {
        for (const { problem } of await store.list())
          if (problem !== undefined) assert.ok(!problem.includes(INJECTED), `raw words: ${problem}`);
      },
      open: async (store) => (await store.open('notes')).file.close(),
      create: async (store) => (await store.create({ name: 'other' })).close(),
      delete: (store) => store.delete('notes'),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(asked)),
        fc.boolean(),
        fc.boolean(),
        faults(fc.constantFrom(1, 1, 2, 5)),
        async (what, live, empty, plan) => {
          const store = storeIn(`${number++}`);
          let owner: SessionFile | undefined;
          if (!empty) {
            const file = await store.create({ name: 'notes' });
            await file.append(last);
            await file.close();
            owner = live ? (await store.open('notes')).file : undefined;
            await owner?.append(last);
          }
          const disk = new FaultyDisk(store.workspace, plan);
          try {
            await inTime((asked[what] as (store: SessionStore) => Promise<unknown>)(store)).catch((error: unknown) => {
              refused++;
              assertForThePerson(error);
            });
          } finally {
            disk.stop();
            await owner?.close();
          }
        },
      ),
      { numRuns: RUNS * 4 },
    );
    console.log(`      ${refused} of ${RUNS * 4} were refused`);
  });

  async function removeLocks(store: SessionStore): Promise<void> {
    for (const name of await readdir(join(store.dir, '.journal')))
      if (name.includes('.lock.')) await rm(join(store.dir, '.journal', name));
  }
});

/** What the person hears beside the answers to what was appended: once, until something was saved again. */
class Told {
  readonly #wrong: string[] = [];
  #savedBefore = -1;

  constructor(file: SessionFile, disk: FaultyDisk) {
    file.onFailure((error) => {
      if (!(error instanceof SessionError)) this.#wrong.push(`no words: ${error.message}`);
      if (disk.saved === this.#savedBefore) this.#wrong.push(`told twice: ${error.message}`);
      this.#savedBefore = disk.saved;
    });
    file.onNotice((text) => this.#wrong.push(`said without a reason: ${text}`));
  }

  check(): void {
    assert.deepEqual(this.#wrong, []);
  }
}

function assertForThePerson(error: unknown): void {
  assert.ok(error instanceof SessionError, `no answer to a person: ${String((error as Error).stack)}`);
  assert.ok(!error.message.includes(INJECTED), `raw words: ${error.message}`);
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it never settles')), 5000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
