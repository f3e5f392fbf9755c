import assert from 'node:assert/strict';
import fc from 'fast-check';

import { toLayout } from '../../../src/session/foreign.ts';
import { SECTIONS } from '../../../src/session/layout.ts';
import { LayoutParser, NotOurLayout } from '../../../src/session/layoutParser.ts';
import { LineSplitter } from '../../../src/session/lines.ts';
import { RecordBuilder } from '../../../src/session/record.ts';
import { SessionError } from '../../../src/session/parse.ts';
import type { Session } from '../../../src/session/schema.ts';
import { wellFormed } from '../../../src/session/wellFormed.ts';
import { anySession, sessionOf } from '../../support/arbitraryRecords.ts';

/**
 * In pieces of some bytes, as they come from a disk; whole turns at once and line by line must be the same. Throws
 * {@link NotOurLayout} or SessionError.
 */
function parse(text: string, piece = 1 << 20): Session {
  const [lines, turns] = [outcome(text, piece, false), outcome(text, piece, true)];
  assert.deepEqual(turns, lines);
  if ('refusal' in turns) throw turns.refusal;
  return turns.session;
}

function outcome(text: string, piece: number, blocks: boolean) {
  const builder = new RecordBuilder('notes');
  const parser = new LayoutParser(builder);
  const splitter = new LineSplitter(parser.take, blocks ? parser.takeTurns : undefined);
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += piece) splitter.push(bytes.subarray(at, at + piece));
    splitter.finish();
    parser.finish();
  } catch (error) {
    return { refusal: error as Error };
  }
  const { tail, front } = builder.ending();
  return { session: builder.session, front, end: tail.render().bytes.toString() };
}

/** What JSON says it is, under the name of its file and with what an absent key stands for. */
function plain(text: string): unknown {
  const session = wellFormed(JSON.parse(text)) as Partial<Session>;
  const absent = { version: '', role: '', parent_id: '', errors: [], permissions: [], sub_sessions: [] };
  return { ...absent, created_at: '', ...session, session_name: 'notes' };
}

/** Any JSON text of the value: any blanks between its pieces, its keys in any order. */
function anyText(value: unknown, pick: (most: number) => number): string {
  const space = () => ['', '', ' ', '\n', '\r\n\t', '  \n '][pick(6)] as string;
  const list = (items: string[], open: string, close: string) =>
    `${space()}${open}${space()}${items.join(`${space()},${space()}`)}${space()}${close}${space()}`;
  if (Array.isArray(value))
    return list(
      value.map((item) => anyText(item, pick)),
      '[',
      ']',
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value as Record<string, unknown>).map(([key, item]) => ({
    key,
    item,
    order: pick(1000),
  }));
  entries.sort((a, b) => a.order - b.order);
  const members = entries.map(({ key, item }) => `${JSON.stringify(key)}${space()}:${space()}${anyText(item, pick)}`);
  return list(members, '{', '}');
}

const withUnknown = fc
  .tuple(anySession, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }))
  .map(([session, more]): Session => ({
    ...(more as object),
    ...session,
    errors: [{ code: 1, message: ']},\n"', timestamp: 't' }],
    sub_sessions: ['a', '],', '"updated_at":'],
  }));

describe('session/layoutParser', () => {
  it('reads any session, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(withUnknown, fc.integer({ min: 1, max: 40 }), (session, piece) => {
        const text = toLayout(JSON.stringify(session));
        for (const size of [piece, 50 * piece, 1 << 20]) assert.deepEqual(parse(text, size), plain(text));
      }),
    );
  });

  it('reads any JSON text of a session, brought to the layout (R2)', () => {
    fc.assert(
      fc.property(withUnknown, fc.infiniteStream(fc.nat()), (session, choices) => {
        const foreign = anyText(session, (most) => (choices.next().value as number) % most);
        const text = toLayout(foreign);
        assert.deepEqual(JSON.parse(text), JSON.parse(foreign));
        assert.deepEqual(parse(text), plain(foreign));
      }),
    );
  });

  it('takes nothing for the layout but JSON, and then for what it says, however it was changed', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        withUnknown,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('drop', 'double', 'swap', 'join', 'byte'),
        (session, a, b, how) => {
          const lines = toLayout(JSON.stringify(session)).split('\n');
          const [first, second] = [a % lines.length, b % lines.length];
          if (how === 'drop') lines.splice(first, 1);
          if (how === 'double') lines.splice(second, 0, lines[first]!);
          if (how === 'swap') [lines[first], lines[second]] = [lines[second]!, lines[first]!];
          if (how === 'join') lines.splice(first, 2, lines.slice(first, first + 2).join(''));
          let text = lines.join('\n');
          if (how === 'byte')
            text = text.slice(0, a % text.length) + ',]}["1'[b % 6]! + text.slice((a % text.length) + 1);
          let read: Session;
          try {
            read = parse(text);
          } catch (error) {
            assert.ok(error instanceof NotOurLayout || error instanceof SessionError, String(error));
            return;
          }
          taken++;
          assert.deepEqual(read, plain(text));
        },
      ),
      { numRuns: 1500 },
    );
    assert.ok(taken > 50, `${taken} were taken`);
  });

  for (const [what, change] of Object.entries<(text: string) => string>({
    'a section twice': (text) => text.replace('"permissions":[],', '"errors":[],\n"permissions":[],'),
    'the sections in another order': (text) =>
      text.replace('"errors":[],\n"permissions":[],', '"permissions":[],\n"errors":[],'),
    'a list of turns before the turns': (text) => text.replace('"turns":[', '"turns":[],\n"turns":['),
    'parts behind the parts': (text) => text.replace('"status":', '"parts":[],"status":'),
    'an end before the end': (text) => text.replace('"turns":[', '"updated_at":"x",\n"turns":['),
    'several keys in the last line': (text) => text.replace(/}\n$/, ',"role":"x"}\n'),
  }))
    it(`leaves ${what} to who reads any JSON`, () => {
      const turns = [
        { index: 1, status: 'ok' as const, parts: [{ type: 'user' as const, text: 'x', timestamp: 't' }] },
      ];
      const text = toLayout(JSON.stringify(sessionOf(turns)));
      assert.doesNotThrow(() => parse(text));
      const changed = change(text);
      assert.notEqual(changed, text);
      assert.doesNotThrow(() => JSON.parse(changed));
      assert.throws(() => parse(changed), NotOurLayout);
    });

  it('takes whole turns at once, but for those that it needs as text', () => {
    let lines = 0;
    class Counting extends RecordBuilder {
      override part(...part: Parameters<RecordBuilder['part']>): void {
        lines++;
        super.part(...part);
      }
    }
    const part = { type: 'text' as const, text: '🙂 ],"\n'.repeat(100), timestamp: 't' };
    const turns = Array.from({ length: 3000 }, (_, position) => ({
      index: position + 1,
      status: position === 2999 ? ('running' as const) : ('ok' as const),
      parts: [part, part],
    }));
    const text = toLayout(JSON.stringify(sessionOf(turns)));
    const builder = new Counting('notes');
    const parser = new LayoutParser(builder);
    const splitter = new LineSplitter(parser.take, parser.takeTurns);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1 << 20) splitter.push(bytes.subarray(at, at + (1 << 20)));
    splitter.finish();
    parser.finish();
    assert.deepEqual(builder.session.turns, turns);
    // Where two pieces meet, and the last piece.
    assert.ok(lines < 3000, `${lines} of 6000 parts were read one by one`);
  });

  it('knows every section', () => {
    const text = toLayout(JSON.stringify(sessionOf([])));
    for (const section of SECTIONS) assert.ok(text.includes(`"${section}":[],`));
  });
});
