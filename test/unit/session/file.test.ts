import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';

import type { SessionEvent } from '../../../src/session/events.ts';
import type { SessionFile } from '../../../src/session/file.ts';
import { JournalSeries } from '../../../src/session/journalSeries.ts';
import type { Part, Session } from '../../../src/session/schema.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { WrittenFile } from '../../../src/session/writtenFile.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const TURN = { type: 'turn_started', at: AT, turn: { index: 1, status: 'running', parts: [] } } satisfies SessionEvent;
const TEXT: SessionEvent = { type: 'part_added', at: AT, part: { type: 'text', text: 'a', timestamp: AT } };

const LONG = {
  type: 'error',
  at: AT,
  entry: { code: 500, message: 'x'.repeat(40_000), timestamp: AT },
} satisfies SessionEvent;

/** Looks at a session's file after each rewriting of its end: it parses, and what stood in it once stands there for good. */
class Ends {
  count = 0;
  readonly stop: () => void;
  #path = '';
  #front = Buffer.alloc(0);
  #session: Session | undefined;
  /** In the work of the session's file a failure would be taken for one of the disk. */
  #failures: unknown[] = [];

  constructor() {
    const { rewriteEnd } = WrittenFile.prototype;
    this.stop = () => {
      WrittenFile.prototype.rewriteEnd = rewriteEnd;
    };
    const look = (end: Buffer, fixed: number) => {
      try {
        this.#look(end, fixed);
      } catch (error) {
        this.#failures.push(error);
      }
    };
    WrittenFile.prototype.rewriteEnd = async function (end, fixed) {
      await rewriteEnd.call(this, end, fixed);
      look(end, fixed);
    };
  }

  watch(path: string): void {
    this.#path = path;
    this.#front = Buffer.alloc(0);
    this.#session = undefined;
  }

  check(): void {
    for (const failure of this.#failures) throw failure;
  }

  #look(end: Buffer, fixed: number): void {
    this.count++;
    const file = readFileSync(this.#path);
    const before = this.#front;
    assert.ok(file.subarray(0, before.length).equals(before), 'the front changed');
    this.#front = file.subarray(0, file.length - end.length + fixed);
    assert.ok(this.#front.length >= before.length, 'the front became shorter');
    const session = JSON.parse(file.toString()) as Session;
    for (const section of ['errors', 'permissions', 'sub_sessions'] as const) {
      const entries = this.#session?.[section] ?? [];
      assert.deepEqual(session[section].slice(0, entries.length), entries, `what stood in ${section} changed`);
    }
    this.#session = session;
  }
}

describe('session/file', () => {
  const folder = useTempFolder();
  let file: SessionFile;

  let store: SessionStore;

  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '1.0.0', program: 'a test' });
    file = await store.create({ name: 'notes' });
  });
  afterEach(() => file.close().catch(() => undefined));

  /** What another process would read at this moment. */
  const durable = () => store.read('notes');
  const onDisk = async () => JSON.parse(await readFile(file.path, 'utf8')) as Session;
  const sessionFiles = async () => (await readdir(store.dir)).filter((name) => name !== '.journal');
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('holds exactly the session after any appends, rewrites of its end and re-opening, and only grows', async () => {
    let number = 0;
    let byLength = 0;
    const ends = new Ends();
    try {
      await fc.assert(
        fc.asyncProperty(
          legalEvents(0, 'max'),
          fc.array(fc.constantFrom('wait', 'go on', 'long', 'flush', 'reopen', 'kill')),
          async (events, how) => {
            const name = `any-${number++}`;
            let any = await store.create({ name });
            const path = any.path;
            ends.watch(path);
            const appended: Promise<void>[] = [];
            for (const [position, event] of events.entries()) {
              appended.push(any.append(event));
              // Text that streams is on the disk half a second later, if nothing follows it.
              if (event.type === 'part_extended' && (how[position] === 'kill' || position === events.length - 1))
                await any.flush();
              if (how[position] === 'wait') await appended.at(-1);
              if (how[position] === 'long') {
                // A checkpoint falls due by itself when the journal is long, and as long as the end.
                await Promise.all(appended);
                const before = ends.count;
                for (let again = 0; ends.count === before; again++) {
                  assert.ok(again < 20, 'no checkpoint falls due');
                  await any.append(LONG);
                  await wait(1);
                }
                byLength++;
              }
              if (how[position] === 'flush') {
                await any.flush();
                assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), any.session);
              }
              if (how[position] === 'reopen' || how[position] === 'kill') {
                await Promise.all(appended);
                if (how[position] === 'reopen') await any.close();
                else for (const lock of await locksOf(name)) await rm(lock); // its process is dead
                const last = any;
                any = (await store.open(name)).file;
                assert.deepEqual(any.session, last.session);
                await last.close().catch(() => undefined); // a dead one that still tried would change nothing
              }
              ends.check();
            }
            await Promise.all(appended);
            assert.deepEqual(await store.read(name), any.session);
            await any.close();
            ends.check();
            assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), any.session);
          },
        ),
        { numRuns: 40 },
      );
    } finally {
      ends.stop();
    }
    assert.ok(byLength > 0);
  });

  const locksOf = async (name: string) => {
    const journal = join(store.dir, '.journal');
    return (await readdir(journal))
      .filter((entry) => entry.startsWith(`${name}.lock.`))
      .map((entry) => join(journal, entry));
  };

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
          (await durable()).errors.some((entry) => entry.code === code),
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
    const saved = async () => (await durable()).turns[0]!.parts[0]!['text'] === `a${'b'.repeat(100)}`;
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
    assert.equal((await durable()).turns[0]!.parts[0]!['text'], 'ab');
  });

  it('writes what still streams when it is closed, and leaves nothing beside the file', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    await file.append({ type: 'part_extended', at: AT, text: 'b' });
    await file.close();
    assert.deepEqual(await onDisk(), file.session);
    assert.deepEqual(await sessionFiles(), ['notes.json']);
    assert.deepEqual(await readdir(join(store.dir, '.journal')), ['notes.lock.1']);
  });

  it('takes nothing any more when it is closed: another may own it by now', async () => {
    const file = await store.create({ name: 'closed' });
    await file.append(TURN);
    await file.close();
    const next = await store.open('closed');
    const before = readFileSync(file.path);
    await assert.rejects(file.append(TEXT), /"closed" was closed/);
    await assert.rejects(file.append({ type: 'part_extended', at: AT, text: 'b' }), SessionError);
    assert.equal(file.session.turns[0]?.parts.length, 0);
    await next.file.append(TEXT);
    await next.file.close();
    assert.ok(readFileSync(file.path).subarray(0, 100).equals(before.subarray(0, 100)));
    assert.equal((await store.read('closed')).turns[0]?.parts.length, 1);
  });

  it('puts the end of the file in order after a moment without events, for other programs', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    const inOrder = async () => (await onDisk()).turns[0]?.parts.length === 1;
    for (let waited = 0; !(await inOrder()); waited += 50) {
      assert.ok(waited < 5000, 'not in order after five seconds');
      await wait(50);
    }
    assert.deepEqual(await onDisk(), file.session);
  });

  it('is for its owner only (R15)', async () => {
    await file.append(TURN);
    assert.equal(await mode(file.path), '600');
    await file.append(TEXT);
    assert.equal(await mode(file.path), '600');
  });

  it('says once that its folder was removed, then makes it again with everything', async () => {
    await file.append(TURN);
    await rm(dirname(store.dir), { recursive: true });
    await assert.rejects(file.append(TEXT), /folder .* was removed/);
    assert.equal(file.session.turns[0]!.parts.length, 1, 'it stays in memory');
    await file.append({ type: 'turn_ended', at: AT, status: 'error' });
    assert.deepEqual(await durable(), file.session);
    assert.deepEqual(await onDisk(), file.session);
    assert.equal(await mode(store.dir), '700');
    assert.ok((await readFile(join(folder.path, '.polyglav', '.gitignore'), 'utf8')).startsWith('*'));
  });

  it('cannot write while a file stands where its folder was, and loses nothing', async () => {
    await file.append(TURN);
    await rm(store.dir, { recursive: true });
    await writeFile(store.dir, '');
    const results = await Promise.allSettled([
      file.append(TEXT),
      file.append({ type: 'error', at: AT, entry: { code: 0, message: 'x', timestamp: AT } }),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(file.append({ type: 'turn_ended', at: AT, status: 'error' }));
    await rm(store.dir);
    await file.append({ type: 'error', at: AT, entry: { code: 1, message: 'y', timestamp: AT } });
    assert.deepEqual(await durable(), file.session);
    assert.equal(file.session.errors.length, 2);
  });

  it('tells of streaming text that could not be written, for which nobody waits', async () => {
    await file.append(TURN);
    await file.append(TEXT);
    const failed = new Promise<Error>((resolve) => file.onFailure(resolve));
    await rm(store.dir, { recursive: true });
    await file.append({ type: 'part_extended', at: AT, text: 'b' });
    assert.match((await failed).message, /was removed/);
    await file.append({ type: 'turn_ended', at: AT, status: 'error' });
    assert.deepEqual(await durable(), file.session);
  });

  for (const [what, change] of Object.entries({
    'replaced by another one': (path: string) => rm(path).then(() => writeFile(path, '{"mine": true}')),
    'appended to': (path: string) => appendFile(path, 'garbage'),
    'overwritten in place': (path: string) => writeFile(path, 'x'.repeat(5000)),
    removed: (path: string) => rm(path),
  }))
    it(`sets the file aside when it was ${what} by another program, writes its own whole and says so`, async () => {
      await file.append(TURN);
      await file.append(TEXT);
      await file.append({ type: 'turn_ended', at: AT, status: 'ok' });
      await file.flush();
      const notices: string[] = [];
      file.onNotice((text) => notices.push(text));
      await change(file.path);
      const theirs = await readFile(file.path, 'utf8').catch(() => undefined);
      await file.append({ ...TURN, turn: { ...TURN.turn, index: 2 } });
      await file.append({ type: 'turn_ended', at: AT, status: 'ok' });
      await file.flush();
      assert.deepEqual(await onDisk(), file.session);
      assert.deepEqual(await durable(), file.session);
      assert.equal(notices.length, 1);
      if (theirs === undefined) return;
      const aside = await readdir(join(store.dir, '.journal', 'aside'));
      assert.equal(await readFile(join(store.dir, '.journal', 'aside', aside[0]!), 'utf8'), theirs);
    });

  for (const when of ['after it was opened', 'between two appends'])
    it(`writes a file that was overwritten ${when} again byte by byte: shortened, and each number as it was spelled (R2, R11)`, async () => {
      await file.close();
      const odd = '{"type":"x","n":1.0,"long":12345678901234567890}';
      const theirs = JSON.stringify(sessionOf([{ index: 1, status: 'ok', parts: [] }])).replace(
        '"parts":[]',
        `"parts":[${odd}]`,
      );
      await writeFile(join(store.dir, 'odd.json'), theirs);
      const other = new SessionStore(folder.path, { version: '1.0.0' });
      const appendTurn = async (to: SessionFile, index: number) => {
        const part: Part = { type: 'tool', name: 'web_fetch', input: {}, output: 'SECRET', timestamp: AT };
        await to.append({ type: 'turn_started', at: AT, turn: { index, status: 'running', parts: [] } });
        await to.append({ type: 'part_added', at: AT, part });
        await to.append({ type: 'turn_ended', at: AT, status: 'ok' });
      };
      const { file: any } = await other.open('odd');
      if (when === 'between two appends') {
        await appendTurn(any, 2);
        await any.flush();
      }
      const before = await readFile(any.path, 'utf8');
      await writeFile(any.path, 'x'.repeat(before.length));
      await appendTurn(any, any.session.turns.length + 1);
      await any.close();
      const after = await readFile(any.path, 'utf8');
      assert.ok(after.startsWith(before.slice(0, before.lastIndexOf('\n],'))), 'what stood there is another text now');
      assert.ok(after.includes(odd));
      assert.ok(!after.includes('SECRET'));
      assert.match(after, /web_fetch result excluded/);
    });

  describe('while the disk takes the journal, and not the file itself', () => {
    const { rewriteEnd } = WrittenFile.prototype;
    let tried = 0;
    beforeEach(() => {
      tried = 0;
      WrittenFile.prototype.rewriteEnd = () => {
        tried++;
        return Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }));
      };
    });
    const back = () => {
      WrittenFile.prototype.rewriteEnd = rewriteEnd;
    };
    afterEach(() => {
      back();
      mock.timers.reset();
    });
    const until = async (what: string, there: () => boolean | Promise<boolean>) => {
      for (let waited = 0; !(await there()); waited++) {
        assert.ok(waited < 400, what);
        await wait(5);
      }
    };

    it('says so when it is to be saved, and saves it when it can', async () => {
      await file.append(TURN);
      for (let again = 0; again < 2; again++)
        await assert.rejects(file.flush(), (error: unknown) => {
          assert.ok(error instanceof SessionError);
          assert.match(error.message, /^notes\.json cannot be written: the disk is full\. Free some space/);
          return true;
        });
      assert.deepEqual(await durable(), file.session);
      back();
      await file.flush();
      assert.deepEqual(await onDisk(), file.session);
    });

    it('tries again by itself, now and then', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      await file.append(TURN);
      await until('no checkpoint', () => tried === 1);
      await wait(20); // until the timer is set
      mock.timers.tick(30_000);
      await until('it was not tried again', () => tried === 2);
      await wait(20);
      mock.timers.tick(29_000);
      await wait(20);
      assert.equal(tried, 2, 'it is tried all the time');
      back();
      mock.timers.tick(1000);
      await until('the file is not in order', async () => (await onDisk()).turns.length === 1);
    });

    it('closes with the reason, and leaves the journal to the next owner', async () => {
      await file.append(TURN);
      await assert.rejects(file.close(), /the disk is full/);
      back();
      file = (await store.open('notes')).file;
      assert.equal(file.session.turns.length, 1);
    });
  });

  it('keeps what was refused, and writes it by itself when the disk is back', async () => {
    const { next } = JournalSeries.prototype;
    JournalSeries.prototype.next = () =>
      Promise.reject(Object.assign(new Error('no'), { code: 'EACCES', syscall: 'open', path: '/x/notes.1.jsonl' }));
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await assert.rejects(
        file.append(TURN),
        /permission denied \(\/x\/notes\.1\.jsonl\)\. Make the file and its folder readable/,
      );
      JournalSeries.prototype.next = next;
      mock.timers.tick(30_000);
      mock.timers.reset(); // a reader waits too
      for (let waited = 0; (await durable()).turns.length === 0; waited++) {
        assert.ok(waited < 400, 'it is not on the disk');
        await wait(5);
      }
    } finally {
      JournalSeries.prototype.next = next;
      mock.timers.reset();
    }
  });

  it('stops writing when another program has taken the session over', async () => {
    await file.append(TURN);
    await writeFile(join(store.dir, '.journal', 'notes.lock.2'), '{}');
    const call = { type: 'tool' as const, name: 'file_read', input: {}, timestamp: AT };
    for (const [event, what] of [
      [TEXT, 'text of the answer'],
      [{ type: 'part_added', at: AT, part: call }, 'a tool call'],
    ] as const)
      await assert.rejects(file.append(event), {
        name: 'SessionError',
        message: `Another program has taken over the session "notes". Not saved: ${what}. Load it again to go on.`,
      });
  });

  it('keeps the folder and its .gitignore private, whoever makes them first (R15)', async () => {
    assert.equal(await mode(file.path), '600');
    for (const private_ of [store.dir, dirname(store.dir)]) assert.equal(await mode(private_), '700');
    assert.equal(await mode(join(folder.path, '.polyglav', '.gitignore')), '600');
  });
});
