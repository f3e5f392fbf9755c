/** Where paths lead, and what may be done there when the rules allow everything (P4, R15). */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

import { resolveAsDecided, windowsFault } from '../../../src/permissions/paths.ts';
import { decide, type PermissionConfig, type Verdict } from '../../../src/permissions/policy.ts';
import { tools } from '../../../src/tools/registry.ts';

const EVERYTHING: PermissionConfig = [
  {
    layer: 'user',
    rules: {
      default: 'allow',
      tools: { file_read: { paths: { '**': 'allow' } }, file_write: { paths: { '**': 'allow' } } },
    },
  },
];

describe('the table of paths', function () {
  if (process.platform === 'win32') return;
  let base: string;
  let workspace: string;
  before(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'polyglav-table-')));
    workspace = path.join(base, 'shop');
    for (const folder of ['shop/src/deep', 'shop/.git/hooks', 'shop/.polyglav/sessions', 'other', 'shop2', 'real.git'])
      await mkdir(path.join(base, folder), { recursive: true });
    for (const file of ['shop/a.ts', 'shop/src/b.ts', 'other/o.ts', 'shop/.env'])
      await writeFile(path.join(base, file), '');
    const links: [at: string, to: string][] = [
      ['shop/out', '../other'],
      ['shop/out-absolute', path.join(base, 'other')],
      ['shop/out-file', '../other/o.ts'],
      ['shop/out-new', '../other/new.ts'],
      ['shop/out-chain', 'out-new'],
      ['shop/in', 'src/deep'],
      ['shop/in-file', 'src/b.ts'],
      ['shop/root', '/'],
      ['shop/up', '..'],
      ['shop/home', homedir()],
      ['shop/record', '.polyglav'],
      ['shop/git', '.git/hooks'],
      ['shop/secret', '.env'],
      ['shop/loop', 'loop'],
      ['other/back', '../shop'],
      ['shop/src/self', '.'],
    ];
    for (const [at, to] of links) await symlink(to, path.join(base, at));
  });
  after(() => rm(base, { recursive: true, force: true }));

  const judge = (name: string, given: string): Promise<Verdict> =>
    decide(
      { tool: tools.find((tool) => tool.name === name)!, input: { path: given, content: '' }, workspace },
      EVERYTHING,
    );

  /** `read`, `write`: what becomes of them. `to`: where it leads, below the folder that holds all of this; `/…` from the root. */
  type Row = [given: string, to: string | undefined, read: string, write: string];
  const inside = (given: string, to: string): Row => [given, to, 'allow', 'allow'];
  const outside = (given: string, to: string): Row => [given, to, 'ask', 'ask'];
  const closed = (given: string, to: string): Row => [given, to, 'allow', 'deny'];
  const refused = (given: string): Row => [given, undefined, 'deny', 'deny'];

  const rows: Row[] = [
    // Plain ones.
    inside('a.ts', 'shop/a.ts'),
    inside('./a.ts', 'shop/a.ts'),
    inside('.//src/.//b.ts', 'shop/src/b.ts'),
    inside('src/', 'shop/src'),
    inside('.', 'shop'),
    inside('./', 'shop'),
    inside('new/file.ts', 'shop/new/file.ts'),
    inside('a.ts/below-a-file', 'shop/a.ts/below-a-file'),
    inside(' a.ts', 'shop/ a.ts'),
    inside('a.ts ', 'shop/a.ts '),
    inside('a.ts.', 'shop/a.ts.'),
    inside('a\nb', 'shop/a\nb'),
    inside('-rf', 'shop/-rf'),
    inside('*', 'shop/*'),
    inside('$HOME/x', 'shop/$HOME/x'),
    inside('%2e%2e/x', 'shop/%2e%2e/x'),
    inside('file:///etc/passwd', 'shop/file:/etc/passwd'),
    inside('..a', 'shop/..a'),
    inside('...', 'shop/...'),
    inside('日本/é', 'shop/日本/é'),
    // Up and down again.
    outside('..', ''),
    outside('../', ''),
    outside('../other/o.ts', 'other/o.ts'),
    outside('../shop2/x', 'shop2/x'),
    outside('../shopx', 'shopx'),
    outside('src/../../other', 'other'),
    outside('new/../../other', 'other'),
    outside('./../shop2/../other/o.ts', 'other/o.ts'),
    inside('../shop/a.ts', 'shop/a.ts'),
    inside('src/../a.ts', 'shop/a.ts'),
    inside('src/deep/../../a.ts', 'shop/a.ts'),
    outside('../'.repeat(50) + 'etc/hosts', '/etc/hosts'),
    // From the root.
    outside('/', '/'),
    outside('/etc/hosts', '/etc/hosts'),
    outside('//etc/hosts', '/etc/hosts'),
    outside('/../etc/hosts', '/etc/hosts'),
    outside('/dev/null', '/dev/null'),
    // Links; what is up from where one leads.
    outside('out', 'other'),
    outside('out/', 'other'),
    outside('out/o.ts', 'other/o.ts'),
    outside('out/new/x', 'other/new/x'),
    outside('out-absolute/o.ts', 'other/o.ts'),
    outside('out-file', 'other/o.ts'),
    outside('out-new', 'other/new.ts'),
    outside('out-chain', 'other/new.ts'),
    outside('out/..', ''),
    inside('out/../shop/a.ts', 'shop/a.ts'),
    inside('out/back/a.ts', 'shop/a.ts'),
    inside('in', 'shop/src/deep'),
    inside('in/../b.ts', 'shop/src/b.ts'),
    inside('in/../../a.ts', 'shop/a.ts'),
    outside('in/../../..', ''),
    inside('in-file', 'shop/src/b.ts'),
    inside('src/self/self/self/b.ts', 'shop/src/b.ts'),
    outside('root/etc/hosts', '/etc/hosts'),
    outside('up/other', 'other'),
    inside('up/shop/a.ts', 'shop/a.ts'),
    // Links of the system's own.
    outside('/proc/self/root/etc/hosts', '/etc/hosts'),
    outside('root/proc/self/root/etc/hosts', '/etc/hosts'),
    // The record and git's own.
    closed('.polyglav/config.json', 'shop/.polyglav/config.json'),
    closed('record/sessions/x', 'shop/.polyglav/sessions/x'),
    closed('src/../.polyglav', 'shop/.polyglav'),
    closed('.git/config', 'shop/.git/config'),
    closed('git/pre-commit', 'shop/.git/hooks/pre-commit'),
    closed('src/.git/config', 'shop/src/.git/config'),
    closed('.GIT/config', 'shop/.GIT/config'),
    closed('.Polyglav/x', 'shop/.Polyglav/x'),
    closed('.git./config', 'shop/.git./config'),
    closed('.git /config', 'shop/.git /config'),
    closed('GIT~1/config', 'shop/GIT~1/config'),
    closed('.g\u200bit/config', 'shop/.g\u200bit/config'),
    closed('.git::$INDEX_ALLOCATION/config', 'shop/.git::$INDEX_ALLOCATION/config'),
    inside('.gitignore', 'shop/.gitignore'),
    inside('git.git', 'shop/git.git'),
    ['../shop2/.git/config', 'shop2/.git/config', 'ask', 'deny'],
    // What may hold keys.
    ['.env', 'shop/.env', 'ask', 'ask'],
    ['secret', 'shop/.env', 'ask', 'ask'],
    ['.ENV.local', 'shop/.ENV.local', 'ask', 'ask'],
    ['x/id_rsa', 'shop/x/id_rsa', 'ask', 'ask'],
    // Forms of other systems are names here.
    inside('a\\b', 'shop/a\\b'),
    inside('..\\..\\x', 'shop/..\\..\\x'),
    inside('\\\\server\\share', 'shop/\\\\server\\share'),
    inside('C:\\Windows', 'shop/C:\\Windows'),
    inside('C:/Windows', 'shop/C:/Windows'),
    inside('~user', 'shop/~user'),
    outside('//server/share', '/server/share'),
    // What is no path.
    refused(''),
    refused('a\0b'),
    refused('~'),
    refused('~/x'),
    refused('loop'),
    refused('loop/x'),
    refused('a\ud800'),
    refused('x'.repeat(5000)),
    refused('x'.repeat(300)),
  ];

  for (const [given, to, read, write] of rows)
    it(`${JSON.stringify(given.slice(0, 60))}: ${read} to read, ${write} to write`, async () => {
      const [reading, writing] = [await judge('file_read', given), await judge('file_write', given)];
      assert.deepEqual([reading.action, writing.action], [read, write], `${reading.by}; ${writing.by}`);
      const expected = to === undefined ? undefined : to.startsWith('/') ? to : path.join(base, to);
      assert.deepEqual([reading.path, writing.path], [expected, expected]);
      const isOutside = expected !== undefined && expected !== workspace && !expected.startsWith(`${workspace}/`);
      assert.equal(reading.only_once, isOutside);
    });

  it('judges the same by an absolute path', async () => {
    for (const [given, to, read, write] of rows) {
      // Else it would be another path.
      if (to === undefined || given.startsWith('/') || to.startsWith('/')) continue;
      const absolute = `${workspace}/${given}`;
      const actions = [(await judge('file_read', absolute)).action, (await judge('file_write', absolute)).action];
      assert.deepEqual(actions, [read, write], absolute);
    }
  });

  it("takes the process's own folder for what it is", async () => {
    const { only_once: isOutside, path: real } = await judge('file_read', '/proc/self/cwd/package.json');
    if (process.platform === 'linux')
      assert.deepEqual([isOutside, real], [true, await realpath(path.join(process.cwd(), 'package.json'))]);
  });

  it('opens no door to a link that is made after the decision', async () => {
    const swaps: [given: string, place: string, to: string][] = [
      ['later/x', 'later', '../other'],
      ['later.ts', 'later.ts', '../other/o.ts'],
      ['a/b/c', 'a', '.polyglav'],
    ];
    for (const [given, place, to] of swaps) {
      const decided = (await judge('file_write', given)).path;
      assert.equal(await resolveAsDecided(workspace, given, decided), decided);
      await symlink(to, path.join(workspace, place));
      await assert.rejects(resolveAsDecided(workspace, given, decided), /led elsewhere/, given);
      await rm(path.join(workspace, place));
    }
  });

  describe('on Windows', () => {
    const fine = [
      'a.ts',
      'src\\a.ts',
      'src/a.ts',
      '..\\x',
      '.',
      '..',
      'C:\\x',
      'c:/x',
      '\\x',
      '/x',
      '.git',
      'a b',
      'console',
      'nulls.txt',
      '.con',
    ];
    for (const given of fine) it(`${given} is a path`, () => assert.equal(windowsFault(given), undefined));

    const faulty: [given: string, why: RegExp][] = [
      ['\\\\server\\share\\x', /start at a folder or a drive/],
      ['//server/share/x', /start at/],
      ['\\\\?\\C:\\x', /start at/],
      ['\\\\.\\PhysicalDrive0', /start at/],
      ['\\\\.\\pipe\\x', /start at/],
      ['C:x', /start at/],
      ['C:', /start at/],
      ['.git.', /a dot or space at its end/],
      ['.git /config', /a dot or space/],
      ['.git...\\config', /a dot or space/],
      ['.git::$INDEX_ALLOCATION\\config', /":"/],
      ['a.ts:stream', /":"/],
      ['a.ts::$DATA', /":"/],
      ['src\\C:\\x', /":"/],
      ['...', /a dot/],
      ['NUL', /device/],
      ['src/con', /device/],
      ['aux.txt', /device/],
      ['COM1', /device/],
      ['lpt9.log', /device/],
      ['CONIN$', /device/],
    ];
    for (const [given, why] of faulty) it(`${given} is none`, () => assert.match(windowsFault(given) ?? '', why));
  });
});
