import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fsp, { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';

import { HeldError, Lock } from '../../../src/session/lock.ts';
import { SessionError } from '../../../src/session/parse.ts';
import { refuseCalls } from '../../support/refusedCall.ts';
import { useTempFolder } from '../../support/tempFolder.ts';

describe('session/lock', () => {
  const folder = useTempFolder();
  const place = () => ({ dir: folder.path, name: 'notes' });
  const path = (number: number) => join(folder.path, '.journal', `notes.lock.${number}`);
  const files = async () => (await readdir(join(folder.path, '.journal'))).sort();
  const locks: Lock[] = [];
  const acquire = async (program = 'a test') => {
    const lock = await Lock.acquire(place(), program);
    locks.push(lock);
    return lock;
  };
  afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.release())));

  /** A lock that somebody else made: ours, but for what is given. */
  const fake = async (more: object, silentMs = 0) => {
    const own = await acquire();
    const content = JSON.parse(await readFile(path(1), 'utf8')) as object;
    await own.forget();
    locks.length = 0;
    await mkdir(join(folder.path, '.journal'), { recursive: true });
    await writeFile(path(1), JSON.stringify({ ...content, token: 'theirs', program: 'another test', ...more }));
    const beat = new Date(Date.now() - silentMs);
    await utimes(path(1), beat, beat);
  };

  it('is held by one at a time; the next is told by whom (R8)', async () => {
    const first = await acquire('VS Code');
    await assert.rejects(acquire(), (error) => {
      assert.ok(error instanceof HeldError);
      assert.match(
        error.message,
        /^The session "notes" is open in VS Code \(process \d+ on .+, since [-\d]+ [:\d]+ UTC\)\. Leave it there first/,
      );
      assert.equal(error.holder.pid, process.pid);
      return true;
    });
    assert.equal((await Lock.holder(place()))?.program, 'VS Code');
    await first.release();
    assert.equal(await Lock.holder(place()), undefined);
    await acquire();
    assert.deepEqual(await files(), ['notes.lock.2']);
  });

  it('goes to one of many that ask at once, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquire()));
      const won = results.filter(({ status }) => status === 'fulfilled');
      assert.equal(won.length, 1);
      for (const result of results)
        if (result.status === 'rejected') assert.ok(result.reason instanceof HeldError, String(result.reason));
      await locks.pop()!.release();
    }
  });

  const dead = () => spawnSync(process.execPath, ['-e', '']).pid;
  const DAY = 24 * 3600_000;
  for (const [what, more, silentMs, free] of [
    ['a live process, however silent (a laptop that slept)', {}, DAY, false],
    ['a process that has ended', { pid: dead() }, 0, true],
    [
      'a process id that is used again',
      { started: '12345' },
      0,
      process.platform !== 'linux' && process.platform !== 'darwin',
    ],
    ['before this machine started, silent for 31 s', { boot: 'an earlier one' }, 31_000, true],
    ['another machine of the same name that beats', { boot: 'another one', pid: dead() }, 20_000, false],
    ['another machine that beats', { host: 'elsewhere', pid: dead() }, 20_000, false],
    ['another machine that is silent for 31 s', { host: 'elsewhere' }, 31_000, true],
    ['another container that beats', { pid_namespace: 'pid:[1]', pid: dead() }, 20_000, false],
    ['another container that is silent for 31 s', { pid_namespace: 'pid:[1]' }, 31_000, true],
    ['one who gave it back', { released: true }, 0, true],
  ] as const)
    it(`is ${free ? 'taken at once from' : 'left to'} ${what} (R8)`, async function () {
      if ('started' in more && process.platform !== 'linux') this.skip();
      await fake(more, silentMs);
      const expected = 'started' in more ? true : free;
      assert.equal((await Lock.holder(place())) === undefined, expected);
      if (!expected) return assert.rejects(acquire(), HeldError);
      const lock = await acquire();
      assert.equal(lock.state(), 'held');
      assert.deepEqual(await files(), ['notes.lock.2']);
      assert.equal(lock.taken_from_elsewhere, 'host' in more || 'boot' in more || 'pid_namespace' in more);
    });

  for (const [silentMs, free] of [
    [20_000, false],
    [31_000, true],
  ] as const)
    it(`is ${free ? 'taken from' : 'left to'} a process that the system says too little of, silent for ${silentMs / 1000} s`, async () => {
      await fake({ started: '' }, silentMs);
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        let held: boolean | undefined;
        void Lock.holder(place()).then((holder) => (held = holder !== undefined));
        while (held === undefined) {
          await new Promise((resolve) => setImmediate(resolve));
          mock.timers.tick(100);
        }
        assert.equal(held, !free);
      } finally {
        mock.timers.reset();
      }
    });

  it('is left to a process that the system says too little of when it beats again, as after a sleep', async () => {
    await fake({ started: '' }, DAY);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const asked = Lock.holder(place());
      const looked = performance.now() + 200;
      while (performance.now() < looked) await new Promise((resolve) => setImmediate(resolve));
      await utimes(path(1), new Date(), new Date());
      mock.timers.tick(6000);
      assert.equal((await asked)?.program, 'another test');
    } finally {
      mock.timers.reset();
    }
  });

  it('that nobody can read is held for half a minute', async () => {
    await fake({});
    for (const content of ['', '{"token":', '[]', '\0\0']) {
      await writeFile(path(1), content);
      await assert.rejects(acquire(), /open in another program/, content);
    }
    await utimes(path(1), new Date(Date.now() - 31_000), new Date(Date.now() - 31_000));
    await acquire();
  });

  it('that nobody can read and that is from the future is held by nobody: it would be for ever', async () => {
    await fake({});
    for (const [content, ahead, free] of [
      ['', 20_000, false],
      ['', 3600_000, true],
      [undefined, 3600_000, true],
    ] as const) {
      const theirs = JSON.parse(await readFile(path(1), 'utf8').catch(() => '{}')) as object;
      await writeFile(path(1), content ?? JSON.stringify({ ...theirs, host: 'elsewhere' }));
      await utimes(path(1), new Date(Date.now() + ahead), new Date(Date.now() + ahead));
      assert.equal((await Lock.holder(place())) === undefined, free, `${content} ${ahead}`);
      await writeFile(path(1), JSON.stringify(theirs));
    }
  });

  it('is shown as text, whatever it says', async () => {
    await fake({ program: 'a\u001b[2Jb\nc', host: 'elsewhere\u202e' });
    await assert.rejects(acquire(), /is open in a⟨U\+001B⟩\[2Jb c \(process \d+ on elsewhere⟨U\+202E⟩, since/);
  });

  it('with a process that cannot be is like one that nobody can read', async () => {
    for (const pid of [0, -1, 1.5, 1e300]) {
      await fake({ pid }, 31_000);
      assert.equal(await Lock.holder(place()), undefined, String(pid));
      await rm(path(1));
    }
  });

  it('is only what counts from 1: other names are none of ours', async () => {
    await mkdir(join(folder.path, '.journal'), { recursive: true });
    const others = ['0', '00', '01', '1e3', '9007199254740992', '99999999999999999999999', 'x', ''];
    for (const other of others) await writeFile(join(folder.path, '.journal', `notes.lock.${other}`), '');
    assert.equal(await Lock.holder(place()), undefined);
    assert.equal(await Lock.exists(place()), false);
    const lock = await acquire();
    assert.equal(lock.state(), 'held');
    assert.ok((await files()).includes('notes.lock.1'));
  });

  it('says so when its number is the last that can be counted', async () => {
    await fake({ released: true });
    await rename(path(1), path(Number.MAX_SAFE_INTEGER));
    assert.equal(await Lock.holder(place()), undefined);
    await assert.rejects(acquire(), (error) => error instanceof SessionError && /Remove that file/.test(error.message));
    assert.deepEqual(await files(), [`notes.lock.${Number.MAX_SAFE_INTEGER}`]);
  });

  it('beats by the clock of the file system, not by its own', async () => {
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: new Date('1980-01-01') });
    try {
      const lock = await acquire();
      const before = await readFile(path(1));
      const past = new Date('2001-01-01');
      await utimes(path(1), past, past);
      mock.timers.tick(5000);
      while ((await stat(path(1))).mtimeMs === past.getTime()) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok((await stat(path(1))).mtime > new Date('2020-01-01'));
      assert.deepEqual(await readFile(path(1)), before);
      assert.equal(lock.state(), 'held');
      await rm(path(1));
      await writeFile(path(1), 'theirs');
      mock.timers.tick(5000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(await readFile(path(1), 'utf8'), 'theirs');
    } finally {
      mock.timers.reset();
    }
  });

  it('tells when it is lost: taken by a newer one, replaced, or gone with its folder', async () => {
    const lock = await acquire();
    assert.equal(lock.state(), 'held');
    const own = await readFile(path(1));
    await writeFile(path(2), '{}');
    assert.equal(lock.state(), 'taken');
    assert.equal(await lock.restore(), false);
    await rm(path(2));
    await writeFile(path(1), '{}');
    assert.equal(lock.state(), 'taken');
    await rm(path(1));
    assert.equal(lock.state(), 'gone');
    assert.equal(await lock.restore(), true);
    assert.equal(lock.state(), 'held');
    assert.deepEqual(await readFile(path(1)), own);
  });

  it('is given back on a full disk too', async () => {
    const lock = await acquire();
    const allow = refuseCalls('open', 'ENOSPC', (file) => file.endsWith('.tmp') || file.endsWith('.new'));
    try {
      await lock.release();
    } finally {
      allow();
    }
    assert.equal(await Lock.holder(place()), undefined);
    assert.deepEqual([lock.state(), (await acquire()).state()], ['taken', 'held']);
  });

  it('leaves a newer one alone when it is released', async () => {
    const lock = await acquire();
    await writeFile(path(2), 'theirs');
    await lock.release();
    assert.equal(await readFile(path(2), 'utf8'), 'theirs');
    assert.equal(lock.state(), 'taken');
  });

  for (const [what, call, code] of [
    ['the folder cannot be listed', 'readdir', 'EACCES'],
    ['the folder cannot be listed for want of handles', 'readdir', 'EMFILE'],
    ['the lock cannot be opened for want of handles', 'open', 'EMFILE'],
  ] as const)
    it(`is neither free nor taken when ${what}`, async () => {
      await acquire();
      const allow = refuseCalls(call, code);
      try {
        for (const ask of [() => acquire(), () => Lock.holder(place())])
          await assert.rejects(
            ask(),
            (error) =>
              error instanceof SessionError &&
              !(error instanceof HeldError) &&
              /cannot be read: .*\.$/.test(error.message),
          );
      } finally {
        allow();
      }
      assert.deepEqual(await files(), ['notes.lock.1']);
    });

  it('says so when a name is taken that the folder does not list', async () => {
    await acquire();
    const readdir = mock.method(fsp, 'readdir', () => Promise.resolve([]));
    syncBuiltinESMExports();
    try {
      await assert.rejects(
        acquire(),
        (error) => error instanceof SessionError && /cannot be locked/.test(error.message),
      );
    } finally {
      readdir.mock.restore();
      syncBuiltinESMExports();
    }
  });

  it('looks without leaving anything', async () => {
    assert.equal(await Lock.holder(place()), undefined);
    assert.equal(await Lock.exists(place()), false);
    assert.deepEqual(await readdir(folder.path), []);
    await fake({ host: 'elsewhere' }, 20_000);
    assert.equal((await Lock.holder(place()))?.host, 'elsewhere');
    assert.deepEqual(await files(), ['notes.lock.1']);
    assert.equal(await Lock.exists(place()), true);
    assert.notEqual(hostname(), 'elsewhere');
  });
});
