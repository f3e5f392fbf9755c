import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';

import type { SessionEvent } from '../../../src/session/events.ts';
import { isKind, type Session, type Turn } from '../../../src/session/schema.ts';
import { SessionStore } from '../../../src/session/store.ts';
import { streamOf, type SessionStream } from '../../../src/session/stream.ts';
import { titleOf } from '../../../src/session/state.ts';
import { anySession, legalEvents, sessionOf } from '../../support/arbitraryRecords.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const AT = '2026-08-17T12:00:00.123+00:00';

/** The session that a stream tells, with its counts checked. */
async function told(stream: SessionStream): Promise<Session> {
  const turns: Turn[] = [];
  for await (const item of stream.items()) {
    if (item.type === 'turn') turns.push({ ...item.turn, parts: [] });
    else assert.equal(turns.at(-1)!.parts.push(item.part), item.number);
  }
  const parts = turns.flatMap((turn) => turn.parts);
  const tally = (names: string[]) => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };
  assert.equal(stream.counts.turns, turns.length);
  assert.deepEqual(stream.counts.parts, tally(parts.map(({ type }) => type)));
  assert.deepEqual(stream.counts.tools, tally(parts.flatMap((part) => (isKind(part, 'tool') ? [part.name] : []))));
  assert.equal(stream.counts.title, titleOf({ turns }));
  return { ...stream.session, turns };
}

describe('session/stream', () => {
  const folder = useTempFolder();
  let store: SessionStore;
  const toldOf = (name: string) => store.stream(name, told);

  beforeEach(() => {
    store = new SessionStore(folder.path, { version: '1.0.0' });
  });

  it('tells what a session in memory holds', () =>
    fc.assert(
      fc.asyncProperty(anySession, async (session) => assert.deepEqual(await told(streamOf(session)), session)),
    ));

  it('goes by the name of the file, whatever its header says (R10)', async () => {
    const file = await store.create({ name: 'notes' });
    await file.close();
    const text = await readFile(file.path, 'utf8');
    const layouts = [text, JSON.stringify(JSON.parse(text), null, 2)];
    for (const [number, layout] of layouts.entries()) {
      await writeFile(join(store.dir, `copy-${number}.json`), layout);
      assert.equal((await toldOf(`copy-${number}`)).session_name, `copy-${number}`);
    }
  });

  it('tells, at any moment beside a live owner, the same as reading does (E4)', async function () {
    this.timeout(60_000);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        legalEvents(),
        fc.array(fc.constantFrom('append', 'checkpoint', 'look')),
        async (events, how) => {
          const name = `any-${number++}`;
          const file = await store.create({ name });
          for (const [position, event] of events.entries()) {
            const appended = file.append(event);
            if (how[position] === 'append') continue;
            await appended;
            if (how[position] === 'checkpoint') await file.flush();
            assert.deepEqual(await toldOf(name), await store.read(name));
          }
          await file.flush();
          assert.deepEqual(await toldOf(name), await store.read(name));
          await file.close();
          assert.deepEqual(await toldOf(name), await store.read(name));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('tells what a program of another layout wrote, and what was appended to that', async () => {
    let number = 0;
    await store.create({ name: 'first' }).then((file) => file.close());
    await fc.assert(
      fc.asyncProperty(anySession, fc.boolean(), async (session, pretty) => {
        const name = `other-${number++}`;
        await writeFile(
          join(store.dir, `${name}.json`),
          JSON.stringify({ ...session, session_name: name }, null, pretty ? 2 : 0),
        );
        assert.deepEqual(await toldOf(name), await store.read(name));
      }),
      { numRuns: 50 },
    );
  });

  const big = 'x'.repeat(100_000);
  const call = (output?: string) => ({
    type: 'tool',
    name: 'file_read',
    input: {},
    timestamp: AT,
    ...(output === undefined ? {} : { output }),
  });
  /** A large turn with a call that is not finished among finished ones. */
  const events: SessionEvent[] = [
    { type: 'turn_started', at: AT, turn: { index: 1, status: 'running', parts: [] } },
    { type: 'part_added', at: AT, part: { type: 'user', text: big, timestamp: AT } },
    ...[big, big, undefined, big].map((output): SessionEvent => ({ type: 'part_added', at: AT, part: call(output) })),
    { type: 'permission', at: AT, entry: { tool: 'file_read', action: 'allow', decision: 'granted', timestamp: AT } },
    { type: 'part_filled', at: AT, part: 3, fill: { output: 'late' } },
    { type: 'part_added', at: AT, part: { type: 'text', text: 'so', timestamp: AT } },
    { type: 'part_extended', at: AT, text: ' far' },
    { type: 'turn_ended', at: AT, status: 'ok', usage: { input_tokens: 1 } },
    {
      type: 'turn_started',
      at: AT,
      turn: { index: 2, status: 'running', parts: [{ type: 'user', text: 'more', timestamp: AT }] },
    },
    { type: 'part_added', at: AT, part: call() },
  ];

  for (const flushed of [false, true])
    it(`says what a large turn's end says at its beginning, ${flushed ? 'from the file' : 'from the journal'}`, async () => {
      const file = await store.create({ name: 'large' });
      for (const event of events) {
        await file.append(event);
        if (flushed) await file.flush();
        assert.deepEqual(await toldOf('large'), await store.read('large'));
        const ended = file.session.turns[0]!;
        const first = await store.stream('large', async (stream) => {
          for await (const item of stream.items()) return item;
          return undefined;
        });
        assert.deepEqual(first, {
          type: 'turn',
          turn: { ...ended, parts: [] },
          tools: ended.parts.filter(({ type }) => type === 'tool').length,
        });
      }
      await file.close();
      assert.deepEqual(await toldOf('large'), file.session);
    });

  it('tells it again and again as it stood at the first moment, whatever its owner does meanwhile', async () => {
    let file = await store.create({ name: 'notes' });
    for (const event of events.slice(0, 6)) await file.append(event);
    const before = structuredClone(file.session);
    await store.stream('notes', async (stream) => {
      assert.deepEqual(await told(stream), before);
      for (const event of events.slice(6)) await file.append(event);
      await file.flush();
      assert.deepEqual(await told(stream), before);
      await file.close();
      assert.deepEqual(await told(stream), before);
    });
    const closed = structuredClone(file.session);
    await store.stream('notes', async (stream) => {
      file = (await store.open('notes')).file;
      await file.append({ type: 'part_filled', at: AT, part: 1, fill: { output: 'changed now' } });
      await file.append({ type: 'turn_ended', at: AT, status: 'ok' });
      await file.flush();
      assert.deepEqual(await told(stream), closed);
      await file.close();
      await rm(join(store.dir, 'notes.json'));
      assert.deepEqual(await told(stream), closed);
    });
  });

  it('notices when another program changes the file that is being read', async () => {
    const file = await store.create({ name: 'notes' });
    for (const event of events.slice(0, 6)) await file.append(event);
    await file.append({ type: 'turn_ended', at: AT, status: 'ok' });
    await file.close();
    const path = join(store.dir, 'notes.json');
    const text = await readFile(path, 'utf8');
    for (const changed of [text.slice(0, 1000), text.replace('"name"', 'broken'), '', JSON.stringify(sessionOf([]))])
      await store.stream('notes', async (stream) => {
        await writeFile(path, changed);
        await assert.rejects(told(stream), {
          name: 'SessionError',
          message: /changed by another program .* Try again/,
        });
        await writeFile(path, text);
      });
  });

  it('changes nothing on disk, and refuses what does not load', async () => {
    const file = await store.create({ name: 'notes' });
    for (const event of events) await file.append(event);
    const names = async () => (await readdir(store.dir, { recursive: true })).sort();
    const before = [await names(), await readFile(file.path, 'utf8')];
    await toldOf('notes');
    assert.deepEqual([await names(), await readFile(file.path, 'utf8')], before);
    await file.close();
    await assert.rejects(toldOf('nobody'), /There is no session "nobody"/);
    await writeFile(join(store.dir, 'old.json'), '{"messages":[]}');
    await assert.rejects(toldOf('old'), { name: 'SessionError', message: /before the turn format/ });
    const text = await readFile(file.path, 'utf8');
    await writeFile(join(store.dir, 'odd.json'), text.replace('"text":"more"', '"text":7'));
    await assert.rejects(toldOf('odd'), { name: 'SessionError', message: /turn 2, part 1: text: .* expected string/ });
  });
});
