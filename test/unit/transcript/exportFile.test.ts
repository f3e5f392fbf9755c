import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realpathSync } from 'node:fs';

import { exportFile, exportPath, exportTo, type ExportTarget } from '../../../src/transcript/exportFile.ts';

describe('transcript/exportFile', () => {
  let workspace: string;
  let sessions: string;

  beforeEach(async () => {
    workspace = realpathSync(await mkdtemp(join(tmpdir(), 'polyglav-export-')));
    sessions = join(workspace, '.polyglav', 'sessions');
    await mkdir(sessions, { recursive: true });
    await writeFile(join(sessions, 's.json'), 'the session');
    await mkdir(join(workspace, 'sub'));
  });
  afterEach(() => rm(workspace, { recursive: true }));

  const write = (
    options: Partial<ExportTarget> = {},
    pieces: Iterable<string> | AsyncIterable<string> = ['a', 'b', 'c'],
  ) => exportFile(pieces, { sessions, name: 's', format: 'md', cwd: join(workspace, 'sub'), ...options });
  const refused = (options: Partial<ExportTarget>, message: RegExp) =>
    assert.rejects(write(options), { name: 'ExportError', message });
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('makes the default folder and file, private', async () => {
    const path = await write();
    assert.equal(path, join(workspace, '.polyglav', 'exports', 's.md'));
    assert.equal(await readFile(path, 'utf8'), 'abc');
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(join(workspace, '.polyglav', 'exports')), 0o700);
  });

  it('replaces the default file as a whole', async () => {
    await write();
    const before = await stat(await write({}, ['new']));
    const path = await write({}, ['newer']);
    assert.equal(await readFile(path, 'utf8'), 'newer');
    assert.notEqual((await stat(path)).ino, before.ino);
  });

  it('takes a given path relative to the current directory', async () => {
    assert.equal(await write({ out: 'x.md' }), join(workspace, 'sub', 'x.md'));
    assert.equal(await write({ out: join(workspace, '.y.md') }), join(workspace, '.y.md'));
    assert.equal(await modeOf(join(workspace, 'sub', 'x.md')), 0o600);
  });

  it('refuses an existing file without force, which replaces it', async () => {
    const file = join(workspace, 'sub', 'x.md');
    await writeFile(file, 'mine');
    await refused({ out: 'x.md' }, /exists already\. Use --force/);
    assert.equal(await readFile(file, 'utf8'), 'mine');
    await write({ out: 'x.md', force: true });
    assert.equal(await readFile(file, 'utf8'), 'abc');
  });

  it('refuses, also with force, what is no plain file of its own', async () => {
    await symlink(join(workspace, 'nowhere'), join(workspace, 'sub', 'link.md'));
    await symlink(sessions, join(workspace, 'sub', 'linked'));
    await link(join(sessions, 's.json'), join(workspace, 'sub', 'hard.md'));
    await mkdir(join(sessions, '.journal'));
    await writeFile(join(sessions, '.journal', 's.1.jsonl'), 'the journal');
    await link(join(sessions, '.journal', 's.1.jsonl'), join(workspace, 'sub', 'journal.md'));
    await symlink(join(sessions, '.journal'), join(workspace, 'sub', 'by-mount'));
    for (const force of [false, true]) {
      await refused({ out: 'link.md', force }, /is a link/);
      await refused({ out: 'hard.md', force }, /another name of the session file s\.json/);
      await refused({ out: 'journal.md', force }, /another name of the session file .*s\.1\.jsonl/);
      await refused({ out: 'by-mount/new.md', force }, /inside a sessions folder/);
      await refused({ out: '.', force }, /is a folder/);
      await refused({ out: 'new/', force }, /names a folder/);
      await refused({ out: '/dev/null', force }, /not a regular file/);
      await refused({ out: 'no/such/x.md', force }, /The folder .*no\/such does not exist/);
      await refused({ out: '../.polyglav/sessions/new.md', force }, /inside a sessions folder/);
      await refused({ out: '../.polyglav/sessions/s.json', force }, /inside a sessions folder/);
      await refused({ out: 'linked/new.md', force }, /inside a sessions folder/);
      await refused({ out: '', force }, /empty/);
      await refused({ out: 'a\0b', force }, /NUL/);
    }
    assert.deepEqual(await readdir(sessions), ['.journal', 's.json']);
    assert.equal(await readFile(join(sessions, 's.json'), 'utf8'), 'the session');
  });

  it('refuses, also with force, what lies in the sessions folder of any workspace', async () => {
    const other = join(workspace, 'other', '.polyglav', 'sessions');
    await mkdir(join(other, '.journal'), { recursive: true });
    await writeFile(join(other, 'canary.json'), 'their session');
    await writeFile(join(other, '.journal', 'canary.1.jsonl'), 'their journal');
    await symlink(other, join(workspace, 'sub', 'theirs'));
    for (const force of [false, true]) {
      for (const out of ['canary.json', 'new.md', '.journal/canary.1.jsonl', '.journal/new.md'])
        for (const folder of ['../other/.polyglav/sessions', 'theirs'])
          await refused({ out: `${folder}/${out}`, force }, /inside a sessions folder/);
      // The workspace's own, while the sessions come from another one.
      await refused({ sessions: other, out: '../.polyglav/sessions/s.json', force }, /inside a sessions folder/);
    }
    assert.deepEqual(await readdir(other), ['.journal', 'canary.json']);
    assert.deepEqual(await readdir(join(other, '.journal')), ['canary.1.jsonl']);
    assert.equal(await readFile(join(other, 'canary.json'), 'utf8'), 'their session');
    await mkdir(join(workspace, 'sub', 'sessions'));
    await write({ out: 'sessions/x.md' });
  });

  for (const name of ['CON', 'nul', 'aux.txt', 'COM1.md', 'a:b', 'a?b', 'a*b', '<x>', 'name.'])
    it(`refuses the file name ${name} on every system (R3)`, async () => {
      await refused({ out: name }, /^The file name .*Use letters/);
      assert.deepEqual(await readdir(join(workspace, 'sub')), []);
    });

  it('refuses an exports folder that leads elsewhere', async () => {
    await symlink(join(workspace, 'sub'), join(workspace, '.polyglav', 'exports'));
    await refused({}, /is a link to another place/);
    assert.deepEqual(await readdir(join(workspace, 'sub')), []);
  });

  it('leaves nothing behind when the pieces fail', async () => {
    const failing = function* () {
      yield 'half';
      throw new Error('disk full');
    };
    await assert.rejects(write({ out: 'x.md' }, failing()), /disk full/);
    await assert.rejects(write({}, failing()), /disk full/);
    assert.deepEqual(await readdir(join(workspace, 'sub')), []);
    assert.deepEqual(await readdir(join(workspace, '.polyglav', 'exports')), []);
  });

  it('replaces the default HTML file with force alone', async () => {
    const path = await write({ format: 'html' });
    assert.equal(path, join(workspace, '.polyglav', 'exports', 's.html'));
    await refused({ format: 'html' }, /s\.html exists already\. Use --force/);
    await write({ format: 'html', force: true }, ['new']);
    assert.equal(await readFile(path, 'utf8'), 'new');
  });

  it('refuses a default path that is a folder or a link', async () => {
    const exports = join(workspace, '.polyglav', 'exports');
    await mkdir(join(exports, 's.md'), { recursive: true });
    await symlink(join(sessions, 's.json'), join(exports, 's.html'));
    for (const force of [false, true]) {
      await refused({ force }, /s\.md is a folder/);
      await refused({ format: 'html', force }, /s\.html is a link/);
    }
  });

  it('replaces one of several names of a file that is no session, and that name alone', async () => {
    const other = join(workspace, 'other.md');
    await writeFile(other, 'mine');
    await link(other, join(workspace, 'sub', 'x.md'));
    await write({ out: 'x.md', force: true });
    assert.equal(await readFile(other, 'utf8'), 'mine');
    assert.equal(await readFile(join(workspace, 'sub', 'x.md'), 'utf8'), 'abc');
  });

  it('refuses before the first piece is made', async () => {
    await writeFile(join(workspace, 'sub', 'x.md'), 'mine');
    const target = { sessions, name: 's', format: 'md', out: 'x.md', cwd: join(workspace, 'sub') } as const;
    await assert.rejects(exportPath(target), { name: 'ExportError' });
    let made = false;
    const pieces = (function* () {
      made = true;
      yield 'a';
    })();
    await assert.rejects(exportFile(pieces, target), { name: 'ExportError' });
    assert.equal(made, false);
  });

  it('refuses a name that was taken while the pieces were made', async () => {
    const file = join(workspace, 'sub', 'x.md');
    const pieces = (async function* () {
      yield 'a';
      await writeFile(file, 'mine');
      yield 'b';
    })();
    await assert.rejects(write({ out: 'x.md' }, pieces), { name: 'ExportError', message: /exists already/ });
    assert.equal(await readFile(file, 'utf8'), 'mine');
    assert.deepEqual(await readdir(join(workspace, 'sub')), ['x.md']);
  });

  it('says which file a fault of the disk hit', async () => {
    const full = (function* () {
      yield 'a';
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    })();
    await assert.rejects(write({ out: 'x.md' }, full), /x\.md could not be written: the disk is full \(ENOSPC\)\./);
    assert.deepEqual(await readdir(join(workspace, 'sub')), []);
  });

  it('hands on as much as is taken, joined, and no more once the reader has gone (J01)', async () => {
    let made = 0;
    const pieces = function* () {
      for (; made < 10_000; made++) yield `${made} `.repeat(50);
    };
    const taken: string[] = [];
    await exportTo(pieces(), {
      closed: false,
      write: async (text) => {
        taken.push(text);
        assert.ok(made * 250 < taken.length * 300_000, 'it ran ahead of its reader');
        await Promise.resolve();
      },
    });
    assert.equal(taken.join(''), Array.from({ length: 10_000 }, (_, index) => `${index} `.repeat(50)).join(''));
    assert.ok(taken.length < 100);

    made = 0;
    let calls = 0;
    const outlet = { closed: false, write: () => Promise.resolve(void (outlet.closed = ++calls === 2)) };
    await exportTo(pieces(), outlet);
    assert.equal(calls, 2);
    assert.ok(made < 2000);
  });
});
