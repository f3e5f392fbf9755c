import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';

import type { SessionEvent } from '../../../src/session/events.ts';
import { Journal, journalPath, listJournals, readNewestJournal } from '../../../src/session/journal.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const FRONT = { length: 10, sum: 'ab' };
const END = Buffer.from('],\n"updated_at":"t"}\n');

const event = (code: number): SessionEvent => ({
  type: 'error',
  at: 't',
  entry: { code, message: 'Zeile\n🙂', timestamp: 't' },
});

describe('session/journal', () => {
  const folder = useTempFolder();
  const read = () => readNewestJournal(folder.path, 'a');
  const path = (number: number) => journalPath(folder.path, 'a', number);

  /** A journal of three entries, written in two goes. */
  const three = async (number = 1) => {
    const journal = await Journal.create(folder.path, 'a', number, FRONT, END);
    await journal.append([JSON.stringify(event(1))]);
    await journal.append([JSON.stringify(event(2)), JSON.stringify(event(3))]);
    await journal.close();
    return readFile(path(number));
  };
  const events = async () => (await read()).content?.entries.map(({ event }) => event);

  it('gives back its front, its end and its entries', async () => {
    const lines = linesOf(await three());
    assert.deepEqual(await read(), {
      paths: [path(1)],
      content: {
        path: path(1),
        number: 1,
        front: FRONT,
        end: END,
        entries: [1, 2, 3].map((code) => ({ event: event(code), line: lines[code - 1] })),
        rest: Buffer.alloc(0),
        refused: undefined,
      },
    });
  });

  it('counts what was written after its beginning', async () => {
    const journal = await Journal.create(folder.path, 'a', 1, FRONT, END);
    const before = (await readFile(path(1))).length;
    assert.equal(journal.bytes, 0);
    await journal.append([JSON.stringify(event(1))]);
    assert.equal(journal.bytes, (await readFile(path(1))).length - before);
    await journal.close();
  });

  it('is never made over another one', async () => {
    await three();
    await assert.rejects(Journal.create(folder.path, 'a', 1, FRONT, END), { code: 'EEXIST' });
    assert.equal((await events())?.length, 3);
  });

  it('counts up to the first entry that is not whole, wherever it was cut', async () => {
    const bytes = await three();
    const entries = lineEnds(bytes).slice(-3);
    for (let length = (entries[0] as number) - 1; length <= bytes.length; length++) {
      await writeFile(path(1), bytes.subarray(0, length));
      const whole = entries.filter((end) => end <= length).length;
      assert.deepEqual(await events(), [1, 2, 3].slice(0, whole).map(event), `${length} bytes`);
      const good =
        whole === 0 ? bytes.length - bytes.subarray(baseLength(bytes)).length : (entries[whole - 1] as number);
      const { content } = await read();
      assert.deepEqual([content?.rest, content?.refused], [bytes.subarray(good, length), undefined]);
    }
  });

  it('counts up to the first entry of which a bit is wrong, or that has another number', async () => {
    const bytes = await three();
    const [first = 0, second = 0] = lineEnds(bytes).slice(-3);
    for (let at = first; at < second; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      await writeFile(path(1), damaged);
      assert.deepEqual(await events(), [event(1)], `byte ${at - first} of the second entry`);
    }
    // An entry of its own number, but in another place; and one that is there twice.
    const parts = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)] as const;
    await writeFile(path(1), Buffer.concat([parts[0], parts[2], parts[1]]));
    assert.deepEqual(await events(), [event(1)]);
    await writeFile(path(1), Buffer.concat([parts[0], parts[1], parts[1], parts[2]]));
    assert.deepEqual(await events(), [event(1), event(2)]);
  });

  it('counts for nothing while its beginning is not whole: the one before does', async () => {
    const bytes = await three(7);
    const newer = await Journal.create(folder.path, 'a', 8, { length: 99, sum: 'cd' }, END);
    await newer.close();
    const base = await readFile(path(8));
    for (let length = 0; length < base.length; length++) {
      await writeFile(path(8), base.subarray(0, length));
      assert.equal((await read()).content?.number, 7, `${length} bytes`);
    }
    for (const position of ['99', 'cd"', '"}\n', '],\n'].map((text) => base.indexOf(text))) {
      const damaged = Buffer.from(base);
      damaged[position]! ^= 1;
      await writeFile(path(8), damaged);
      assert.equal((await read()).content?.number, 7, `byte ${position}`);
    }
    await writeFile(path(8), base);
    assert.equal((await read()).content?.number, 8);
    assert.deepEqual((await read()).paths, [path(8), path(7)]);
    assert.deepEqual(await readFile(path(7)), bytes);
  });

  it('is told from those of other sessions, by number and not by text', async () => {
    for (const name of [
      'a.2.jsonl',
      'a.10.jsonl',
      'a.x.jsonl',
      'a.1.jsonl.tmp',
      'b.3.jsonl',
      'a.b.4.jsonl',
      'a.lock.5',
    ])
      await writeFile(`${folder.path}/${name}`, '');
    assert.deepEqual(
      (await listJournals(folder.path, 'a')).map(({ number }) => number),
      [10, 2],
    );
    assert.deepEqual(await listJournals(`${folder.path}/none`, 'a'), []);
  });

  const PART = { type: 'text', text: 'a', timestamp: 't' };
  const deep = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) as unknown;
  for (const [what, value, reason] of [
    ['null', null, /expected object/],
    ['a list', [], /expected object/],
    ['no type', { at: 't' }, /type/],
    ['another type', { type: 'turn_removed', at: 't' }, /type/],
    ['no time', { type: 'part_added', part: PART }, /at/],
    ['a time that is no text', { type: 'part_added', at: 7, part: PART }, /at/],
    ['a part that is null', { type: 'part_added', at: 't', part: null }, /expected object/],
    ['a part without a type', { type: 'part_added', at: 't', part: { text: 'a' } }, /type/],
    ['a part of another shape', { type: 'part_added', at: 't', part: { ...PART, text: null } }, /text/],
    ['a part that is nested too deep', { type: 'part_added', at: 't', part: { type: 'x', deep } }, /nested/],
    ['an end with a key that is nested too deep', { type: 'turn_ended', at: 't', status: 'ok', deep }, /nested/],
    ['text with a key that is nested too deep', { type: 'part_extended', at: 't', text: 'a', deep }, /nested/],
    ['an error with a key beside it that is nested too deep', { ...event(2), deep }, /nested/],
    ['a turn without parts', { type: 'turn_started', at: 't', turn: { index: 1, status: 'running' } }, /parts/],
    [
      'a turn with a part that is null',
      { type: 'turn_started', at: 't', turn: { index: 1, status: 'running', parts: [null] } },
      /expected object/,
    ],
    [
      'a turn of another status',
      { type: 'turn_started', at: 't', turn: { index: 1, status: 'x', parts: [] } },
      /status/,
    ],
    ['an end that is none', { type: 'turn_ended', at: 't', status: 'running' }, /status/],
    ['counts that are texts', { type: 'turn_ended', at: 't', status: 'ok', usage: { input_tokens: '1' } }, /usage/],
    ['text that is none', { type: 'part_extended', at: 't', text: null }, /text/],
    ['a position that is none', { type: 'part_filled', at: 't', part: -1, fill: {} }, /part/],
    ['an output that is none', { type: 'part_filled', at: 't', part: 0, fill: { output: 1 } }, /output/],
    ['a key that does not fill in', { type: 'part_filled', at: 't', part: 0, fill: { type: 'user' } }, /type/],
    ['an error that is null', { type: 'error', at: 't', entry: null }, /expected object/],
    ['a permission that is null', { type: 'permission', at: 't', entry: null }, /expected object/],
    ['a sub-session whose name is none', { type: 'sub_session', at: 't', name: null }, /expected string/],
  ] as const)
    it(`counts up to an entry that is ${what}, whatever its checksum says`, async () => {
      const journal = await Journal.create(folder.path, 'a', 1, FRONT, END);
      await journal.append([event(1), value, event(3)].map((each) => JSON.stringify(each)));
      await journal.close();
      assert.deepEqual(await events(), [event(1)]);
      const { content } = await read();
      assert.deepEqual(content?.rest, Buffer.concat(linesOf(await readFile(path(1))).slice(1)));
      assert.match(content.refused ?? '', reason);
    });

  it('counts for nothing when its beginning is of another shape', async () => {
    await three(7);
    for (const base of [
      'null',
      '[]',
      '1',
      '{"front":null,"end":0,"sum":""}',
      '{"front":{"length":-1,"sum":""},"end":0}',
    ]) {
      await writeFile(path(8), `${base}\n`);
      assert.equal((await read()).content?.number, 7, base);
    }
  });

  it('is given up after a failed write', async () => {
    const journal = await Journal.create(folder.path, 'a', 1, FRONT, END);
    await journal.close();
    await assert.rejects(journal.append(['{}']));
    assert.equal(journal.failed, true);
  });

  it('holds checksums that another program can make too', async () => {
    const lines = (await three()).subarray(-600).toString().split('\n').slice(-4, -1);
    for (const line of lines) {
      const [number = '', sum, ...rest] = line.split(' ');
      const text = `${number} ${rest.join(' ')}`;
      assert.equal(createHash('sha256').update(text).digest('hex').slice(0, 16), sum);
    }
  });
});

/** The three entries, each with its line break. */
function linesOf(bytes: Buffer): Buffer[] {
  const ends = lineEnds(bytes).slice(-4);
  return ends.slice(1).map((end, position) => bytes.subarray(ends[position], end));
}

function lineEnds(bytes: Buffer): number[] {
  return [...bytes.entries()].filter(([, byte]) => byte === 10).map(([position]) => position + 1);
}

function baseLength(bytes: Buffer): number {
  return bytes.indexOf(10) + 1 + END.length;
}
