/** What stands in place of the record's files and is none of ours: nobody waits for it, follows it or reads all of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { SessionEvent } from '../../../src/session/events.ts';
import { SessionError, SessionStore } from '../../../src/session/store.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

const at = '2026-08-17T12:00:00.123+00:00';
const error = (code: number): SessionEvent => ({ type: 'error', at, entry: { code, message: 'x', timestamp: at } });
const WAIT_MS = 3000;

describe('session: odd files', () => {
  const folder = useTempFolder();
  let store: SessionStore;
  let servers: Server[];
  const inJournal = (name: string) => join(store.dir, '.journal', name);

  beforeEach(async () => {
    servers = [];
    store = new SessionStore(folder.path, { version: '1.0.0' });
    for (const name of ['notes', 'other']) await (await store.create({ name })).close();
  });
  afterEach(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

  const sparse = async (path: string, start: string) => {
    const handle = await open(path, 'w');
    await handle.write(start);
    await handle.truncate(60 * 2 ** 30);
    await handle.close();
  };
  const ODD: Record<string, (path: string) => Promise<unknown>> = {
    'a pipe': async (path) => execFileSync('mkfifo', [path]),
    'a socket': (path) =>
      new Promise<void>((resolve) => {
        servers.push(createServer().listen(path, resolve));
      }),
    'a folder': (path) => mkdir(path),
    'a folder with something in it': async (path) => {
      await mkdir(path);
      await writeFile(join(path, 'theirs'), 'theirs');
    },
    'a link to /dev/zero': (path) => symlink('/dev/zero', path),
    'a link to nothing': (path) => symlink('/nowhere', path),
    'a link to itself': (path) => symlink(path, path),
    'an empty file': (path) => writeFile(path, ''),
    null: (path) => writeFile(path, 'null\n'),
    'null and more': (path) => writeFile(path, 'null\nnull\n'),
    'a number': (path) => writeFile(path, '7\n'),
    'a list': (path) => writeFile(path, '[]\n'),
    'an object': (path) => writeFile(path, '{}\n'),
    'bytes that are no UTF-8': (path) => writeFile(path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x0a])),
    'a file of 60 GB': (path) => sparse(path, ''),
    'a file of 60 GB that begins as a session': (path) =>
      sparse(path, '{"session_id":"",\n"session_name":"notes",\n"turns":[\n'),
    'a file of 60 GB that begins as a lock': (path) => sparse(path, '{"token":"t"}'),
    'a file of 60 GB that begins as a journal': (path) =>
      sparse(path, '{"journal":1,"front":{"length":1,"sum":""},"end":1,"sum":""}\n'),
    'a file of wrong types': (path) =>
      writeFile(
        path,
        '{"created_at":1,\n"parent_id":[],\n"role":{},\n"session_id":null,\n"session_name":7,\n"turns":[\n{"index":"x","parts":[\nnull\n],"status":1}\n],\n"errors":[],\n"updated_at":7}\n',
      ),
    'a lock of wrong types': (path) =>
      writeFile(
        path,
        '{"token":1,"host":[],"boot":null,"pid":"1","started":{},"program":2,"since":3,"released":"yes"}',
      ),
  };

  /** Everything that may be done with a session; it fails with a SessionError or not at all, and soon. */
  const use = async (name: string): Promise<string[]> => {
    const problems: string[] = [];
    const uses: [string, () => Promise<unknown>][] = [
      ['list', () => store.list()],
      ['list again', () => new SessionStore(folder.path, { version: '1.0.0' }).list()],
      ['resolve', () => store.resolve(name)],
      ['holder', () => store.holder(name)],
      ['read', () => store.read(name)],
      [
        'stream',
        () =>
          store.stream(name, async ({ items }) => {
            for await (const item of items()) assert.ok(item);
          }),
      ],
      [
        'open',
        async () => {
          const { file } = await store.open(name);
          try {
            await file.append(error(1));
            await file.flush();
          } finally {
            await file.close();
          }
        },
      ],
    ];
    for (const [what, act] of uses) {
      const before = process.memoryUsage().rss;
      const done = act().catch((failure: unknown) => {
        assert.ok(failure instanceof SessionError, `${what}: ${String(failure)}`);
        problems.push(`${what}: ${failure.message}`);
      });
      assert.notEqual(await Promise.race([done, wait(WAIT_MS, 'late', { ref: false })]), 'late', `${what} hangs`);
      const grown = process.memoryUsage().rss - before;
      assert.ok(grown < 300e6, `${what} takes ${grown} bytes`);
    }
    return problems;
  };

  for (const [what, put] of Object.entries(ODD)) {
    it(`${what} in place of a session hides no other and is left as it is`, async function () {
      if (process.platform === 'win32') this.skip();
      const path = join(store.dir, 'notes.json');
      await rm(path);
      await put(path);
      const problems = await use('notes');
      assert.deepEqual(
        problems.map((problem) => problem.split(':')[0]),
        ['read', 'stream', 'open'],
      );
      const listed = await store.list();
      assert.deepEqual(listed.map(({ name, problem }) => [name, problem === undefined]).sort(), [
        ['notes', false],
        ['other', true],
      ]);
    });

    it(`${what} in place of a journal counts for nothing`, async function () {
      if (process.platform === 'win32') this.skip();
      for (const number of ['1', '7', '9007199254740991', '99999999999999999999', '007', '0'])
        await put(inJournal(`notes.${number}.jsonl`));
      if (!what.includes('begins as a journal')) assert.deepEqual(await use('notes'), []);
      else await use('notes');
    });

    it(`${what} in place of a lock is no hindrance to reading, nor for long to writing`, async function () {
      if (process.platform === 'win32') this.skip();
      for (const number of ['2', '99999999999999999999', '007', '0']) await put(inJournal(`notes.lock.${number}`));
      const problems = await use('notes');
      assert.ok(
        problems.every((problem) => problem.startsWith('open: The session "notes" is open in another program')),
      );
    });
  }

  for (const [what, put] of Object.entries(ODD))
    it(`${what} in place of the folder of journals`, async function () {
      if (process.platform === 'win32') this.skip();
      await rm(inJournal(''), { recursive: true });
      await put(join(store.dir, '.journal'));
      await use('notes');
      const made = await store.create({ name: 'new' }).catch((failure: unknown) => {
        assert.ok(failure instanceof SessionError, String(failure));
      });
      await made?.close();
    });
});
