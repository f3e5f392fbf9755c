import assert from 'node:assert/strict';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

import { toLayout } from '../../../src/session/foreign.ts';
import type { PermissionEntry, Session, TurnStatus } from '../../../src/session/schema.ts';
import { titleOf } from '../../../src/session/state.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { summarize, type Summary } from '../../../src/session/summary.ts';
import { anySession, legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const AT = '2026-08-17T12:00:00.123+00:00';

function expected(session: Session): Summary {
  return {
    created_at: session.created_at,
    updated_at: session.updated_at,
    parent: session.parent_id,
    role: session.role,
    title: titleOf(session),
    turns: session.turns.at(-1)?.index ?? 0,
    status: session.turns.at(-1)?.status,
  };
}

/** As one entry for each call, in a session with many of them. */
function permissions(count: number): PermissionEntry[] {
  const path = '/home/me/shop/src/components/basket/summary.ts';
  return Array.from({ length: count }, () => {
    return {
      tool: 'file_read',
      action: 'allow',
      decision: 'granted',
      path,
      timestamp: AT,
      turn: 1,
      part: 1,
      by: 'default',
    };
  });
}

describe('session/summary', () => {
  const folder = useTempFolder();
  let store: SessionStore;
  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '1.0.0' });
    await mkdir(store.dir, { recursive: true });
  });

  const place = () => ({ dir: store.dir, name: 'notes' });
  const summary = async (journaled: boolean): Promise<Summary> => {
    const { info, summary } = await summarize(place(), journaled);
    if (!journaled) assert.equal(info.size, (await stat(join(store.dir, 'notes.json'))).size);
    return summary;
  };
  const put = (text: string) => writeFile(join(store.dir, 'notes.json'), text);

  it('says of any session what the whole record says, from its ends alone', async () => {
    /** So that what is looked for stands before, in or behind the bytes that are read. */
    const padding = fc.oneof(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 15_000, max: 17_000 }));
    const count = fc.constantFrom(0, 0, 20, 25, 400, 2000);
    await fc.assert(
      fc.asyncProperty(
        anySession,
        padding,
        padding,
        count,
        fc.boolean(),
        async (session, before, after, many, ours) => {
          const padded = {
            ...session,
            permissions: [...session.permissions, ...permissions(many)],
            role: 'r'.repeat(before % 90),
            workspace: 'w'.repeat(before),
            errors: after > 4500 ? [{ code: 0, message: 'e'.repeat(after), timestamp: AT }] : [],
          };
          const text = JSON.stringify(padded);
          await put(ours ? toLayout(text) : text);
          assert.deepEqual(await summary(false), expected(await store.read('notes')));
        },
      ),
      { numRuns: 150 },
    );
  });

  for (const [what, prompt] of Object.entries({
    'a long prompt': 'Long. '.repeat(2000),
    'a long prompt of blanks': `${' '.repeat(5000)}Late.`,
    'a cut character': `${'a'.repeat(30)}${'🙂'.repeat(1500)}`,
    'a cut escape': '"\\\n\u0001'.repeat(900),
  }))
    it(`finds the title in ${what}, wherever it is cut`, async () => {
      for (let shift = 0; shift < 12; shift++) {
        for (const header of [shift, 3700 + shift, 16_100 + shift]) {
          const turns = [
            { index: 1, status: 'ok' as const, parts: [{ type: 'user' as const, text: prompt, timestamp: AT }] },
          ];
          await put(toLayout(JSON.stringify(sessionOf(turns, { workspace: 'w'.repeat(header) }))));
          assert.deepEqual(await summary(false), expected(await store.read('notes')));
        }
      }
    });

  const prompt = (text: string) => ({ type: 'user' as const, text, timestamp: AT });
  const LONG = Array.from({ length: 3000 }, (_, position) => ({
    index: position + 1,
    status: 'ok' as const,
    parts: [prompt(`Question ${position}`), { type: 'text' as const, text: 'Answer. '.repeat(100), timestamp: AT }],
  }));
  const layouts: Record<string, (session: Session) => string> = {
    ours: (session) => toLayout(JSON.stringify(session)),
    'one line': (session) => JSON.stringify(session),
    'one line with a byte order mark': (session) => `\ufeff${JSON.stringify(session)}`,
    pretty: (session) => JSON.stringify(session, null, 2),
    'the turns first': ({ turns, ...session }) => JSON.stringify({ turns, ...session }, null, 1),
  };
  for (const [what, layout] of Object.entries(layouts))
    it(`never reads a long file whole, in whatever layout (${what})`, async () => {
      const more = { role: 'reviewer', parent_id: 'ses', updated_at: '2026-08-18T12:00:00Z' };
      const { turns, ...rest } = sessionOf(LONG, more);
      const session = { ...rest, turns, updated_at: more.updated_at };
      const text = layout(session);
      assert.ok(text.length > 2e6);
      await put(text);
      const said = await summary(false);
      const first = what === 'the turns first';
      assert.deepEqual(
        { ...said, ...(first ? { created_at: rest.created_at } : {}) },
        {
          ...expected(session),
          ...(first ? { role: '', parent: '' } : {}),
          ...(what === 'ours' ? {} : { turns: undefined, status: undefined }),
        },
      );
    });

  for (const [what, more, size] of [
    ['20 permissions', { permissions: permissions(20) }, 0],
    ['5,000 permissions', { permissions: permissions(5000) }, 0],
    ['a last turn of 900 KB', {}, 900_000],
  ] as const)
    it(`finds how the last turn ended behind a long beginning, before ${what}`, async () => {
      const last = { index: 3001, status: 'cancelled' as const, parts: [prompt('x'.repeat(size))] };
      const session = sessionOf([...LONG, last], more);
      await put(toLayout(JSON.stringify(session)));
      assert.deepEqual(await summary(false), expected(session));
    });

  it('looks no further back than a megabyte, and then says less', async () => {
    const session = sessionOf(LONG, { permissions: permissions(20_000) });
    await put(toLayout(JSON.stringify(session)));
    assert.deepEqual(await summary(false), { ...expected(session), turns: undefined, status: undefined });
  });

  for (const [what, wrong] of Object.entries({
    'a status that is an object': { turns: [{ index: 1, status: {} as TurnStatus, parts: [] }] },
    'an index that is a text': { turns: [{ index: 'x' as unknown as number, status: 'ok' as const, parts: [] }] },
    'half an index': { turns: [{ index: 0.5, status: 'ok' as const, parts: [] }] },
    'a time that is a number': { updated_at: 5 as unknown as string },
    'a role that is an object': { role: {} as unknown as string },
    'a parent that is a list': { parent_id: [] as unknown as string },
  }))
    it(`says no more than it knows of a file in our layout with ${what}, and hides no other (R10)`, async () => {
      await (await store.create({ name: 'other' })).close();
      for (const before of [[], LONG]) {
        const { turns = [], ...more } = wrong as Partial<Session>;
        await put(toLayout(JSON.stringify(sessionOf([...before, ...turns], more))));
        const listed = await store.list();
        assert.deepEqual(listed.map(({ name }) => name).sort(), ['notes', 'other']);
        const { title, role, parent, updated_at, turns: last, status } = listed.find(({ name }) => name === 'notes')!;
        for (const said of [title, role, parent, updated_at, status ?? '']) assert.equal(typeof said, 'string');
        assert.ok(last === undefined || Number.isSafeInteger(last));
      }
    });

  it('takes what it cannot find in a long file for not said', async () => {
    const late = [{ index: 1, status: 'ok' as const, parts: [{ type: 'x', data: 'x'.repeat(2e6) }, prompt('Late')] }];
    for (const layout of Object.values(layouts)) {
      await put(layout(sessionOf(late)));
      assert.equal((await summary(false)).title, '');
    }
  });

  it('refuses a long file that begins as no session', async () => {
    for (const [start, reason] of [
      ['[', /not JSON of a session/],
      ['"', /not JSON of a session/],
      ['name,value\n', /not JSON of a session/],
      ['\0', /not JSON of a session/],
      [Buffer.from([0xff, 0xfe, 0x7b, 0]), /not UTF-8/],
    ] as const) {
      await writeFile(
        join(store.dir, 'notes.json'),
        Buffer.concat([Buffer.from(start as string), Buffer.alloc(2e6, 'x')]),
      );
      await assert.rejects(summary(false), (error) => error instanceof SessionError && reason.test(error.message));
    }
  });

  it('says something, or refuses, of any long text', async () => {
    await fc.assert(
      fc.asyncProperty(
        anySession,
        fc.nat(),
        fc.constantFrom('', '[', ']', '{', '}', ',', ':', '"'),
        async (session, where, other) => {
          const text = JSON.stringify(session);
          const at = where % text.length;
          await put(text.slice(0, at) + other + text.slice(at + (where % 3)) + ' '.repeat(1.1e6));
          await summary(false).catch((error: unknown) => assert.ok(error instanceof SessionError, String(error)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lists many long files in little memory', async () => {
    const text = JSON.stringify(sessionOf(LONG), null, 2).padEnd(20e6);
    for (let number = 0; number < 20; number++) await writeFile(join(store.dir, `s${number}.json`), text);
    const before = process.memoryUsage().rss;
    const start = performance.now();
    const listed = await store.list();
    assert.ok(listed.every(({ title, problem }) => title === 'Question 0' && problem === undefined));
    assert.ok(performance.now() - start < 1000, `${performance.now() - start} ms`);
    assert.ok(process.memoryUsage().rss - before < 50e6, `${process.memoryUsage().rss - before} bytes`);
  });

  it('follows any events of a live session', async () => {
    await fc.assert(
      fc.asyncProperty(legalEvents(), fc.array(fc.boolean()), async (events, flushes) => {
        const file = await store.create({ name: 'notes' });
        try {
          for (const [position, event] of events.entries()) {
            const appended = file.append(event);
            if (flushes[position] === true) await file.flush();
            await (event.type === 'part_extended' ? undefined : appended);
          }
          await file.append({ type: 'error', at: AT, entry: { code: 0, message: 'x', timestamp: AT } });
          assert.deepEqual(await summary(true), expected(await store.read('notes')));
          assert.equal((await summary(true)).turns, file.session.turns.length);
        } finally {
          await file.close();
          await rm(store.dir, { recursive: true });
        }
      }),
      { numRuns: 40 },
    );
  });
});
