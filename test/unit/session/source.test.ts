import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';

import { toLayout } from '../../../src/session/foreign.ts';
import { Journal, readNewestJournal } from '../../../src/session/journal.ts';
import { RecordBuilder } from '../../../src/session/record.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import type { Session } from '../../../src/session/schema.ts';
import { look } from '../../../src/session/source.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const at = '2026-08-17T12:00:00.123+00:00';
const error = (code: number): SessionEvent => ({ type: 'error', at, entry: { code, message: 'x', timestamp: at } });

/** Any JSON, and events that are right but for a few places, where any JSON stands. */
const strangeEvents = fc
  .tuple(
    legalEvents(),
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 3 })), { maxLength: 3 }),
    fc.nat(9),
  )
  .map(([events, changes, whole]) => {
    const values: unknown[] = [{ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [] } }];
    for (const event of events.filter(({ type }) => type !== 'turn_started')) values.push(event);
    for (const [where, which, value] of changes) {
      const position = where % values.length;
      if (whole === 0) values[position] = value;
      else values[position] = changed(values[position], which, value);
    }
    return values;
  });

/** One of the values inside, chosen by a number, is another. */
function changed(value: unknown, which: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || which % 4 === 3) return other;
  const keys = Object.keys(value);
  const key = keys[which % keys.length];
  if (key === undefined) return other;
  const inside = (value as Record<string, unknown>)[key];
  return { ...value, [key]: changed(inside, Math.floor(which / 7), other) };
}

describe('session/source', () => {
  const folder = useTempFolder();
  let store: SessionStore;
  let path: string;
  let journals: string;
  /** What the crash left. */
  let crashed: Map<string, Buffer>;
  const place = () => ({ dir: store.dir, name: 'notes' });
  const codes = ({ errors }: Session) => errors.map(({ code }) => code);
  const aside = () => readdir(join(journals, 'aside'));
  const jsonl = async () => (await readdir(journals)).filter((name) => name.endsWith('.jsonl'));

  /** As a crash leaves it: the file with the first error in order, the second in its journal alone. */
  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '1.0.0' });
    journals = join(store.dir, '.journal');
    path = join(store.dir, 'notes.json');
    const file = await store.create({ name: 'notes' });
    await file.append(error(1));
    await file.flush();
    await file.append(error(2));
    crashed = new Map(
      await Promise.all(
        [path, ...(await jsonl()).map((name) => join(journals, name))].map(
          async (file) => [file, await readFile(file)] as const,
        ),
      ),
    );
    await file.close();
    for (const [file, content] of crashed) await writeFile(file, content);
  });

  it('takes the journal for what stands behind the front, whatever the file says there', async () => {
    const text = await readFile(path, 'utf8');
    const { front } = (await readNewestJournal(journals, 'notes')).content!;
    for (const end of ['', '\n],\n"err', text.slice(front.length).replace('"code":1', '"code":9'), '\0'.repeat(500)]) {
      await writeFile(path, text.slice(0, front.length) + end);
      assert.deepEqual(codes(await store.read('notes')), [1, 2]);
    }
  });

  for (const [what, change] of Object.entries<(text: string) => string>({
    'changed by hand': (text) => text.replace('"role":""', '"role":"mine"'),
    'replaced by another version': () => toLayout(JSON.stringify(sessionOf([]))),
    'brought to another layout': (text) => JSON.stringify(JSON.parse(text), null, 2),
  }))
    it(`takes the file alone when its front was ${what}; the journal is set aside, and the person is told`, async () => {
      const text = change(await readFile(path, 'utf8'));
      await writeFile(path, text);
      const journal = await readFile(join(journals, (await jsonl())[0]!));
      const read = await store.read('notes');
      assert.deepEqual(codes(read), codes(JSON.parse(text) as Session));
      assert.equal((await jsonl()).length, 1, 'a reader changes nothing');

      const { file, notices } = await store.open('notes');
      assert.deepEqual(file.session, read);
      assert.match(notices.join(), /changed by another program.*The file counts.*aside/);
      assert.deepEqual(await jsonl(), []);
      const kept = await aside();
      assert.equal(kept.length, 1);
      assert.deepEqual(await readFile(join(journals, 'aside', kept[0]!)), journal);
      await file.append(error(3));
      await file.close();
      assert.deepEqual(codes(await store.read('notes')), [...codes(read), 3]);
    });

  it('keeps what was cut off behind the last entry, and tells the person', async () => {
    const journal = join(journals, (await jsonl())[0]!);
    await writeFile(journal, Buffer.concat([await readFile(journal), Buffer.from('2 0123456789abcdef {"type":"er')]));
    const { file, notices } = await store.open('notes');
    assert.deepEqual(codes(file.session), [1, 2]);
    assert.match(notices.join(), /cut off by a crash before it was acknowledged/);
    const [kept] = await aside();
    assert.equal(await readFile(join(journals, 'aside', kept!), 'utf8'), '2 0123456789abcdef {"type":"er');
    await file.close();
    // It is told once.
    const again = await store.open('notes');
    assert.deepEqual(again.notices, []);
    await again.file.close();
  });

  /** The same crash, but for what the journal says. */
  const leave = async (events: readonly unknown[], end?: string) => {
    const { content } = await readNewestJournal(journals, 'notes');
    const { front, number } = content!;
    const journal = await Journal.create(
      journals,
      'notes',
      number + 1,
      front,
      end === undefined ? content!.end : Buffer.from(end),
    );
    await journal.append(events.map((event) => JSON.stringify(event)));
    await journal.close();
    return journal;
  };

  it('goes on from before a damaged line, and does not say of whole ones behind it that they were cut off', async () => {
    const { path: journal } = await leave([error(2), error(3), error(4)]);
    const text = await readFile(journal, 'utf8');
    await writeFile(journal, text.replace('"code":3', '"code":8'));
    const { file, notices } = await store.open('notes');
    assert.deepEqual(codes(file.session), [1, 2]);
    assert.match(
      notices.join(),
      /cannot be used \(entry 2: the line is damaged\).*the rest.*is kept in \.journal\/aside/,
    );
    const [kept] = await aside();
    assert.match(await readFile(join(journals, 'aside', kept!), 'utf8'), /"code":8.*\n.*"code":4.*\n$/);
    await file.close();
  });

  const damage = async (journal: string, change: (text: string) => string) =>
    writeFile(journal, change(await readFile(journal, 'utf8')));

  it('keeps a journal whose beginning is damaged, and tells the person', async () => {
    const [only] = await jsonl();
    const journal = join(journals, only!);
    // The file stands by itself: it was put in order before the entries of the journal came.
    const { content } = await readNewestJournal(journals, 'notes');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.slice(0, content!.front.length) + content!.end.toString());
    await damage(journal, (text) => text.replace('"sum":"', '"sum":"0'));
    const bytes = await readFile(journal);
    const { file, notices } = await store.open('notes');
    assert.match(
      notices.join(),
      /^The journal notes\.\d+\.jsonl cannot be read, because its beginning is damaged\..*aside/,
    );
    await file.close();
    assert.deepEqual(await jsonl(), []);
    const [kept] = await aside();
    assert.deepEqual(await readFile(join(journals, 'aside', kept!)), bytes);
  });

  it('keeps a damaged journal beside an older whole one, which counts; what a crash cut off while it was made goes', async () => {
    const { path: journal } = await leave([error(7)]);
    await damage(journal, (text) => text.replace('"sum":"', '"sum":"0'));
    const bytes = await readFile(journal);
    await writeFile(journal.replace(/\d+(?=\.jsonl)/, '98'), bytes.subarray(0, 60));
    await writeFile(journal.replace(/\d+(?=\.jsonl)/, '99'), '');
    const { file, notices } = await store.open('notes');
    assert.deepEqual(codes(file.session), [1, 2]);
    assert.equal(notices.length, 1);
    await file.close();
    assert.deepEqual(await jsonl(), []);
    const kept = await aside();
    assert.equal(kept.length, 1);
    assert.deepEqual(await readFile(join(journals, 'aside', kept[0]!)), bytes);
  });

  for (const [what, event] of Object.entries<SessionEvent>({
    'a part outside of a turn': { type: 'part_added', at, part: { type: 'text', text: 'a', timestamp: at } },
    'a turn out of order': { type: 'turn_started', at, turn: { index: 3, status: 'running', parts: [] } },
    'the output of no call': { type: 'part_filled', at, part: 3, fill: { output: 'a' } },
  }))
    it(`goes on from before an entry that cannot have happened (${what}), keeps the rest and tells the person`, async () => {
      await leave([error(2), event, error(3)]);
      assert.deepEqual(codes(await store.read('notes')), [1, 2]);
      assert.deepEqual(await store.stream('notes', async ({ session }) => codes(session)), [1, 2]);
      const { file, notices } = await store.open('notes');
      assert.deepEqual(codes(file.session), [1, 2]);
      assert.match(notices.join(), /holds what cannot be used \(.+\)\. The session goes on from before that.*aside/);
      await file.close();
      const [kept] = await aside();
      const lines = (await readFile(join(journals, 'aside', kept!), 'utf8')).trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line.replace(/^\d+ \S+ /, '')) as unknown),
        [event, error(3)],
      );
      assert.deepEqual(codes(await store.read('notes')), [1, 2]);
    });

  it('does not load with a journal whose beginning is no end of a session; both stay', async () => {
    for (const end of ['', 'x', '\n],\n"errors":[\nnull\n],\n"updated_at":"t"}\n', '\n],\n"updated_at":7}\n', '\xff']) {
      const journal = await leave([], end);
      const before = [await readFile(path), await readFile(journal.path)];
      for (const use of [() => store.read('notes'), () => store.open('notes')])
        await assert.rejects(use, (refusal) => refusal instanceof SessionError && /left as/.test(refusal.message), end);
      assert.deepEqual([await readFile(path), await readFile(journal.path)], before);
      await rm(journal.path);
    }
  });

  it('survives any value as an entry, and writes none that it cannot read again', async () => {
    await fc.assert(
      fc.asyncProperty(strangeEvents, async (values) => {
        const journal = await leave(values);
        const lines = (await readFile(journal.path))
          .toString()
          .split('\n')
          .slice(-1 - values.length);
        const read = await store.read('notes');
        const streamed = await store.stream('notes', async ({ session, items }) => {
          let count = 0;
          for await (const item of items()) if (item.type === 'turn') count++;
          return { ...session, turns: count };
        });
        assert.deepEqual(streamed, { ...read, turns: read.turns.length });
        assert.deepEqual(
          (await store.list()).map(({ problem }) => problem),
          [undefined],
        );
        const { file, notices } = await store.open('notes');
        assert.deepEqual(file.session, read);
        await file.close();
        assert.deepEqual(await store.read('notes'), read);
        assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), read);
        const kept = (await aside().catch(() => [])).filter((name) => name.endsWith('.rest'));
        assert.equal(kept.length, notices.length);
        if (kept.length > 0) {
          const rest = await readFile(join(journals, 'aside', kept[0]!), 'utf8');
          assert.ok(lines.join('\n').endsWith(rest));
        }
        for (const [left, content] of crashed) await writeFile(left, content);
        await rm(join(journals, 'aside'), { recursive: true, force: true });
      }),
      { numRuns: 100 },
    );
  });

  it('sets a journal aside whose session is gone when its name is used again', async () => {
    await rm(path);
    await assert.rejects(store.read('notes'), SessionError);
    assert.match((await store.list())[0]?.problem ?? '', /notes\.json is missing/);
    const file = await store.create({ name: 'notes' });
    await file.append(error(7));
    await file.close();
    assert.deepEqual(codes(await store.read('notes')), [7]);
    assert.equal((await aside()).length, 1);
  });

  it('looks again when an owner began to write while it read', async () => {
    await rm(join(journals, (await jsonl())[0]!));
    const whole = readFileSync(path);
    const end = Buffer.from('\n],\n"errors":[\n{"code":5,"message":"x","timestamp":"t"}\n],\n"updated_at":"t"}\n');
    const length = whole.indexOf('"turns":[') + '"turns":['.length;
    const sum = createHash('sha256').update(whole.subarray(0, length)).digest('hex');
    const journal = await Journal.create(journals, 'notes', 50, { length, sum }, end);
    await journal.close();
    const bytes = readFileSync(journal.path);
    await rm(journal.path);

    let looks = 0;
    const seen = await look(place(), () => {
      // The owner has made its journal, and is in the middle of the end, when this reader is.
      if (++looks === 1) {
        writeFileSync(journal.path, bytes);
        writeFileSync(path, whole.subarray(0, length + 9));
      }
      return new RecordBuilder('notes');
    });
    assert.ok(looks > 1);
    assert.equal(seen.journal?.number, 50);
    assert.deepEqual(codes(seen.visited.session), [5]);
  });

  describe('beside its owner, when another program changes the file', () => {
    const readers: Record<string, () => Promise<unknown>> = {
      read: () => store.read('beside'),
      stream: () => store.stream('beside', async ({ session }) => session.errors),
    };
    const theirs = JSON.stringify(sessionOf([], { session_name: 'beside', role: 'theirs' }));
    const ways: Record<string, (path: string) => Promise<void>> = {
      'to what is no session': (path) => writeFile(path, 'broken'),
      'to another session': (path) => writeFile(path, theirs),
      'by renaming another over it': async (path) => {
        await writeFile(`${path}.tmp`, theirs);
        await rename(`${path}.tmp`, path);
      },
      'by removing it': (path) => rm(path),
    };
    for (const [what, change] of Object.entries(ways))
      it(`does not believe it, and the owner writes it again (${what}; R8, R10)`, async () => {
        mock.timers.enable({ apis: ['setInterval'] });
        const file = await store.create({ name: 'beside' });
        try {
          const notices: string[] = [];
          file.onNotice((notice) => notices.push(notice));
          await file.append({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [] } });
          await file.append({ type: 'turn_ended', at, status: 'ok' });
          await file.flush();
          await change(file.path);
          for (const [reader, use] of Object.entries(readers))
            await assert.rejects(
              use(),
              (failure) =>
                failure instanceof SessionError &&
                /^beside\.json was (changed|removed) .* while the session is open in .*writes it again/.test(
                  failure.message,
                ),
              reader,
            );
          const [summary] = (await store.list()).filter(({ name }) => name === 'beside');
          assert.notEqual(summary?.role, 'theirs');
          await until(async () => {
            mock.timers.tick(5000);
            return notices.length > 0 && (await store.read('beside').catch(() => undefined))?.turns.length === 1;
          });
          assert.equal((JSON.parse(await readFile(file.path, 'utf8')) as Session).turns.length, 1);
          await until(async () => notices.length > 0); // told when all is done
          assert.match(notices.join(), /^beside\.json was .*written again, complete\.$/);
        } finally {
          mock.timers.reset();
          await file.close();
        }
      });
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  while (!(await condition())) {
    assert.ok(performance.now() < end, 'it did not happen within 5 s');
    await wait(50);
  }
}
