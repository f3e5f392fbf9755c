import assert from 'node:assert/strict';
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SessionFile } from '../../../src/session/file.ts';
import type { Part } from '../../../src/session/schema.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

/** A file as another program of this format writes it: two turns, with keys and part types that we do not know. */
const NOTES = {
  created_at: '2026-08-17T12:00:00+00:00',
  errors: [{ code: 401, message: 'Unauthorized', timestamp: '2026-08-17T12:00:09+00:00', attempt: 1 }],
  parent_id: '',
  permissions: [
    {
      tool: 'file_write',
      action: 'deny',
      decision: 'denied',
      path: '/p/a.md',
      timestamp: '2026-08-17T12:00:04+00:00',
      reviewer: 'me',
    },
  ],
  role: '',
  session_id: '',
  session_name: 'notes',
  sub_sessions: ['sub_20260817_120100_cd34ef'],
  tags: ['x', { deep: null }],
  turns: [
    {
      index: 1,
      started_at: '2026-08-17T12:00:00+00:00',
      ended_at: '2026-08-17T12:00:05+00:00',
      status: 'ok',
      model: 'llama3.2',
      provider: 'ollama',
      mode: 'build',
      reasoning: 'high',
      cost: 0.25,
      parts: [
        { type: 'user', text: 'How far is the moon?', timestamp: '2026-08-17T12:00:00+00:00' },
        { type: 'thinking', text: 'An easy one.', timestamp: '2026-08-17T12:00:01+00:00', signature: 'abc' },
        { type: 'image', data: 'iVBORw0KGgo=', size: [1, 2], timestamp: '2026-08-17T12:00:02+00:00' },
        {
          type: 'tool',
          name: 'web_search',
          input: { query: 'moon distance', ['__proto__']: 'just a key' },
          output: '384,400 km',
          is_error: false,
          analysis: 'A mean distance.',
          timestamp: '2026-08-17T12:00:03+00:00',
        },
        { type: 'text', text: 'About 384,400 km. 🌕', timestamp: '2026-08-17T12:00:05+00:00' },
        { type: 'system', text: 'Later.', kind: 'from a newer version', timestamp: '2026-08-17T12:00:05+00:00' },
      ],
    },
    // As short as the format allows.
    {
      index: 2,
      status: 'ok',
      parts: [{ type: 'command', text: '/compact', summary: 'The moon.', compact_from: 2, timestamp: '...' }],
    },
  ],
  updated_at: '2026-08-17T12:00:09+00:00',
  version: '0.35.0',
};

/** The same file in the forms that JSON leaves open; each must load as NOTES. */
const FORMS: Record<string, string | Buffer> = {
  compact: JSON.stringify(NOTES),
  pretty: JSON.stringify(NOTES, null, 2),
  'with tabs and CRLF': JSON.stringify(NOTES, null, '\t').replaceAll('\n', '\r\n'),
  'with a byte order mark': `\uFEFF${JSON.stringify(NOTES)}`,
  'with its keys in another order': JSON.stringify(reversed(NOTES)),
  'with escapes for all that is not ASCII': JSON.stringify(NOTES).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
};

/** Files that do not load, with a word of the reason (R10, A11). */
const FOREIGN: Record<string, { content: string | Buffer; reason: RegExp }> = {
  'flat messages': { content: '{"messages":[{"role":"user","content":"hi"}]}', reason: /before the turn format/ },
  'no session_name': {
    content: JSON.stringify({ ...NOTES, session_name: undefined, session_id: undefined }),
    reason: /session_name/,
  },
  'a first half': { content: JSON.stringify(NOTES).slice(0, 700), reason: /not JSON/ },
  'an end of its own after the end': { content: `${JSON.stringify(NOTES)}{}`, reason: /not JSON/ },
  empty: { content: '', reason: /not JSON/ },
  NULs: { content: Buffer.alloc(4096), reason: /not JSON/ },
  'not UTF-8': {
    content: Buffer.from(JSON.stringify(NOTES).replace('moon', 'm\u00f6\u00f6n'), 'latin1'),
    reason: /not UTF-8/,
  },
  'UTF-16': { content: Buffer.from(`\uFEFF${JSON.stringify(NOTES)}`, 'utf16le'), reason: /not UTF-8/ },
  'an array': { content: '[]', reason: /no session object/ },
  null: { content: 'null', reason: /no session object/ },
  'a turn without parts': {
    content: JSON.stringify({ ...NOTES, turns: [{ index: 1, status: 'ok' }] }),
    reason: /turns\.0\.parts/,
  },
  'a status of its own': {
    content: JSON.stringify({ ...NOTES, turns: [{ index: 1, status: 'done', parts: [] }] }),
    reason: /turns\.0\.status/,
  },
  'a part without a type': {
    content: JSON.stringify({ ...NOTES, turns: [{ index: 1, status: 'ok', parts: [{}] }] }),
    reason: /turns\.0\.parts\.0/,
  },
  'turns that are no list': { content: JSON.stringify({ ...NOTES, turns: {} }), reason: /turns/ },
};

describe('session/parse', () => {
  const folder = useTempFolder();
  let store: SessionStore;

  beforeEach(async () => {
    store = new SessionStore(folder.path, { version: '9.9.9' });
    await mkdir(store.dir, { recursive: true });
  });

  const put = (name: string, content: string | Buffer) => writeFile(join(store.dir, `${name}.json`), content);
  const onDisk = async (name: string) =>
    JSON.parse(await readFile(join(store.dir, `${name}.json`), 'utf8')) as Record<string, unknown>;

  for (const [form, content] of Object.entries(FORMS)) {
    it(`loads and continues a file of the format ${form}, and keeps all that it had (R2)`, async () => {
      await put('notes', content);
      assert.deepEqual(await store.read('notes'), NOTES);

      const { file } = await store.open('notes');
      await addTurn(file, 3, { type: 'user', text: 'And the sun?', timestamp: AT });
      assert.deepEqual(await store.read('notes'), file.session);
      await file.close();
      const { turns, updated_at, ...rest } = await onDisk('notes');
      const { turns: old, updated_at: _, ...header } = NOTES;
      assert.deepEqual(rest, header);
      assert.deepEqual((turns as unknown[]).slice(0, 2), old);
      assert.equal((turns as unknown[]).length, 3);
      assert.equal(updated_at, AT);
    });
  }

  it('leaves absent keys absent when it continues a file (R2)', async () => {
    const {
      version: _1,
      role: _2,
      parent_id: _3,
      errors: _4,
      permissions: _5,
      sub_sessions: _6,
      updated_at: _7,
      ...old
    } = NOTES;
    await put('notes', JSON.stringify(old));
    const session = await store.read('notes');
    assert.deepEqual([session.version, session.role, session.errors], ['', '', []]);
    const { file } = await store.open('notes');
    await addTurn(file, 3, { type: 'user', text: 'hi', timestamp: AT });
    await file.flush();
    assert.deepEqual(Object.keys(await onDisk('notes')).sort(), [...Object.keys(old), 'updated_at'].sort());
    await file.append({ type: 'error', at: AT, entry: { code: 500, message: 'Busy.', timestamp: AT } });
    await file.close();
    assert.deepEqual((await onDisk('notes'))['errors'], [{ code: 500, message: 'Busy.', timestamp: AT }]);
    assert.deepEqual((await store.read('notes')).turns[1], NOTES.turns[1]);
  });

  it('loads a session under the name of its file, whatever its header says (R10)', async () => {
    await put('moved', JSON.stringify(NOTES));
    assert.equal((await store.read('moved')).session_name, 'moved');
  });

  it('loads what a lost or doubled record leaves, with all of it (A11)', async () => {
    const [first, second] = NOTES.turns;
    for (const turns of [[second], [first, first, second], []]) {
      await put('notes', JSON.stringify({ ...NOTES, turns }));
      assert.deepEqual((await store.read('notes')).turns, turns);
      const { file } = await store.open('notes');
      await addTurn(file, (turns.at(-1)?.index ?? 0) + 1, { type: 'user', text: 'hi', timestamp: AT });
      await file.close();
      assert.deepEqual(((await onDisk('notes'))['turns'] as unknown[]).slice(0, turns.length), turns);
    }
  });

  it('loads a log that holds half of a character, cleaned (A07)', async () => {
    const text = JSON.stringify(NOTES)
      .replace('An easy one.', 'half \\ud83d, whole \\ud83d\\ude00, escaped \\\\ud83d')
      .replace('"reviewer"', '"\\udc00"');
    await put('notes', text);
    const session = await store.read('notes');
    assert.equal(session.turns[0]!.parts[1]!['text'], 'half \ufffd, whole 😀, escaped \\ud83d');
    assert.equal(session.permissions[0]!['\ufffd'], 'me');
  });

  for (const [what, { content, reason }] of Object.entries(FOREIGN))
    it(`does not load ${what}: says why, leaves it, and still lists it beside the others (R10)`, async () => {
      await put('foreign', content);
      await put('notes', FORMS['compact']!);
      await assert.rejects(store.read('foreign'), refusal(reason));
      await assert.rejects(store.open('foreign'), refusal(reason));
      const listed = await store.list();
      assert.deepEqual(listed.map(({ name }) => name).sort(), ['foreign', 'notes']);
      assert.match(listed.find(({ name }) => name === 'foreign')!.problem!, reason);
      assert.equal(listed.find(({ name }) => name === 'notes')!.problem, undefined);
      assert.deepEqual(await readFile(join(store.dir, 'foreign.json')), Buffer.from(content));
      assert.deepEqual((await readdir(store.dir)).sort(), ['foreign.json', 'notes.json']);
    });

  it('does not load a directory, a link or a file above 500 MB, and lists each with its reason (R10, A09)', async () => {
    const outside = join(folder.path, 'outside.json');
    await writeFile(outside, JSON.stringify(NOTES));
    await put('notes', JSON.stringify(NOTES));
    await mkdir(join(store.dir, 'folder.json'));
    await symlink(outside, join(store.dir, 'link.json'));
    await symlink(join(store.dir, 'nowhere'), join(store.dir, 'dangling.json'));
    const huge = await open(join(store.dir, 'huge.json'), 'w');
    await huge.truncate(501 * 1024 * 1024);
    await huge.close();

    const problems = Object.fromEntries((await store.list()).map(({ name, problem }) => [name, problem]));
    assert.deepEqual(Object.keys(problems).sort(), ['dangling', 'folder', 'huge', 'link', 'notes']);
    assert.equal(problems['notes'], undefined);
    for (const name of ['folder', 'link', 'dangling']) assert.match(problems[name]!, /not a regular file/, name);
    assert.match(problems['huge']!, /500 MB/);
    for (const name of ['dangling', 'folder', 'huge', 'link']) await assert.rejects(store.open(name), SessionError);
    assert.equal(await readFile(outside, 'utf8'), JSON.stringify(NOTES));
  });
});

const AT = '2026-08-18T08:00:00.000+00:00';

async function addTurn(file: SessionFile, index: number, part: Part): Promise<void> {
  await Promise.all([
    file.append({ type: 'turn_started', at: AT, turn: { index, status: 'running', parts: [] } }),
    file.append({ type: 'part_added', at: AT, part }),
    file.append({ type: 'turn_ended', at: AT, status: 'ok' }),
  ]);
}

/** A message for a person: says the reason, that nothing was changed, and holds nothing that a terminal would act on. */
function refusal(reason: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof SessionError, String(error));
    assert.match(error.message, reason);
    assert.match(error.message, /left as it is/);
    assert.doesNotMatch(error.message, /[\p{Cc}\p{Cf}]/u);
    return true;
  };
}

/** The same value with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}
