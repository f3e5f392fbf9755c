import assert from 'node:assert/strict';
import fsp, { mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { setAside } from '../../../src/session/aside.ts';
import { toLayout } from '../../../src/session/foreign.ts';
import type { Session, Turn } from '../../../src/session/schema.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { sessionOf } from '../../support/arbitraryRecords.ts';
import { refuseCalls } from '../../support/refusedCall.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const SES = 'ses_20260817_120000_ab12cd';
const SUB = 'sub_20260817_120100_cd34ef';

describe('session/store', () => {
  const folder = useTempFolder();
  let store: SessionStore;

  beforeEach(() => {
    store = new SessionStore(folder.path, { version: '1.2.3' });
  });

  const put = async (name: string, more: Partial<Session> = {}) => {
    await mkdir(store.dir, { recursive: true });
    await writeFile(join(store.dir, `${name}.json`), JSON.stringify(sessionOf([], { session_name: name, ...more })));
  };
  const files = async () => (await readdir(store.dir)).filter((file) => file !== '.journal').sort();

  describe('list', () => {
    it('is empty where there is no folder, and makes none', async () => {
      assert.deepEqual(await store.list(), []);
      assert.deepEqual(await readdir(folder.path), []);
    });

    it('is newest first by the instant, in whatever form it is written', async () => {
      await put('third', { updated_at: '2026-08-17T12:00:00+00:00' });
      await put('first', { updated_at: '2026-08-17T12:00:01Z' });
      await put('second', { updated_at: '2026-08-17T12:00:00.123+00:00' });
      await put('fourth', { updated_at: '2026-08-17T13:59:59+02:00' });
      await put('last', { updated_at: 'some day' });
      assert.deepEqual(await names(), ['first', 'second', 'third', 'fourth', 'last']);
    });

    it('has one order for sessions of the same instant (C09)', async () => {
      for (const name of ['b', 'c', 'a']) await put(name);
      const order = await names();
      assert.deepEqual(order, await names());
      assert.deepEqual([...order].sort(), ['a', 'b', 'c']);
    });

    it('says of each session what a list shows', async () => {
      const turns: Turn[] = [
        { index: 1, status: 'ok', parts: [{ type: 'command', text: '/mode plan', timestamp: 't' }] },
        { index: 2, status: 'cancelled', parts: [{ type: 'user', text: 'Look\n  around', timestamp: 't' }] },
      ];
      await put(SES, { turns, role: 'reviewer' });
      await put(SUB, { parent_id: SES, updated_at: '2026-08-17T11:00:00+00:00' });
      const times = { created_at: '2026-08-17T12:00:00+00:00', updated_at: '2026-08-17T12:00:00+00:00' };
      assert.deepEqual(await store.list(), [
        {
          name: SES,
          kind: 'ses',
          id: 'ab12cd',
          title: 'Look around',
          ...times,
          parent: '',
          role: 'reviewer',
          last_turn: 2,
          status: 'cancelled',
        },
        {
          name: SUB,
          kind: 'sub',
          id: 'cd34ef',
          title: '',
          ...times,
          updated_at: '2026-08-17T11:00:00+00:00',
          parent: SES,
          role: '',
          last_turn: 0,
          status: undefined,
        },
      ]);
    });

    it('follows a session that changes', async () => {
      const file = await store.create({ name: 'notes' });
      assert.equal((await store.list())[0]!.last_turn, 0);
      await file.append({ type: 'turn_started', at: 't', turn: { index: 1, status: 'running', parts: [] } });
      assert.deepEqual(
        (await store.list()).map(({ last_turn, status }) => ({ last_turn, status })),
        [{ last_turn: 1, status: 'running' }],
      );
    });

    it('says of each file what is in it now, however often it was listed', async () => {
      const path = join(store.dir, 'notes.json');
      const long = new Date(Date.now() - 60_000);
      const roles = async () => (await store.list()).map(({ role, problem }) => problem ?? role);
      await put('notes', { role: 'a' });
      for (let again = 0; again < 2; again++) assert.deepEqual(await roles(), ['a']);
      await put('notes', { role: 'b' });
      assert.deepEqual(await roles(), ['b']);
      for (const when of [new Date(), long]) {
        await writeFile(path, 'broken');
        await utimes(path, when, when);
        for (let again = 0; again < 2; again++) assert.match((await roles()).join(), /not JSON/);
        await put('notes', { role: 'c' });
        assert.deepEqual(await roles(), ['c']);
      }
      await rm(path);
      assert.deepEqual(await store.list(), []);
    });

    it('says who works in a session, and of a turn that nobody runs only that it did not end (R9)', async () => {
      const made = await store.create({ name: 'busy' });
      const at = '2026-08-17T12:00:00.000+00:00';
      await made.append({ type: 'turn_started', at, turn: { index: 1, status: 'running', parts: [] } });
      const busy = async () => (await store.list()).find(({ name }) => name === 'busy');
      assert.match((await busy())?.held_by ?? '', /^.+ \(process \d+ on /);
      await made.close();
      assert.deepEqual([(await busy())?.status, (await busy())?.held_by], ['running', undefined]);
    });

    it('refuses to say what may be out of date, when the journals cannot be listed', async () => {
      await store.create({ name: 'notes' });
      const allow = refuseCalls('readdir', 'EMFILE', (path) => path.endsWith('.journal'));
      try {
        await assert.rejects(
          store.list(),
          (error) => error instanceof SessionError && /too many files are open/.test(error.message),
        );
      } finally {
        allow();
      }
      assert.deepEqual(await names(), ['notes']);
    });

    it('says what is there of a session that is closed while it is listed', async () => {
      const file = await store.create({ name: 'notes' });
      await file.append({ type: 'turn_started', at: 't', turn: { index: 1, status: 'running', parts: [] } });
      const { open } = fsp;
      const opening = mock.method(fsp, 'open', async (...given: Parameters<typeof open>) => {
        if (String(given[0]).endsWith('.jsonl')) await file.close();
        return open(...given);
      });
      syncBuiltinESMExports();
      try {
        assert.deepEqual(
          (await store.list()).map(({ last_turn, problem }) => problem ?? last_turn),
          [1],
        );
      } finally {
        opening.mock.restore();
        syncBuiltinESMExports();
      }
    });

    it('reads one long journal at a time: they are held in memory (R10)', async () => {
      const path = (name: string) => join(store.dir, '.journal', `${name}.1.jsonl`);
      const base = '{"journal":1,"front":{"length":1,"sum":""},"end":1,"sum":""}\n';
      const withFile = ['a', 'b', 'c'];
      for (const name of withFile) await (await store.create({ name })).close();
      for (const name of [...withFile, 'd', 'e']) {
        await writeFile(path(name), base);
        await truncate(path(name), 20 * 2 ** 20);
      }
      const { open } = fsp;
      const counts = { now: 0, most: 0, all: 0 };
      const opening = mock.method(fsp, 'open', async (...given: Parameters<typeof open>) => {
        const handle = await open(...given);
        if (!String(given[0]).endsWith('.jsonl')) return handle;
        counts.all++;
        counts.most = Math.max(counts.most, ++counts.now);
        const close = handle.close.bind(handle);
        handle.close = () => close().finally(() => counts.now--);
        return handle;
      });
      syncBuiltinESMExports();
      try {
        assert.deepEqual((await names()).sort(), withFile);
      } finally {
        opening.mock.restore();
        syncBuiltinESMExports();
      }
      assert.deepEqual([counts.most, counts.all >= 5], [1, true]);
    });

    it('tells what the system refuses in a sentence, and only as long as it does', async () => {
      await put('notes');
      const long = new Date(Date.now() - 60_000);
      await utimes(join(store.dir, 'notes.json'), long, long);
      const allow = refuseCalls('open', 'EMFILE', (path) => path.endsWith('notes.json'));
      try {
        assert.match((await store.list())[0]?.problem ?? '', /^notes\.json cannot be read: .*\.$/);
      } finally {
        allow();
      }
      assert.equal((await store.list())[0]?.problem, undefined);
    });

    it('leaves out what is no session file', async () => {
      await put('notes');
      for (const other of ['notes.json.tmp', 'readme.txt', '.json', 'notes.json~'])
        await writeFile(join(store.dir, other), '');
      assert.deepEqual(await names(), ['notes']);
    });

    for (const file of ['._notes.json', '..json', '...json', 'a\\b.json'])
      it(`lists ${file}, which no session can be named, with the reason, and every other (R10)`, async function () {
        if (process.platform === 'win32') this.skip();
        await put('notes');
        await put(SES);
        await writeFile(join(store.dir, file), JSON.stringify(sessionOf([])));
        const listed = await store.list();
        assert.deepEqual(
          listed
            .filter(({ problem }) => problem === undefined)
            .map(({ name }) => name)
            .sort(),
          ['notes', SES],
        );
        const odd = listed.find(({ problem }) => problem !== undefined);
        assert.ok(odd !== undefined);
        assert.equal(odd.name, file.slice(0, -'.json'.length));
        assert.match(odd.problem ?? '', /^The session name .* (begins with a dot|holds a path separator)\. Use /);
        for (const selector of ['notes', SES, '#ab12cd']) await store.read(await store.resolve(selector));
        await assert.rejects(store.read(odd.name), SessionError);
        assert.deepEqual(await store.list(), listed);
      });

    it('removes nothing, however old (A17)', async () => {
      await put('old');
      await put('future');
      await utimes(join(store.dir, 'old.json'), new Date('1980-01-01'), new Date('1980-01-01'));
      await utimes(join(store.dir, 'future.json'), new Date('2090-01-01'), new Date('2090-01-01'));
      const before = await Promise.all((await files()).map((file) => readFile(join(store.dir, file), 'utf8')));
      await store.list();
      await store.create();
      const after = await Promise.all(
        ['future.json', 'old.json'].map((file) => readFile(join(store.dir, file), 'utf8')),
      );
      assert.deepEqual(after, before);
    });

    const names = async () => (await store.list()).map(({ name }) => name);
  });

  describe('resolve', () => {
    beforeEach(async () => {
      for (const name of [
        SES,
        SUB,
        'notes',
        'notes_ef56gh',
        'ses_20260817_120000_same12',
        'job_20260817_120000_same12',
      ])
        await put(name);
    });

    for (const [selector, name] of Object.entries({
      '#ab12cd': SES,
      '#cd34ef': SUB,
      'session:notes': 'notes',
      notes: 'notes',
      [SES]: SES,
      [`session:${SUB}`]: SUB,
    }))
      it(`takes ${selector}`, async () => assert.equal(await store.resolve(selector), name));

    for (const [selector, reason] of [
      ['#zzzzzz', /no session #zzzzzz/],
      ['#ef56gh', /no session #ef56gh/],
      ['#', /no session #/],
      ['#same12', /2 sessions: .*Use the whole name/],
      ['none', /no session "none"/],
      ['session:none', /no session "none"/],
      ['Notes', /Did you mean "notes"/],
      ['session:', /empty/],
      ['', /empty/],
      ['../../canary', /separator/],
      ['session:../notes', /separator/],
      ['/etc/passwd', /separator/],
      ['notes\0', /control/],
    ] as const)
      it(`refuses ${JSON.stringify(selector)}`, async () => {
        await assert.rejects(
          store.resolve(selector),
          (error) => error instanceof SessionError && reason.test(error.message),
        );
      });
  });

  describe('read and open', () => {
    for (const layout of [(text: string) => text, toLayout])
      it(`change nothing on the disk, but for who opens it to write (${layout === toLayout ? 'ours' : 'another layout'})`, async () => {
        await put('notes', { turns: [{ index: 1, status: 'running', parts: [] }] });
        const path = join(store.dir, 'notes.json');
        await writeFile(path, layout(await readFile(path, 'utf8')));
        const before = await readFile(path, 'utf8');
        const read = await store.read('notes');
        await store.list();
        assert.equal(await store.holder('notes'), undefined);
        assert.deepEqual(await readdir(store.dir), ['notes.json']);
        assert.equal(await readFile(path, 'utf8'), before);

        const { file, notices } = await store.open('notes');
        assert.deepEqual(notices, []);
        assert.deepEqual(file.session, read);
        await file.close();
        assert.equal(await readFile(path, 'utf8'), toLayout(before));
        assert.deepEqual(await files(), ['notes.json']);
      });

    for (const [what, layout] of [
      ['another layout', (text: string) => text],
      // As ours, but for where the keys of the running turn stand.
      [
        'lines',
        (text: string) =>
          toLayout(text).replace(
            /^(\{.*)"parts":\[\n\],(.*)\}$/m,
            (_, head, foot) => `${head}${foot},"parts":[\n],"x":1}`,
          ),
      ],
    ] as const)
      it(`ends a turn that runs and has an end already, with each key once (${what})`, async () => {
        const turn: Turn = {
          index: 1,
          status: 'running',
          ended_at: 'old',
          usage: { input_tokens: 1 },
          model: 'm',
          parts: [],
        };
        await put('notes', { turns: [turn] });
        const path = join(store.dir, 'notes.json');
        await writeFile(path, layout(await readFile(path, 'utf8')));
        const { file } = await store.open('notes');
        await file.append({ type: 'turn_ended', at: 't', status: 'cancelled', usage: { input_tokens: 2 } });
        await file.close();
        const text = await readFile(path, 'utf8');
        for (const key of ['ended_at', 'usage', 'status']) assert.equal(text.split(`"${key}":`).length, 2, key);
        assert.deepEqual(JSON.parse(text), file.session);
        assert.deepEqual(await store.read('notes'), file.session);
      });

    for (const name of ['../canary', '..\\canary', '/etc/hostname', 'a/../../canary', 'notes\0', 'none', ''])
      it(`refuse ${JSON.stringify(name)}`, async () => {
        await put('notes');
        await writeFile(join(folder.path, '.polyglav', 'canary.json'), JSON.stringify(sessionOf([])));
        await assert.rejects(store.read(name), SessionError);
        await assert.rejects(store.open(name), SessionError);
      });
  });

  it('reads a session whose last turn has the last number, and does not continue it', async () => {
    await put('notes', { turns: [{ index: Number.MAX_SAFE_INTEGER, status: 'ok', parts: [] }] });
    const path = join(store.dir, 'notes.json');
    const before = await readFile(path, 'utf8');
    assert.equal((await store.read('notes')).turns.length, 1);
    await assert.rejects(
      store.open('notes'),
      (error) =>
        error instanceof SessionError && /cannot be continued.*9007199254740991.*can be read/.test(error.message),
    );
    assert.equal(await readFile(path, 'utf8'), before);
    assert.deepEqual(await readdir(store.dir), ['notes.json']);

    await put('last', { turns: [{ index: Number.MAX_SAFE_INTEGER - 1, status: 'ok', parts: [] }] });
    const { file } = await store.open('last');
    const start = (index: number) =>
      file.append({ type: 'turn_started', at: 't', turn: { index, status: 'running', parts: [] } });
    await start(Number.MAX_SAFE_INTEGER);
    await file.append({ type: 'turn_ended', at: 't', status: 'ok' });
    assert.throws(() => start(Number.MAX_SAFE_INTEGER + 1), /no number can follow/);
    await file.close();
    assert.equal((await store.read('last')).turns.length, 2);
  });

  for (const link of [
    '.polyglav',
    '.polyglav/sessions',
    '.polyglav/sessions/.journal',
    '.polyglav/sessions/.journal/aside',
  ])
    it(`does not follow a link in place of ${link}, to read or to write (R10)`, async () => {
      const path = join(folder.path, link);
      await (await store.create({ name: 'theirs' })).close();
      await mkdir(join(store.dir, '.journal', 'aside'));
      const elsewhere = join(folder.path, 'elsewhere');
      await rename(path, elsewhere);
      await symlink(elsewhere, path);
      const before = await readdir(elsewhere, { recursive: true });
      for (const use of [
        () => store.list(),
        () => store.names(),
        () => store.resolve('theirs'),
        () => store.holder('theirs'),
        () => store.create(),
        () => store.read('theirs'),
        () => store.stream('theirs', async () => undefined),
        () => store.open('theirs'),
        () => store.delete('theirs'),
        () => setAside({ dir: store.dir, name: 'theirs' }, join(store.dir, 'theirs.json'), 'theirs.json'),
      ])
        await assert.rejects(use, {
          name: 'SessionError',
          message: `${path} is a link. Sessions are kept in the workspace itself: remove the link, or move the folder here.`,
        });
      assert.deepEqual(await readdir(elsewhere, { recursive: true }), before);
    });

  it('mends a .gitignore that a full disk left empty (R15)', async () => {
    await store.create();
    const path = join(folder.path, '.polyglav', '.gitignore');
    await writeFile(path, '');
    await store.create();
    assert.match(await readFile(path, 'utf8'), /^\*\n/);
  });

  describe('create', () => {
    it('makes the file with the documented header (R1, R3)', async () => {
      const before = Date.now();
      const { session, path } = await store.create({ kind: 'sub', parent_id: SES, role: 'reviewer' });
      const onDisk = JSON.parse(await readFile(path, 'utf8')) as Session;
      assert.deepEqual(onDisk, session);
      const { created_at, session_name, session_id, ...rest } = onDisk;
      assert.match(session_name, /^sub_\d{8}_\d{6}_[0-9a-z]{6}$/);
      assert.ok(session_name.endsWith(`_${session_id}`));
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      assert.ok(Date.parse(created_at) >= before && Date.parse(created_at) <= Date.now());
      assert.deepEqual(rest, {
        errors: [],
        parent_id: SES,
        permissions: [],
        role: 'reviewer',
        sub_sessions: [],
        turns: [],
        updated_at: created_at,
        version: '1.2.3',
        workspace: folder.path,
      });
      assert.deepEqual(await files(), [`${session_name}.json`]);
    });

    it('gives an explicit name no id', async () => {
      assert.equal((await store.create({ name: 'notes_ab12cd' })).session.session_id, '');
    });

    it('never replaces a file, whatever is in it', async () => {
      await mkdir(store.dir, { recursive: true });
      for (const content of ['', '{"messages":[]}', JSON.stringify(sessionOf([]))]) {
        await writeFile(join(store.dir, 'notes.json'), content);
        await assert.rejects(store.create({ name: 'notes' }), taken('notes'));
        await assert.rejects(store.create({ name: 'NOTES' }), taken('notes'));
        assert.equal(await readFile(join(store.dir, 'notes.json'), 'utf8'), content);
        assert.deepEqual(await files(), ['notes.json']);
      }
    });

    it('gives a name to one of many that ask for it at once, and to no other', async () => {
      const stores = Array.from(
        { length: 20 },
        (_, number) => new SessionStore(folder.path, { version: `0.0.${number}` }),
      );
      const results = await Promise.allSettled(stores.map((each) => each.create({ name: 'notes' })));
      const winners = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
      assert.equal(winners.length, 1);
      for (const result of results) if (result.status === 'rejected') taken('notes')(result.reason);
      assert.deepEqual(await store.read('notes'), winners[0]!.session);
      assert.deepEqual(await files(), ['notes.json']);
    });

    it('says why it cannot make one', async () => {
      await writeFile(join(folder.path, '.polyglav'), 'a file');
      await assert.rejects(
        store.create(),
        (error) => error instanceof SessionError && /could not be made/.test(error.message),
      );
      assert.equal(await readFile(join(folder.path, '.polyglav'), 'utf8'), 'a file');
    });

    it('keeps the folder out of version control, but for what a team shares (R15)', async () => {
      await store.create();
      assert.deepEqual((await readFile(join(folder.path, '.polyglav', '.gitignore'), 'utf8')).trim().split('\n'), [
        '*',
        '!config.json',
        '!roles/',
        '!roles/**',
      ]);
      await writeFile(join(folder.path, '.polyglav', '.gitignore'), '# mine\n');
      await store.create();
      assert.equal(await readFile(join(folder.path, '.polyglav', '.gitignore'), 'utf8'), '# mine\n');
    });
  });

  describe('a journal without its file', () => {
    const inJournal = async () =>
      (await readdir(join(store.dir, '.journal'))).filter((file) => file.endsWith('.jsonl'));
    beforeEach(async () => {
      await put('other');
      const file = await store.create({ name: 'notes' });
      await file.append({ type: 'turn_started', at: 't', turn: { index: 1, status: 'running', parts: [] } });
      const journal = join(store.dir, '.journal', 'notes.1.jsonl');
      const left = await readFile(journal);
      await file.close();
      await writeFile(journal, left);
      await rm(file.path);
    });

    it('is listed, and told to whoever asks for the session (R10)', async () => {
      const said = /^The file notes\.json is missing, but its journal \.journal\/notes\.1\.jsonl is there/;
      const listed = await store.list();
      assert.deepEqual(listed.map(({ name }) => name).sort(), ['notes', 'other']);
      assert.match(listed.find(({ name }) => name === 'notes')?.problem ?? '', said);
      for (const use of [store.resolve('notes'), store.read('notes'), store.open('notes'), store.delete('notes')])
        await assert.rejects(use, (error) => error instanceof SessionError && said.test(error.message));
      assert.deepEqual(await inJournal(), ['notes.1.jsonl']);
    });

    it('is kept when a session of that name is made, which says so', async () => {
      const notices: string[] = [];
      const file = await store.create({ name: 'notes' }, (notice) => notices.push(notice));
      assert.deepEqual(file.session.turns, []);
      assert.match(notices.join(), /^A journal of an earlier session "notes", whose file is missing, is kept in/);
      assert.equal((await readdir(join(store.dir, '.journal', 'aside'))).length, 1);
      await file.close();
      assert.deepEqual(
        (await store.list()).map(({ problem }) => problem),
        [undefined, undefined],
      );
    });

    it('counts for nothing when it is none, or of a session that is open', async () => {
      await writeFile(join(store.dir, '.journal', 'notes.1.jsonl'), 'theirs');
      await writeFile(join(store.dir, '.journal', '..1.jsonl'), 'theirs');
      const open = await store.create({ name: 'open' });
      await open.append({ type: 'turn_started', at: 't', turn: { index: 1, status: 'running', parts: [] } });
      await rm(open.path);
      assert.deepEqual(
        (await store.list()).map(({ name }) => name),
        ['other'],
      );
      await assert.rejects(
        store.read('notes'),
        /^SessionError: There is no session "notes"\. "polyglav sessions" \(in the chat: \/sessions\) lists them\.$/,
      );
      await open.close();
    });
  });

  it('deletes with a session what was set aside of it, and nothing of another', async () => {
    for (const name of ['notes', 'my.notes', 'notes.json']) {
      await (await store.create({ name })).close();
      const file = join(store.dir, '.journal', `${name}.jsonl`);
      for (const label of ['json', 'jsonl', 'rest']) {
        await writeFile(file, 'kept');
        await setAside({ dir: store.dir, name }, file, `${name}.${label}`);
      }
    }
    const aside = async () =>
      (await readdir(join(store.dir, '.journal', 'aside'))).map((file) => file.slice(32)).sort();
    assert.equal((await aside()).length, 9);
    await store.delete('notes');
    assert.deepEqual(await aside(), [
      'my.notes.json',
      'my.notes.jsonl',
      'my.notes.rest',
      'notes.json.json',
      'notes.json.jsonl',
      'notes.json.rest',
    ]);
    assert.deepEqual(await files(), ['my.notes.json', 'notes.json.json']);
  });

  describe('watch', () => {
    it('tells of changes, several at once, until it is stopped', async () => {
      await mkdir(store.dir, { recursive: true });
      let calls = 0;
      const stop = store.watch(() => calls++);
      try {
        await wait(400);
        const before = calls;
        for (let index = 0; index < 5; index++) await store.create();
        await until(() => calls > before);
        await wait(300);
        assert.ok(calls - before <= 3, `${calls - before} calls for five sessions made at once`);
      } finally {
        stop();
      }
      const before = calls;
      await store.create();
      await wait(400);
      assert.equal(calls, before);
    });

    it('begins before there is a folder', async () => {
      let calls = 0;
      const stop = store.watch(() => calls++);
      try {
        await store.create();
        await until(() => calls > 0);
      } finally {
        stop();
      }
    });

    it('survives that the folder is removed and made again', async () => {
      await store.create();
      let calls = 0;
      const stop = store.watch(() => calls++);
      try {
        await until(() => calls > 0);
        await rm(store.dir, { recursive: true });
        await wait(300);
        await store.create();
        const before = calls;
        await until(() => calls > before);
        const again = calls;
        await store.create();
        await until(() => calls > again);
      } finally {
        stop();
      }
    });
  });
});

function taken(name: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof SessionError, String(error));
    assert.match(error.message, new RegExp(`a session "${name}" already`));
    return true;
  };
}

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!condition()) {
    assert.ok(performance.now() < end, 'it did not happen within 5 s');
    await wait(20);
  }
}
