import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';

import { isInside, PathError, resolveAsDecided, resolvePath, shownPath } from '../../../src/permissions/paths.ts';

describe('paths', () => {
  let base: string;
  let workspace: string;
  let outside: string;

  beforeEach(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-paths-')));
    workspace = path.join(base, 'workspace');
    outside = path.join(base, 'outside');
    await mkdir(path.join(workspace, 'src/deep'), { recursive: true });
    await mkdir(path.join(outside, 'folder'), { recursive: true });
    await writeFile(path.join(workspace, 'src/a.ts'), '');
    await writeFile(path.join(outside, 'secret.txt'), '');
    const links: [name: string, target: string][] = [
      ['out', outside],
      ['out-file', path.join(outside, 'secret.txt')],
      ['out-folder', '../outside/folder'],
      ['in', 'src/deep'],
      ['dangling', path.join(outside, 'new.txt')],
      ['dangling-in', 'src/new.txt'],
      ['chain', 'dangling'],
      ['loop', 'loop-back'],
      ['loop-back', 'loop'],
      ['self', 'self/x'],
    ];
    for (const [name, target] of links) await symlink(target, path.join(workspace, name));
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  /** What the path leads to, relative to the folder that holds both. */
  async function leadsTo(given: string): Promise<string> {
    return path.relative(base, await resolvePath(workspace, given)) || '.';
  }

  const rows: [given: string, real: string][] = [
    ['.', 'workspace'],
    ['src/a.ts', 'workspace/src/a.ts'],
    ['./src//deep/./', 'workspace/src/deep'],
    ['src/a.ts/', 'workspace/src/a.ts'],
    ['src/../src/a.ts', 'workspace/src/a.ts'],
    ['new/deep/file.ts', 'workspace/new/deep/file.ts'],
    ['new/../../outside/x', 'outside/x'],
    ['..', '.'],
    ['../workspace/src', 'workspace/src'],
    ['../workspace2/a', 'workspace2/a'],
    ['..hidden/a', 'workspace/..hidden/a'],
    ['src/a.ts/inside-a-file', 'workspace/src/a.ts/inside-a-file'],
    ['in/x', 'workspace/src/deep/x'],
    // As the system does it: first through the link, then up.
    ['in/../a.ts', 'workspace/src/a.ts'],
    ['out/../workspace/src', 'workspace/src'],
    ['out/secret.txt', 'outside/secret.txt'],
    ['out/new/deep', 'outside/new/deep'],
    ['out-file', 'outside/secret.txt'],
    ['out-folder/../secret.txt', 'outside/secret.txt'],
    ['dangling', 'outside/new.txt'],
    ['chain', 'outside/new.txt'],
    ['dangling-in', 'workspace/src/new.txt'],
    ['dangling-in/../b.ts', 'workspace/src/b.ts'],
    ['~notes', 'workspace/~notes'],
    ['a\\b', 'workspace/a\\b'],
    ['%2e%2e/x', 'workspace/%2e%2e/x'],
  ];
  for (const [given, real] of rows)
    it(`${JSON.stringify(given)} leads to ${real}`, async () => {
      assert.equal(await leadsTo(given), real);
    });

  it('takes absolute paths, inside and outside', async () => {
    assert.equal(await leadsTo(path.join(workspace, 'out/secret.txt')), 'outside/secret.txt');
    assert.equal(await leadsTo(path.join(outside, '../workspace/src')), 'workspace/src');
    assert.equal(await resolvePath(workspace, '/'), '/');
    assert.equal(await resolvePath(workspace, '/../..'), '/');
    assert.equal(await resolvePath(workspace, '../'.repeat(60) + 'etc'), '/etc');
  });

  for (const given of ['', 'a\0b', '~', '~/x', 'loop/x', 'self', 'a\ud83d', 'x/'.repeat(3000)])
    it(`refuses ${JSON.stringify(given.slice(0, 20))}`, async () => {
      await assert.rejects(resolvePath(workspace, given), PathError);
    });

  it('never calls inside what the system would open outside', async () => {
    const name = fc.constantFrom(
      '..',
      '.',
      '',
      'src',
      'in',
      'out',
      'out-folder',
      'out-file',
      'a.ts',
      'deep',
      'folder',
      'secret.txt',
      'workspace',
      'outside',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 8 }), async (names) => {
        // Not absolute, and something at all.
        const given = `./${names.join('/')}`;
        const opened = await realpath(`${workspace}/${given}`).catch(() => undefined);
        fc.pre(opened !== undefined);
        assert.equal(await resolvePath(workspace, given), opened);
      }),
      { numRuns: 300 },
    );
  });

  it('tells inside from outside by whole names', () => {
    assert.ok(isInside('/a/b', '/a/b'));
    assert.ok(isInside('/a/b', '/a/b/..c'));
    for (const other of ['/a/bc', '/a', '/', '/A/b/c', '/a/B']) assert.ok(!isInside('/a/b', other), other);
    assert.ok(isInside('/', '/etc'));
  });

  it('names a path as a person would', () => {
    assert.equal(shownPath(workspace, path.join(workspace, 'src/a.ts')), 'src/a.ts');
    assert.equal(shownPath(workspace, workspace), 'the workspace');
    assert.equal(shownPath(workspace, outside), outside);
  });

  it('refuses a path that leads elsewhere than when it was decided', async () => {
    const decided = await resolvePath(workspace, 'src/new.ts');
    assert.equal(await resolveAsDecided(workspace, 'src/new.ts', decided), decided);
    await rename(path.join(workspace, 'src'), path.join(workspace, 'moved'));
    await symlink(outside, path.join(workspace, 'src'));
    await assert.rejects(resolveAsDecided(workspace, 'src/new.ts', decided), PathError);
    await assert.rejects(resolveAsDecided(workspace, 'moved/a.ts', undefined), PathError);
  });
});
