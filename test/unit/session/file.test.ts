import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';

import type { SessionEvent } from '../../../src/session/events.ts';
import { SessionFile } from '../../../src/session/file.ts';
import type { Session } from '../../../src/session/schema.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const TURN: SessionEvent = { type: 'turn_started', at: AT, turn: { index: 1, status: 'running', parts: [] } };
const TEXT: SessionEvent = { type: 'part_added', at: AT, part: { type: 'text', text: 'a', timestamp: AT } };

describe('session/file', () => {
  const folder = useTempFolder();
  let file: SessionFile;

  beforeEach(async () => {
    await mkdir(join(folder.path, 'sessions'));
    file = new SessionFile(join(folder.path, 'sessions', 'notes.json'), sessionOf([]));
  });

  const onDisk = async () => JSON.parse(await readFile(file.path, 'utf8')) as Session;
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('holds exactly the session after any appends and flushes', async () => {
    await fc.assert(
      fc.asyncProperty(legalEvents(), fc.array(fc.constantFrom('wait', 'go on', 'flush')), async (events, how) => {
        const path = join(folder.path, 'sessions', 'any.json');
        const any = new SessionFile(path, sessionOf([]));
        const appended: Promise<void>[] = [];
        for (const [position, event] of events.entries()) {
          appended.push(any.append(event));
          if (how[position] === 'wait') await appended.at(-1);
          if (how[position] === 'flush') await any.flush();
        }
        await Promise.all(appended);
        await any.close();
        if (events.length > 0) assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), any.session);
      }),
      { numRuns: 40 },
    );
  });

  it('has each event on the disk when its own promise settles, whatever else is being appended (R6)', async () => {
    await file.append(TURN);
    const errors = Array.from({ length: 30 }, (_, code): SessionEvent => ({
      type: 'error',
      at: AT,
      entry: { code, message: 'x', timestamp: AT },
    }));
    await Promise.all(
      errors.map(async (event, position) => {
        await wait(position % 7);
        await file.append(event);
        const code = event.type === 'error' ? event.entry.code : -1;
        assert.ok(
          (await onDisk()).errors.some((entry) => entry.code === code),
          `error ${code} is not on the disk`,
        );
      }),
    );
  });

  it('changes memory at once', () => {
    const written = file.append(TURN);
    assert.equal(file.session.turns.length, 1);
    return written;
  });

  it('writes streaming text within half a second, and without holding up who streams (R6)', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    const started = performance.now();
    for (let piece = 0; piece < 100; piece++) await file.append({ type: 'part_extended', at: AT, text: 'b' });
    assert.ok(performance.now() - started < 100, 'a piece of text waited for the disk');
    const saved = async () => (await onDisk()).turns[0]!.parts[0]!['text'] === `a${'b'.repeat(100)}`;
    // Half a second, and as much again for a busy machine.
    while (!(await saved())) {
      assert.ok(performance.now() - started < 1000, 'not on the disk after a second');
      await wait(20);
    }
  });

  it('writes streaming text with the next event that is waited for', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    await file.append({ type: 'part_extended', at: AT, text: 'b' });
    await file.append({ type: 'turn_ended', at: AT, status: 'ok' });
    assert.equal((await onDisk()).turns[0]!.parts[0]!['text'], 'ab');
  });

  it('writes what still streams when it is closed, and leaves nothing beside the file', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    await file.append({ type: 'part_extended', at: AT, text: 'b' });
    await file.close();
    assert.deepEqual(await onDisk(), file.session);
    assert.deepEqual(await readdir(dirname(file.path)), ['notes.json']);
  });

  it('is for its owner only (R15)', async () => {
    await file.append(TURN);
    assert.equal(await mode(file.path), '600');
    await file.append(TEXT);
    assert.equal(await mode(file.path), '600');
  });

  /** Ways to make a write fail that work for any user, and how the disk comes back. */
  const faults: Record<string, { strike(): Promise<unknown>; mend(): Promise<unknown> }> = {
    'the folder is gone': {
      strike: () => rm(dirname(file.path), { recursive: true }),
      mend: () => mkdir(dirname(file.path)),
    },
    'a file stands where the folder was': {
      strike: async () => {
        await rm(dirname(file.path), { recursive: true });
        await writeFile(dirname(file.path), '');
      },
      mend: async () => {
        await rm(dirname(file.path));
        await mkdir(dirname(file.path));
      },
    },
    'a folder stands where the file was': {
      strike: async () => {
        await rm(file.path);
        await mkdir(file.path);
      },
      mend: () => rm(file.path, { recursive: true }),
    },
  };
  for (const [what, { strike, mend }] of Object.entries(faults)) {
    describe(`when ${what}`, () => {
      beforeEach(async () => {
        await file.append(TURN);
        await strike();
      });

      it('rejects, keeps the event in memory, and saves it with the next write that works', async () => {
        await assert.rejects(file.append(TEXT));
        assert.equal(file.session.turns[0]!.parts.length, 1);
        await assert.rejects(file.flush());
        await mend();
        await file.append({ type: 'turn_ended', at: AT, status: 'cancelled' });
        assert.deepEqual(await onDisk(), file.session);
        assert.deepEqual(await readdir(dirname(file.path)), ['notes.json']);
      });

      it('rejects every append that waited for the write that failed', async () => {
        const results = await Promise.allSettled([
          file.append(TEXT),
          file.append({ type: 'error', at: AT, entry: { code: 0, message: 'x', timestamp: AT } }),
          file.append({ type: 'turn_ended', at: AT, status: 'error' }),
        ]);
        assert.deepEqual(
          results.map(({ status }) => status),
          ['rejected', 'rejected', 'rejected'],
        );
        await mend();
        await file.flush();
        assert.deepEqual(await onDisk(), file.session);
      });
    });
  }

  it('tells of streaming text that could not be written, for which nobody waits', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    const failed = new Promise<Error>((resolve) => file.onFailure(resolve));
    await rm(dirname(file.path), { recursive: true });
    await file.append({ type: 'part_extended', at: AT, text: 'b' });
    assert.match((await failed).message, /ENOENT/);
    await mkdir(dirname(file.path));
    await file.close();
    assert.deepEqual(await onDisk(), file.session);
  });

  it('keeps the folder and its .gitignore private, whoever makes them first (R15)', async () => {
    const store = new SessionStore(folder.path, { version: '1.0.0' });
    const { path } = await store.create({ name: 'notes' });
    assert.equal(await mode(path), '600');
    for (const private_ of [store.dir, dirname(store.dir)]) assert.equal(await mode(private_), '700');
    assert.equal(await mode(join(folder.path, '.polyglav', '.gitignore')), '600');
  });
});
