import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import fc from 'fast-check';

import { fileRead } from '../../../src/tools/fileRead.ts';
import { Workspace } from './workspace.ts';

describe('file_read', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const read = (input: { path?: string; from?: number; lines?: number } = {}) =>
    workspace.call(fileRead, { path: 'a.txt', ...input });

  it('shows each line as number, tab and text, whatever the line endings', async () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      await workspace.write('a.txt', ['one', '\ttwo', ''].join(ending));
      assert.equal((await read()).output, '1\tone\n2\t\ttwo');
    }
  });

  it('hides the mark and reads UTF-16 (P1)', async () => {
    await workspace.write('a.txt', '\uFEFFfirst');
    assert.equal((await read()).output, '1\tfirst');
    await workspace.write('a.txt', Buffer.from('\uFEFFgrün 😀\r\nzwei', 'utf16le'));
    assert.equal((await read()).output, '1\tgrün 😀\n2\tzwei');
    await workspace.write('a.txt', Buffer.from('\uFEFFgrün', 'utf16le').swap16());
    assert.equal((await read()).output, '1\tgrün');
  });

  it('says that a file is empty', async () => {
    for (const content of ['', '\uFEFF']) {
      await workspace.write('a.txt', content);
      assert.equal((await read()).output, 'a.txt is empty.');
    }
    await workspace.write('a.txt', '\n');
    assert.equal((await read()).output, '1\t');
  });

  it('shows the lines that are asked for, and says how to go on', async () => {
    await workspace.write('a.txt', 'a\nb\nc\nd\n');
    assert.equal((await read({ from: 2, lines: 2 })).output, '2\tb\n3\tc\n[Lines 2 to 3 of 4. Read on with from: 4.]');
    assert.equal((await read({ from: 3, lines: 9 })).output, '3\tc\n4\td\n[Lines 3 to 4 of 4.]');
    const past = await read({ from: 5 });
    assert.deepEqual([past.is_error, past.output], [true, 'a.txt has 4 lines; there is no line 5.']);
  });

  it('is read whole, page by page, whatever is in it', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', '😀', '\t', ' ', 'é'), maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 60 }), async (lines) => {
        fc.pre(lines.some((text) => text !== ''));
        workspace.with({ max_output_chars: 1000 });
        await workspace.write('a.txt', `${lines.join('\n')}\n`);
        const seen: string[] = [];
        for (let from: number | undefined = 1; from !== undefined;) {
          const { output } = await read({ from });
          assert.ok([...output].length <= 1000);
          const shown = output.split('\n').filter((text) => /^\d+\t/.test(text));
          for (const text of shown) seen.push(text.replace(/^\d+\t/, ''));
          const next = /Read on with from: (\d+)\./.exec(output)?.[1];
          assert.ok(shown.length > 0);
          from = next === undefined ? undefined : Number(next);
        }
        assert.deepEqual(seen, lines);
      }),
      { numRuns: 30 },
    );
  });

  it('cuts long lines between characters and says so', async () => {
    await workspace.write('a.txt', `short\n${'👨‍👩‍👧'.repeat(1000)}\nlast\n`);
    const { output } = await read();
    assert.match(output, /… \(3000 more characters\)\n3\tlast\n\[Line 2 is too long to be shown whole; run_command/);
    assert.doesNotMatch(output, /\p{Surrogate}/u);
  });

  it('keeps to its bound with a single huge line (P1)', async () => {
    await workspace.write('a.txt', '😀'.repeat(500_000));
    workspace.with({ max_output_chars: 1000 });
    const { output } = await read();
    assert.ok([...output].length <= 1000);
    assert.match(output, /more characters\)\n\[Line 1 is too long/);
  });

  it('shows text in another encoding as well as it can, and says so', async () => {
    await workspace.write('a.txt', Buffer.from('un caf\xe9 noir\n', 'latin1'));
    assert.match((await read()).output, /^1\tun caf\uFFFD noir\n\[Some bytes are not UTF-8/);
  });

  it('names a binary file as such and shows nothing of it (P1)', async () => {
    const program = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46]), Buffer.from('\0secret words')]);
    for (const [bytes, kind] of [
      [program, /a program/],
      [Buffer.from('text with one \0'), /a binary file/],
      [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR secret', 'latin1'), /a PNG image/],
      [Buffer.from('%PDF-1.7\nsecret'), /a PDF document/],
      [Buffer.from('PK\x03\x04\x14\0\0\0secret'), /a zip archive/],
      [Buffer.from('MZ\x90\0secret', 'latin1'), /a program/],
    ] as const) {
      await workspace.write('a.txt', bytes);
      const { output, is_error } = await read();
      assert.equal(is_error, true);
      assert.match(output, kind);
      assert.doesNotMatch(output, /secret|with one/);
    }
  });

  it('tells the record what it read, with one hash', async () => {
    await workspace.write('sub/a.txt', 'x');
    const { files } = await read({ path: 'sub/../sub/a.txt' });
    assert.equal(files?.length, 1);
    assert.equal(files[0]?.path, 'sub/a.txt');
    assert.equal(files[0].before, files[0].after);
  });

  it('refuses folders and special files', async () => {
    await mkdir(workspace.path('folder'));
    execFileSync('mkfifo', [workspace.path('pipe')]);
    assert.match((await read({ path: 'folder' })).output, /folder is a folder; file_list/);
    assert.match((await read({ path: 'pipe' })).output, /no regular file/);
    assert.match((await read({ path: '/dev/zero' })).output, /no regular file/);
  });

  it('says which names are near a missing one', async () => {
    await workspace.write('src/Button.tsx', '');
    await workspace.write('src/other.css', '');
    const { output, is_error } = await read({ path: 'src/button.ts' });
    assert.equal(is_error, true);
    assert.equal(output, 'There is no file src/button.ts. Did you mean src/Button.tsx?');
    assert.match((await read({ path: 'src/zzz' })).output, /Nothing in src has a name like it; file_list/);
    assert.match((await read({ path: 'scr/other.css' })).output, /There is no folder scr either\. Did you mean src\?/);
    assert.match((await read({ path: 'nowhere/at/all.ts' })).output, /Nothing in the workspace has a name like it/);
  });

  it('passes on why a path cannot be used', async () => {
    const { output, is_error } = await read({ path: '~/notes.txt' });
    assert.equal(is_error, true);
    assert.match(output, /not the home folder/);
  });

  it('does nothing once it is stopped', async () => {
    const reason = new Error('stopped');
    await assert.rejects(
      workspace.with({ signal: AbortSignal.abort(reason) }).call(fileRead, { path: 'a.txt' }),
      reason,
    );
  });
});
