import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realpathSync } from 'node:fs';

import { chunks, exportFile, type ExportTarget } from '../../../src/transcript/exportFile.ts';

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

  const write = (options: Partial<ExportTarget> = {}, pieces: Iterable<string> = ['a', 'b', 'c']) =>
    exportFile(pieces, { workspace, name: 's', cwd: join(workspace, 'sub'), ...options });
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
    for (const force of [false, true]) {
      await refused({ out: 'link.md', force }, /is a link/);
      await refused({ out: 'hard.md', force }, /hard link/);
      await refused({ out: '.', force }, /is a folder/);
      await refused({ out: 'new/', force }, /names a folder/);
      await refused({ out: '/dev/null', force }, /not a regular file/);
      await refused({ out: 'no/such/x.md', force }, /The folder .*no\/such does not exist/);
      await refused({ out: '../.polyglav/sessions/new.md', force }, /inside the sessions folder/);
      await refused({ out: '../.polyglav/sessions/s.json', force }, /inside the sessions folder/);
      await refused({ out: 'linked/new.md', force }, /inside the sessions folder/);
      await refused({ out: '', force }, /empty/);
      await refused({ out: 'a\0b', force }, /NUL/);
    }
    assert.deepEqual(await readdir(sessions), ['s.json']);
    assert.equal(await readFile(join(sessions, 's.json'), 'utf8'), 'the session');
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
    await assert.rejects(write({ out: 'x.md' }, failing()), /x\.md could not be written: disk full/);
    await assert.rejects(write({}, failing()), /disk full/);
    assert.deepEqual(await readdir(join(workspace, 'sub')), []);
    assert.deepEqual(await readdir(join(workspace, '.polyglav', 'exports')), []);
  });

  it('joins small pieces', () => {
    const pieces = Array.from({ length: 1000 }, (_, index) => `${index} `.repeat(50));
    const joined = [...chunks(pieces)];
    assert.equal(joined.join(''), pieces.join(''));
    assert.ok(joined.length < 5);
    assert.deepEqual([...chunks([])], []);
  });
});
