import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, link, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { PathError } from '../../../src/permissions/paths.ts';
import { diskFiles } from '../../../src/tools/diskFiles.ts';
import { FileChangedError } from '../../../src/tools/tool.ts';
import { Workspace } from './workspace.ts';

describe('files on the disk', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const write = (name: string, content: string, expected: string | null) =>
    diskFiles.write(workspace.path(name), Buffer.from(content), expected === null ? null : Buffer.from(expected));

  /** All names below the workspace. */
  const names = async () => (await readdir(workspace.root, { recursive: true })).sort();

  it('reads what is there, and rejects with ENOENT when nothing is', async () => {
    await workspace.write('a.txt', 'abc');
    assert.equal(Buffer.from(await diskFiles.read(workspace.path('a.txt'))).toString(), 'abc');
    await assert.rejects(diskFiles.read(workspace.path('b.txt')), { code: 'ENOENT' });
  });

  it('never waits for a pipe, and opens no device or folder', async () => {
    execFileSync('mkfifo', [workspace.path('pipe')]);
    await assert.rejects(diskFiles.read(workspace.path('pipe')), /no regular file/);
    await assert.rejects(diskFiles.read('/dev/zero'), /no regular file/);
    await assert.rejects(diskFiles.read(workspace.root), /is a folder/);
    await assert.rejects(write('pipe', 'x', null), /no regular file/);
  });

  it('refuses to load a huge file and says how to look into it (P1)', async () => {
    await workspace.write('huge.log', '');
    await truncate(workspace.path('huge.log'), 30_000_000);
    await assert.rejects(diskFiles.read(workspace.path('huge.log')), /30000000 bytes.*file_search/s);
  });

  it('makes a file with its folders, as open as the umask says', async () => {
    await write('new/deep/a.txt', 'x', null);
    assert.deepEqual(await names(), ['new', 'new/deep', 'new/deep/a.txt']);
    await writeFile(workspace.path('plain.txt'), 'made without us');
    const mode = async (name: string) => (await stat(workspace.path(name))).mode;
    assert.equal(await mode('new/deep/a.txt'), await mode('plain.txt'));
  });

  it('replaces a file under its mode, and leaves no temporary file', async () => {
    await workspace.write('run.sh', 'old');
    await chmod(workspace.path('run.sh'), 0o750);
    await write('run.sh', 'new', 'old');
    assert.equal(await workspace.text('run.sh'), 'new');
    assert.equal((await stat(workspace.path('run.sh'))).mode & 0o7777, 0o750);
    assert.deepEqual(await names(), ['run.sh']);
  });

  it('neither reads nor writes through a link, which was none when the path was judged (P4)', async () => {
    await workspace.write('real/a.txt', 'old');
    await symlink('real/a.txt', workspace.path('link.txt'));
    await symlink('real/new.txt', workspace.path('dangling.txt'));
    await symlink('real', workspace.path('folder'));
    for (const name of ['link.txt', 'folder/a.txt']) {
      await assert.rejects(diskFiles.read(workspace.path(name)), PathError);
      await assert.rejects(write(name, 'new', 'old'), /a link|no regular file/);
    }
    for (const name of ['dangling.txt', 'folder/new.txt', 'folder/deep/new.txt'])
      await assert.rejects(write(name, 'new', null), /a link|no regular file/);
    assert.deepEqual(await names(), ['dangling.txt', 'folder', 'folder/a.txt', 'link.txt', 'real', 'real/a.txt']);
    assert.equal(await workspace.text('real/a.txt'), 'old');
  });

  it('reads no more than it may of a file that does not say its size', async function () {
    if (process.platform !== 'linux') this.skip();
    await assert.rejects(diskFiles.read('/proc/self/environ'), /leads elsewhere|a link/);
    await assert.rejects(diskFiles.read(`/proc/${process.pid}/environ`), /no file on a disk/);
  });

  const changes: [name: string, now: string | null, expected: string | null][] = [
    ['was changed', 'theirs', 'old'],
    ['was removed', null, 'old'],
    ['was made', 'theirs', null],
    ['was made empty', '', null],
  ];
  for (const [name, now, expected] of changes)
    it(`changes nothing when the file ${name} meanwhile`, async () => {
      if (now !== null) await workspace.write('a.txt', now);
      const before = await names();
      await assert.rejects(write('a.txt', 'mine', expected), FileChangedError);
      assert.deepEqual(await names(), before);
      if (now !== null) assert.equal(await workspace.text('a.txt'), now);
    });

  it('lets exactly one of many that make the same file at once win', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => write('a.txt', `${index}`, null)),
    );
    const won = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
    assert.equal(won.length, 1);
    assert.equal(await workspace.text('a.txt'), String(won[0]));
    for (const result of results)
      if (result.status === 'rejected') assert.ok(result.reason instanceof FileChangedError);
    assert.deepEqual(await names(), ['a.txt']);
  });

  it('leaves nothing behind when it fails, neither file nor folder', async () => {
    await workspace.write('a.txt', 'x');
    await mkdir(workspace.path('folder'));
    await assert.rejects(write('new/deep/a.txt', 'x', 'expected to be there'), FileChangedError);
    await assert.rejects(write('folder', 'x', null), /is a folder/);
    await assert.rejects(write('a.txt/b.txt', 'x', null));
    assert.deepEqual(await names(), ['a.txt', 'folder']);
  });

  it('keeps the file whole for a reader at every moment', async () => {
    const contents = ['a', 'b'].map((letter) => letter.repeat(300_000));
    await workspace.write('a.txt', contents[0]!);
    const stop = new AbortController();
    const reader = (async () => {
      const seen = new Set<string>();
      while (!stop.signal.aborted) seen.add(await readFile(workspace.path('a.txt'), 'utf8'));
      return seen;
    })();
    for (let turn = 0; turn < 6; turn++) await write('a.txt', contents[(turn + 1) % 2]!, contents[turn % 2]!);
    stop.abort();
    for (const text of await reader) assert.ok(contents.includes(text), 'half a file was seen');
  });

  it('leaves the old or the new content when the process is killed while it writes', async function () {
    this.timeout(30_000);
    const contents = ['a', 'b'].map((letter) => letter.repeat(3_000_000));
    await workspace.write('a.txt', contents[0]!);
    const script = `
      import { diskFiles } from ${JSON.stringify(new URL('../../../src/tools/diskFiles.ts', import.meta.url).href)};
      const contents = ['a', 'b'].map((letter) => Buffer.from(letter.repeat(3_000_000)));
      for (let turn = 0; ; turn++) {
        const before = await diskFiles.read(${JSON.stringify(workspace.path('a.txt'))});
        if (turn === 0) console.log('begun');
        await diskFiles.write(${JSON.stringify(workspace.path('a.txt'))}, contents[before[0] === 97 ? 1 : 0], before);
      }`;
    for (let kill = 0; kill < 6; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], { stdio: 'pipe' });
      await once(child.stdout, 'data');
      await sleep(7 * kill);
      child.kill('SIGKILL');
      await once(child, 'exit');
      assert.ok(contents.includes(await workspace.text('a.txt')), 'half a file was left');
    }
  });

  it('leaves another name of the same file alone', async () => {
    await workspace.write('a.txt', 'old');
    await link(workspace.path('a.txt'), workspace.path('b.txt'));
    await write('a.txt', 'new', 'old');
    assert.equal(await workspace.text('b.txt'), 'old');
  });

  it('does not replace a file that must not be written', async function () {
    if (process.getuid?.() === 0) this.skip();
    await writeFile(path.join(workspace.root, 'a.txt'), 'old', { mode: 0o444 });
    await assert.rejects(write('a.txt', 'new', 'old'), { code: 'EACCES' });
    assert.deepEqual(await names(), ['a.txt']);
  });
});
