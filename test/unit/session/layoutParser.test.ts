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

/** In pieces of some bytes, as they come from a disk. Throws {@link NotOurLayout} or SessionError. */
function parse(text: string, piece = 1 << 20): Session {
  const builder = new RecordBuilder('notes');
  const parser = new LayoutParser(builder);
  const splitter = new LineSplitter(parser.take);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) splitter.push(bytes.subarray(at, at + piece));
  splitter.finish();
  parser.finish();
  return builder.session;
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
        assert.deepEqual(parse(text, piece), plain(text));
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

  it('knows every section', () => {
    const text = toLayout(JSON.stringify(sessionOf([])));
    for (const section of SECTIONS) assert.ok(text.includes(`"${section}":[],`));
  });
});
