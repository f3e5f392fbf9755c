import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';

import type { PermissionConfig } from '../../../src/config/permissionSchema.ts';
import { readingRules } from '../../../src/permissions/reading.ts';
import { diskFiles } from '../../../src/tools/diskFiles.ts';
import { fileSearch } from '../../../src/tools/fileSearch.ts';
import { Workspace } from './workspace.ts';

describe('file_search', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const search = (input: { pattern: string; path?: string }) => workspace.call(fileSearch, input);
  const lines = async (input: { pattern: string; path?: string }) => (await search(input)).output.split('\n');

  it('answers with path, line and text, in the order of the paths', async () => {
    await workspace.write('b.ts', 'one\nneedle two\r\n');
    await workspace.write('a/c.ts', 'Needle\n  needle: 3\n');
    assert.deepEqual(await lines({ pattern: 'needle' }), ['a/c.ts:2:  needle: 3', 'b.ts:2:needle two']);
    assert.deepEqual(await lines({ pattern: '^needle \\w+$' }), ['b.ts:2:needle two']);
    assert.deepEqual(await lines({ pattern: '(?i)needle', path: 'a' }), ['a/c.ts:1:Needle', 'a/c.ts:2:  needle: 3']);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'a/c.ts' }), ['a/c.ts:2:  needle: 3']);
  });

  it('says what it did not search, and finds it when it is named (P1)', async () => {
    await workspace.write('.gitignore', 'dist/\n*.log\n');
    await workspace.write('dist/out.js', 'needle');
    await workspace.write('x.log', 'needle');
    await workspace.write('a.ts', 'nothing');
    await workspace.write('.git/config', 'needle');
    assert.deepEqual(await lines({ pattern: 'needle' }), [
      'No line matches in the workspace (2 files; binary ones are not searched).',
      '[Skipped: 2 ignored by git (dist/, x.log); 1 internal (.git/). Give one as path to search it.]',
    ]);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'dist' }), ['dist/out.js:1:needle']);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'dist/out.js' }), ['dist/out.js:1:needle']);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'x.log' }), ['x.log:1:needle']);
    assert.deepEqual(await lines({ pattern: 'needle', path: '.git' }), ['.git/config:1:needle']);
  });

  it('searches what nested rules let in again, and what only the person ignores everywhere', async () => {
    const config = process.env['XDG_CONFIG_HOME'];
    process.env['XDG_CONFIG_HOME'] = workspace.path('.config');
    try {
      await workspace.write('.config/git/ignore', 'everywhere.txt\n');
      await workspace.write('.gitignore', '*.gen\n.config\n');
      await workspace.write('a/.gitignore', '!*.gen\n');
      for (const name of ['a/1.gen', 'b/1.gen', 'everywhere.txt']) await workspace.write(name, 'needle');
      assert.deepEqual(await lines({ pattern: 'needle' }), [
        'a/1.gen:1:needle',
        'everywhere.txt:1:needle',
        '[Skipped: 2 ignored by git (.config/, b/1.gen). Give one as path to search it.]',
      ]);
    } finally {
      if (config === undefined) delete process.env['XDG_CONFIG_HOME'];
      else process.env['XDG_CONFIG_HOME'] = config;
    }
  });

  it('does not hand ripgrep an ignore file that is too large, and skips what other rules say', async () => {
    await workspace.write('.gitignore', 'dist/\n*.log\n');
    await workspace.write('sub/.gitignore', 'a.txt\n'.repeat(200_000));
    for (const name of ['sub/a.txt', 'dist/out.js', 'x.log']) await workspace.write(name, 'needle');
    assert.deepEqual(await lines({ pattern: 'needle' }), [
      'sub/a.txt:1:needle',
      '[Skipped: 2 ignored by git (dist/, x.log). Give one as path to search it.]',
      '[Too large to be heeded, so nothing was skipped because of it: sub/.gitignore]',
    ]);
  });

  it('shows no line of an .env file unless it is named', async () => {
    await workspace.write('.env', 'KEY=needle');
    await workspace.write('sub/.ENV.local', 'KEY=needle');
    const { output } = await search({ pattern: 'needle' });
    assert.doesNotMatch(output, /KEY/);
    assert.match(
      output,
      /Not searched, since they may hold keys or a rule holds them back: \.env, sub\/\.ENV\.local\./,
    );
    assert.deepEqual(await lines({ pattern: 'needle', path: '.env' }), ['.env:1:KEY=needle']);
  });

  it('shows nothing of what the rules hold back from being read, wherever it comes upon it (F13)', async () => {
    const paths = { '**/secrets.txt': 'deny', 'notes/**': 'ask', '.npmrc': 'allow' } as const;
    const rules: PermissionConfig = [{ layer: 'user', rules: { tools: { file_read: { paths } } } }];
    workspace.with({ reading: readingRules(workspace.root, rules) });
    for (const name of [
      'secrets.txt',
      'sub/SECRETS.txt',
      'notes/a.md',
      'notes/secrets.txt',
      'id_rsa',
      '.npmrc',
      'a.txt',
    ])
      await workspace.write(name, 'needle');
    await workspace.write('blob/secrets.txt', Buffer.from('needle\0needle'));
    assert.deepEqual(await lines({ pattern: 'needle' }), [
      '.npmrc:1:needle',
      'a.txt:1:needle',
      '[Not searched, since they may hold keys or a rule holds them back: blob/secrets.txt, id_rsa, notes/a.md, notes/secrets.txt, secrets.txt, sub/SECRETS.txt. Give one as path to search it.]',
    ]);
    // A person said yes to searching it.
    const inNotes = await lines({ pattern: 'needle', path: 'notes' });
    assert.equal(inNotes[0], 'notes/a.md:1:needle');
    assert.match(inNotes[1]!, /^\[Not searched.*: secrets\.txt\./);
  });

  it('lets others have their turn while it compares files with rules, and can be stopped then', async () => {
    for (let index = 0; index < 40; index++) await workspace.write(`${index}.txt`, 'needle');
    const stop = new AbortController();
    let compared = 0;
    const reading = () => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      if (++compared === 1) setImmediate(() => stop.abort(new Error('stopped')));
      return 'allow' as const;
    };
    workspace.with({ reading, signal: stop.signal });
    await assert.rejects(search({ pattern: 'needle' }), /stopped/);
    assert.ok(compared < 20, `${compared} of 40`);
  });

  describe('of an unsaved text in an editor (P1)', () => {
    /** What an editor holds of files, by their paths in the workspace. */
    const edited = (texts: Record<string, string | Uint8Array>) => {
      const unsaved = new Map(Object.entries(texts).map(([name, text]) => [workspace.path(name), Buffer.from(text)]));
      workspace.with({
        files: {
          ...diskFiles,
          read: async (file) => unsaved.get(file) ?? diskFiles.read(file),
          unsaved: () => Promise.resolve([...unsaved.keys()]),
        },
      });
    };

    it('finds what the person sees, and not what the disk still has', async () => {
      for (const name of ['a/x.ts', 'a.ts', 'b.ts', 'c.ts']) await workspace.write(name, 'needle old\n');
      edited({ 'b.ts': 'new\nneedle new\n', 'a/x.ts': 'gone\n', 'a/new.ts': 'needle there' });
      const all = ['a/new.ts:1:needle there', 'a.ts:1:needle old', 'b.ts:2:needle new', 'c.ts:1:needle old'];
      assert.deepEqual(await lines({ pattern: 'needle' }), all);
      assert.deepEqual(await lines({ pattern: 'needle', path: 'a' }), ['a/new.ts:1:needle there']);
      assert.deepEqual(await lines({ pattern: '^needle \\w+$', path: 'b.ts' }), ['b.ts:2:needle new']);
      assert.deepEqual(await lines({ pattern: 'old', path: 'b.ts' }), ['No line matches in b.ts.']);
      assert.deepEqual(await lines({ pattern: 'old', path: 'a.ts' }), ['a.ts:1:needle old']);
      assert.deepEqual(await lines({ pattern: 'needle', path: 'a/new.ts' }), ['a/new.ts:1:needle there']);
    });

    it('in its encoding, however long it is', async () => {
      await workspace.write('wide.txt', Buffer.from('\uFEFFsmall\n', 'utf16le'));
      edited({ 'wide.txt': Buffer.from('\uFEFFein needle grün\n', 'utf16le'), 'long.txt': 'needle\n'.repeat(50_000) });
      assert.deepEqual(await lines({ pattern: 'needle', path: 'wide.txt' }), ['wide.txt:1:ein needle grün']);
      assert.match((await search({ pattern: 'needle' })).output, /\[At least \d+ more matches/);
    });

    it('shows nothing of what is skipped, held back, or in another folder', async () => {
      await workspace.write('.gitignore', 'dist/\n*.log\n');
      for (const name of ['dist/out.js', 'x.log', '.env', 'sub/a.ts', 'subway.ts', '.git/config', 'a.ts'])
        await workspace.write(name, 'old');
      edited(
        Object.fromEntries(['dist/out.js', 'x.log', '.env', '.git/config', 'subway.ts'].map((n) => [n, 'needle'])),
      );
      assert.deepEqual(
        (await lines({ pattern: 'needle' })).filter((line) => !line.startsWith('[')),
        ['subway.ts:1:needle'],
      );
      assert.deepEqual(await lines({ pattern: 'needle', path: 'sub' }), [
        'No line matches in sub (1 files; binary ones are not searched).',
      ]);
      assert.deepEqual(await lines({ pattern: 'needle', path: 'dist' }), ['dist/out.js:1:needle']);
      assert.deepEqual(await lines({ pattern: 'needle', path: '.env' }), ['.env:1:needle']);
      assert.deepEqual(await lines({ pattern: 'needle', path: '.git' }), ['.git/config:1:needle']);
    });
  });

  it('searches hidden files and follows no link', async () => {
    await workspace.write('.github/ci.yml', 'needle');
    await symlink('/etc', workspace.path('etc'));
    assert.deepEqual(await lines({ pattern: 'needle|root' }), ['.github/ci.yml:1:needle']);
  });

  it('reads UTF-16, and names binary files instead of showing them (P1)', async () => {
    await workspace.write('wide.txt', Buffer.from('\uFEFFein needle grün\n', 'utf16le'));
    await workspace.write('program', Buffer.from('needle\0needle'));
    assert.deepEqual(await lines({ pattern: 'needle', path: 'program' }), [
      '[Matches in binary files, not shown: program]',
    ]);
    assert.deepEqual(await lines({ pattern: 'needle' }), ['wide.txt:1:ein needle grün']);
  });

  it('reads file names with spaces, colons and line breaks in them', async () => {
    for (const name of ['with space.txt', 'a:12:b.txt', '-e', 'new\nline.txt']) await workspace.write(name, 'needle');
    assert.deepEqual(
      (await search({ pattern: 'needle' })).output
        .split(':1:needle')
        .map((name) => name.trim())
        .sort(),
      ['', '"new\\nline.txt"', '-e', 'a:12:b.txt', 'with space.txt'],
    );
    assert.deepEqual(await lines({ pattern: 'needle', path: '-e' }), ['-e:1:needle']);
  });

  it('takes a pattern that looks like an option', async () => {
    await workspace.write('a.txt', 'run --files now');
    assert.deepEqual(await lines({ pattern: '--files' }), ['a.txt:1:run --files now']);
  });

  it('cuts long lines between characters', async () => {
    await workspace.write('a.txt', `needle ${'😀'.repeat(5000)}`);
    const [line] = await lines({ pattern: 'needle' });
    assert.ok([...line!].length < 400);
    assert.doesNotMatch(line!, /[\p{Surrogate}\uFFFD]/u);
  });

  it('is bounded, and counts what it leaves out', async () => {
    await workspace.write('a.txt', 'needle\n'.repeat(400));
    const all = await lines({ pattern: 'needle' });
    assert.equal(all.at(-1), '[150 more matches are not shown; narrow it down with pattern or path.]');
    workspace.with({ max_output_chars: 1000 });
    assert.ok([...(await search({ pattern: 'needle' })).output].length <= 1000);
    await workspace.write('a.txt', 'needle\n'.repeat(50_000));
    assert.match((await search({ pattern: 'needle' })).output, /\[At least \d+ more matches/);
  });

  it('says what is wrong with a pattern', async () => {
    await workspace.write('a.txt', 'x');
    for (const pattern of ['(', 'a\\', '(?<=x)y', 'a\0b']) {
      const { output, is_error } = await search({ pattern });
      assert.equal(is_error, true, pattern);
      assert.match(output, /regex parse error|NUL/);
    }
  });

  it('says when there is no ripgrep, no such place, or no file', async () => {
    await workspace.write('src/a.txt', 'x');
    assert.match((await search({ pattern: 'x', path: 'scr' })).output, /no scr\. Did you mean src\?/);
    assert.match((await search({ pattern: 'x', path: '/dev/zero' })).output, /neither a file nor a folder/);
    const { output, is_error } = await workspace.with({ ripgrep: undefined }).call(fileSearch, { pattern: 'x' });
    assert.equal(is_error, true);
    assert.match(output, /needs ripgrep/);
    workspace.with({ ripgrep: workspace.path('nowhere/rg') });
    assert.match((await search({ pattern: 'x' })).output, /ripgrep did not search/);
  });

  it('searches what it may read, and says that there was more', async function () {
    if (process.getuid?.() === 0) this.skip();
    await workspace.write('a.txt', 'needle');
    await workspace.write('b.txt', 'needle');
    await chmod(workspace.path('b.txt'), 0);
    assert.deepEqual(await lines({ pattern: 'needle' }), ['a.txt:1:needle', '[Some files could not be read.]']);
  });

  it('ends ripgrep when the call is stopped, and leaves it no key', async () => {
    const script = '#!/bin/sh\necho "$POLYGLAV_TEST_KEY" > key\necho $$ > pid\nexec sleep 60\n';
    await workspace.write('rg', script);
    await chmod(workspace.path('rg'), 0o755);
    const stop = new AbortController();
    process.env['POLYGLAV_TEST_KEY'] = 'a-secret-value';
    try {
      workspace.with({ ripgrep: workspace.path('rg'), signal: stop.signal, secret_env: ['POLYGLAV_TEST_KEY'] });
      const searching = search({ pattern: 'x' });
      while ((await workspace.text('pid').catch(() => '')) === '')
        await new Promise((resolve) => setTimeout(resolve, 10));
      stop.abort(new Error('stopped'));
      await assert.rejects(searching, /stopped/);
      assert.equal(await workspace.text('key'), '\n');
      const pid = Number(await workspace.text('pid'));
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    } finally {
      delete process.env['POLYGLAV_TEST_KEY'];
    }
  });
});
