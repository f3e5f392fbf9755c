import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';

import { fileList } from '../../../src/tools/fileList.ts';
import { Workspace } from './workspace.ts';

describe('file_list', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const list = async (input: { path?: string; pattern?: string } = {}) =>
    (await workspace.call(fileList, input)).output.split('\n');

  async function project(): Promise<void> {
    await workspace.write('.gitignore', 'dist/\n*.log\n!keep.log\n');
    await workspace.write('src/.gitignore', 'generated.ts\n');
    for (const name of [
      'a.ts',
      'src/b.ts',
      'src/deep/c.test.ts',
      'src/generated.ts',
      'dist/out.js',
      'x.log',
      'keep.log',
    ])
      await workspace.write(name, '');
    await workspace.write('.git/HEAD', '');
    await workspace.write('.polyglav/sessions/s.json', '');
  }

  it('lists a folder and says what it skipped and why (P1)', async () => {
    await project();
    assert.deepEqual(await list(), [
      '.gitignore',
      'a.ts',
      'keep.log',
      'src/',
      '[Skipped: 2 ignored by git (dist/, x.log); 2 internal (.git/, .polyglav/). Give one as path to see it.]',
    ]);
  });

  it('lists what matches a pattern below the folder', async () => {
    await project();
    const shown = async (pattern: string) => (await list({ pattern })).filter((line) => !line.startsWith('['));
    assert.deepEqual(await shown('*.ts'), ['a.ts', 'src/b.ts', 'src/deep/c.test.ts']);
    assert.deepEqual(await shown('src/**/*.ts'), ['src/b.ts', 'src/deep/c.test.ts']);
    assert.deepEqual(await shown('./src/*'), ['src/.gitignore', 'src/b.ts', 'src/deep/']);
    assert.deepEqual(await shown('deep'), ['src/deep/']);
    assert.match(
      (await list({ pattern: '*.ts' })).at(-1)!,
      /Skipped: 3 ignored by git \(dist\/, src\/generated\.ts, x\.log\)/,
    );
  });

  it('says when nothing matches, and what was not looked at (P1)', async () => {
    await project();
    const [first, second] = await list({ pattern: 'out.js' });
    assert.equal(first, 'Nothing in the workspace matches out.js.');
    assert.match(second!, /dist\//);
  });

  it('tells the truth about an ignored folder that is asked for by name (P1)', async () => {
    await project();
    await workspace.write('dist/inner/x.log', '');
    assert.deepEqual(await list({ path: 'dist' }), ['inner/', 'out.js']);
    assert.deepEqual(await list({ path: 'dist/inner' }), ['x.log']);
    assert.deepEqual(await list({ path: '.polyglav/sessions' }), ['s.json']);
  });

  it('heeds the rules above the workspace in the same repository, and .git/info/exclude', async () => {
    await workspace.write('.git/info/exclude', 'private.txt\n');
    await workspace.write('.gitignore', 'built\n');
    await workspace.write('package/private.txt', '');
    await workspace.write('package/built/x', '');
    await workspace.write('package/a.ts', '');
    const folder = workspace.path('package');
    const { output } = await fileList.execute(
      {},
      { ...workspace.context(), workspace: folder, resolve: () => Promise.resolve(folder) },
    );
    assert.equal(output, 'a.ts\n[Skipped: 2 ignored by git (built/, private.txt). Give one as path to see it.]');
  });

  it('names links and follows none', async () => {
    await workspace.write('src/a.ts', '');
    await symlink('/etc', workspace.path('out'));
    await symlink('..', workspace.path('src/loop'));
    assert.deepEqual(await list(), ['out -> /etc', 'src/']);
    assert.deepEqual(await list({ pattern: '**' }), ['out -> /etc', 'src/', 'src/a.ts', 'src/loop -> ..']);
  });

  it('lists folders alone for a pattern with a slash at its end', async () => {
    await project();
    assert.deepEqual((await list({ pattern: '*/' })).slice(0, 2), ['src/', 'src/deep/']);
  });

  it('says what is wrong with a pattern', async () => {
    const { output, is_error } = await workspace.call(fileList, { pattern: 'src/[a' });
    assert.equal(is_error, true);
    assert.match(output, /^The pattern "src\/\[a" does not do: a \[ is never closed/);
  });

  it('shows each entry on one line, whatever its name', async () => {
    for (const name of ['one\nREADME.md', 'bell\x07', 'sep\u2028x', '"quoted"', 'plain "b"'])
      await workspace.write(name, '');
    await symlink('a\nb', workspace.path('link'));
    assert.deepEqual(await list(), [
      '"\\"quoted\\""',
      '"bell\\u0007"',
      'link -> "a\\nb"',
      '"one\\nREADME.md"',
      'plain "b"',
      '"sep\\u2028x"',
    ]);
    assert.match((await list({ path: 'one\nREADME.m' })).join(), /Did you mean "one\\nREADME\.md"/);
    await workspace.write('.gitignore', '*');
    assert.match((await list())[0]!, /^\S/);
    assert.match((await list()).at(-1)!, /ignored by git \(.*"bell\\u0007".*"one\\nREADME\.md"/);
  });

  it('heeds no ignore file that is too large, and says so', async () => {
    await workspace.write('sub/.gitignore', 'a.txt\n'.repeat(200_000));
    await workspace.write('sub/a.txt', '');
    assert.deepEqual(await list({ pattern: '*.txt' }), [
      'sub/a.txt',
      '[Too large to be heeded, so nothing was skipped because of it: sub/.gitignore]',
    ]);
  });

  /** Something else is to be done from this look at the signal on: it is stopped then. */
  const stopAfter = (most: number) => {
    const stop = new AbortController();
    let looks = 0;
    stop.signal.throwIfAborted = function () {
      if (++looks === most) setImmediate(() => stop.abort(new Error('stopped')));
      AbortSignal.prototype.throwIfAborted.call(this);
    };
    workspace.with({ signal: stop.signal });
  };

  it('leaves the thread to others while it compares with costly rules, and can be stopped', async () => {
    await workspace.write('.gitignore', Array.from({ length: 160 }, () => `${'*a'.repeat(60)}[b]`).join('\n'));
    for (let at = 0; at < 100; at++) await workspace.write(`${'a'.repeat(240)}${at}b`, '');
    stopAfter(3);
    await assert.rejects(workspace.call(fileList, {}), /stopped/);
  });

  it('leaves the thread to others while it compares many names with a pattern, and can be stopped', async () => {
    const names = 20;
    for (let at = 0; at < names; at++) await workspace.write(`${at}`, '');
    const { now } = performance;
    let looks = 0;
    // As if there was much to do between one name and the next.
    performance.now = () => now.call(performance) + 30 * ++looks;
    try {
      // The folder has been looked through by then, with two looks at the signal for each name.
      stopAfter(2 * names + 5);
      await assert.rejects(workspace.call(fileList, { pattern: '*a' }), /stopped/);
    } finally {
      performance.now = now;
    }
  });

  it('is bounded, and says how many are missing', async () => {
    await Promise.all(Array.from({ length: 1200 }, (_, index) => workspace.write(`many/${1000 + index}.txt`, '')));
    const all = await list({ path: 'many' });
    assert.equal(all.length, 1001);
    assert.equal(all.at(-1), '[200 more entries are not shown; narrow it down with path or pattern.]');
    const few = await workspace.with({ max_output_chars: 1000 }).call(fileList, { path: 'many' });
    assert.ok([...few.output].length <= 1000);
    assert.match(few.output, /\[1\d\d\d more entries are not shown/);
  });

  it('says when there is nothing, no folder, or a file', async () => {
    await mkdir(workspace.path('empty'));
    await workspace.write('a.txt', '');
    assert.deepEqual(await list({ path: 'empty' }), ['empty has no entries.']);
    assert.deepEqual(await list({ path: 'a.txt' }), ['a.txt is a file, not a folder; file_read shows it.']);
    assert.match((await list({ path: 'emtpy' }))[0]!, /no folder emtpy\. Did you mean empty\?/);
  });
});
