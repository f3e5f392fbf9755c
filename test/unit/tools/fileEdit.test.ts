import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, link, rename, stat } from 'node:fs/promises';
import fc from 'fast-check';

import { diskFiles } from '../../../src/tools/diskFiles.ts';
import { fileEdit } from '../../../src/tools/fileEdit.ts';
import { fileRead } from '../../../src/tools/fileRead.ts';
import { Workspace } from './workspace.ts';

function hash(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

describe('file_edit', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  const edit = (input: { path?: string; old: string; new: string; all?: boolean }) =>
    workspace.call(fileEdit, { path: 'a.txt', ...input });

  /** Edits bytes and gives back the bytes. */
  async function edited(before: string | Buffer, old: string, replacement: string): Promise<Buffer> {
    await workspace.write('a.txt', before);
    const result = await edit({ old, new: replacement });
    assert.equal(result.is_error, undefined, result.output);
    return workspace.bytes('a.txt');
  }

  it('refuses a NUL character in the new text', async () => {
    await workspace.write('a.txt', 'old\n');
    const result = await workspace.call(fileEdit, { path: 'a.txt', old: 'old', new: 'a\0b' });
    assert.equal(result.is_error, true);
    assert.match(result.output, /new.*NUL/);
    assert.equal(await workspace.text('a.txt'), 'old\n');
  });

  it('replaces the text and says where, with the hashes of before and after', async () => {
    await workspace.write('src/a.ts', 'one\ntwo\nthree\n');
    const result = await edit({ path: 'src/a.ts', old: 'two', new: '2' });
    assert.equal(await workspace.text('src/a.ts'), 'one\n2\nthree\n');
    assert.equal(result.output, 'Edited src/a.ts at line 2.');
    const [before, after] = [Buffer.from('one\ntwo\nthree\n'), Buffer.from('one\n2\nthree\n')];
    assert.deepEqual(result.files, [{ path: 'src/a.ts', before: hash(before), after: hash(after) }]);
  });

  const endings: [name: string, before: string, after: string][] = [
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nX\r\nY\r\nc\r\n'],
    ['LF', 'a\nb\nc\n', 'a\nX\nY\nc\n'],
    ['CR', 'a\rb\rc\r', 'a\rX\rY\rc\r'],
    ['mixed endings', 'a\nb\r\nc\r\n', 'a\nX\r\nY\r\nc\r\n'],
    ['a lone CR inside a line elsewhere', 'a\nb\nc\rd\n', 'a\nX\nY\nc\rd\n'],
  ];
  for (const [name, before, after] of endings)
    it(`finds lines in a file with ${name} and changes no other byte (P1)`, async () => {
      assert.deepEqual(await edited(before, 'a\nb\nc', 'a\nX\nY\nc'), Buffer.from(after));
    });

  it('refuses to replace more than it can do at once, and to make a file that cannot be read again', async () => {
    await workspace.write('a.txt', 'ab '.repeat(10_001));
    assert.match(
      (await edit({ old: 'ab ', new: 'c', all: true })).output,
      /^The text to replace \(old\) is in a\.txt more than 10000 times, too /,
    );
    assert.equal(await workspace.text('a.txt'), 'ab '.repeat(10_001));
    await workspace.write('a.txt', 'ab '.repeat(10_000));
    const large = await edit({ old: 'ab ', new: 'x'.repeat(2100), all: true });
    assert.match(large.output, /^a\.txt would become too large: /);
    assert.match((await edit({ old: 'ab ', new: 'c', all: true })).output, /^Edited a\.txt in 10000 places/);
  });

  it('says so when the file had other names, which keep the old content', async () => {
    await workspace.write('a.txt', 'one\n');
    await link(workspace.path('a.txt'), workspace.path('b.txt'));
    const { output } = await edit({ old: 'one', new: 'two' });
    assert.equal(output, 'Edited a.txt at line 1.\n[It had 2 names (hard links); the others keep the old content.]');
    assert.equal(await workspace.text('b.txt'), 'one\n');
    assert.equal((await edit({ old: 'two', new: 'three' })).output, 'Edited a.txt at line 1.');
  });

  it('takes search text with CRLF in a file with LF', async () => {
    assert.deepEqual(await edited('a\nb\n', 'a\r\nb', 'a\r\nc'), Buffer.from('a\nc\n'));
  });

  const marked: [name: string, encode: (text: string) => Buffer][] = [
    ['a UTF-8 mark', (text) => Buffer.from(`\uFEFF${text}`)],
    ['a UTF-16 mark, little end first', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['a UTF-16 mark, big end first', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ];
  for (const [name, encode] of marked)
    it(`keeps ${name} once and matches the first line (P1)`, async () => {
      assert.deepEqual(await edited(encode('über\r\nZoë 😀\r\n'), 'über\nZoë', 'üb\nZoé'), encode('üb\r\nZoé 😀\r\n'));
    });

  it('keeps every byte around the edit, whatever they are (P1)', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\t', '\r\n', '\n', '\r'), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(line, line, fc.boolean(), async (before, after, bom) => {
        const mark = bom ? '\uFEFF' : '';
        const bytes = await edited(`${mark}${before}OLD${after}`, 'OLD', 'n€w');
        assert.deepEqual(bytes, Buffer.from(`${mark}${before}n€w${after}`));
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the mode of the file', async () => {
    await workspace.write('a.txt', 'old');
    await chmod(workspace.path('a.txt'), 0o751);
    await edit({ old: 'old', new: 'new' });
    assert.equal((await stat(workspace.path('a.txt'))).mode & 0o777, 0o751);
  });

  it('names the lines of several matches, and replaces them only with all', async () => {
    await workspace.write('a.txt', 'x = 1\ny = 2\nx = 1\n');
    const refused = await edit({ old: 'x = 1', new: 'x = 3' });
    assert.equal(refused.is_error, true);
    assert.match(
      refused.output,
      /^The text to replace \(old\) is in a\.txt 2 times, at lines 1, 3\. .* set all to true/,
    );
    assert.equal(await workspace.text('a.txt'), 'x = 1\ny = 2\nx = 1\n');
    const result = await edit({ old: 'x = 1', new: 'x = 3', all: true });
    assert.equal(result.output, 'Edited a.txt in 2 places, at lines 1, 3.');
    assert.equal(await workspace.text('a.txt'), 'x = 3\ny = 2\nx = 3\n');
  });

  it('does not guess between matches that overlap', async () => {
    await workspace.write('a.txt', 'aaa');
    assert.match((await edit({ old: 'aa', new: 'b' })).output, /2 times/);
    await edit({ old: 'aa', new: 'b', all: true });
    assert.equal(await workspace.text('a.txt'), 'ba');
  });

  it('does not count for ever', async () => {
    await workspace.write('a.txt', 'a'.repeat(1_000_000));
    assert.match(
      (await edit({ old: 'a'.repeat(400_000), new: 'b' })).output,
      /in a\.txt at least 1000 times, at line 1\./,
    );
  });

  it('takes the replacement as it is, with no pattern in it', async () => {
    assert.equal((await edited('a.b', 'a.b', '$& $1 \\n')).toString(), '$& $1 \\n');
  });

  it('records what the file holds then, and says so, when an editor changed it on saving', async () => {
    await workspace.write('a.txt', 'one\n');
    const files = {
      ...diskFiles,
      write: async (file: string, content: Uint8Array, expected: Uint8Array | null) =>
        diskFiles.write(file, Buffer.concat([content, Buffer.from('\n')]), expected),
    };
    workspace.with({ files });
    const { output, files: changes } = await edit({ old: 'one', new: 'eins' });
    assert.match(output, /^Edited a\.txt at line 1\.\n\[The editor changed it further on saving\./);
    assert.deepEqual(changes, [
      { path: 'a.txt', before: hash(Buffer.from('one\n')), after: hash(Buffer.from('eins\n\n')) },
    ]);
  });

  it('shows the nearest lines when there is no match', async () => {
    await workspace.write('a.txt', 'function first() {}\nfunction second(a, b) {\n  return a + b;\n}\n');
    const { output, is_error } = await edit({ old: 'function second(a, c) {\n  return a;', new: '' });
    assert.equal(is_error, true);
    assert.match(
      output,
      /^The text to replace \(old\) is not in a\.txt; nothing was changed\.\nThe nearest lines are:\n2\tfunction second\(a, b\) \{\n3\t {2}return a \+ b;$/,
    );
  });

  it('says what a model most often gets wrong', async () => {
    await workspace.write('a.txt', 'if (a) {\n\treturn b;\n}\n');
    assert.match((await edit({ old: 'if (a) {\n  return b;\n}', new: 'x' })).output, /other white space/);
    assert.match((await edit({ old: '1\tif (a) {\n2\t\treturn b;', new: 'x' })).output, /line numbers/);
  });

  it('finds the nearest line in a large file', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `const value${index} = compute(${index * 7});`);
    await workspace.write('a.txt', lines.join('\n'));
    assert.match(
      (await edit({ old: 'const value77777 = compute(1);', new: '' })).output,
      /nearest lines are:\n\d+\tconst value77/,
    );
  });

  it('says when the file had changed since the model read it, and edits what is there (P1)', async () => {
    await workspace.write('a.txt', 'one\ntwo\n');
    await workspace.call(fileRead, { path: 'a.txt' });
    assert.doesNotMatch((await edit({ old: 'one', new: 'eins' })).output, /changed since/);
    assert.doesNotMatch((await edit({ old: 'two', new: 'zwei' })).output, /changed since/);
    await workspace.write('a.txt', 'eins\nzwei\ntheirs\n');
    assert.match((await edit({ old: 'zwei', new: 'dos' })).output, /^Edited a\.txt at line 2\. It had changed since/);
    assert.equal(await workspace.text('a.txt'), 'eins\ndos\ntheirs\n');
  });

  it('refuses what would change nothing', async () => {
    await workspace.write('a.txt', 'a\r\nb');
    const result = await edit({ old: 'a\nb', new: 'a\r\nb' });
    assert.equal(result.is_error, true);
    assert.match(result.output, /are the same, line endings aside; nothing was changed/);
  });

  const untouchable: [name: string, bytes: Buffer, says: RegExp][] = [
    ['bytes that are no UTF-8', Buffer.from('caf\xe9 old and more text', 'latin1'), /not UTF-8/],
    ['a text with one NUL', Buffer.from('old\0'), /binary/],
    ['a PNG', Buffer.concat([Buffer.from([0x89]), Buffer.from('PNG\0old')]), /PNG image/],
    ['an empty file', Buffer.alloc(0), /is empty; use file_write/],
    ['a file with only a mark', Buffer.from('\uFEFF'), /is empty; use file_write/],
  ];
  for (const [name, bytes, says] of untouchable)
    it(`refuses ${name} and leaves it as it is (P1)`, async () => {
      await workspace.write('a.txt', bytes);
      const result = await edit({ old: 'old', new: 'new' });
      assert.equal(result.is_error, true);
      assert.match(result.output, says);
      assert.deepEqual(await workspace.bytes('a.txt'), bytes);
    });

  it('says which names are near a missing one', async () => {
    await workspace.write('src/parser.ts', '');
    assert.match(
      (await edit({ path: 'src/parsr.ts', old: 'a', new: 'b' })).output,
      /no file src\/parsr\.ts\. Did you mean src\/parser\.ts\?/,
    );
    assert.match(
      (await edit({ path: 'scr/parser.ts', old: 'a', new: 'b' })).output,
      /no folder scr either\. Did you mean src\?/,
    );
  });

  it('changes nothing when the file changed between reading and writing (P1)', async () => {
    await workspace.write('a.txt', 'old');
    await workspace.write('theirs.txt', 'old, and what someone wrote');
    workspace.with({
      files: {
        read: async (file) => {
          const bytes = await diskFiles.read(file);
          await rename(workspace.path('theirs.txt'), workspace.path('a.txt'));
          return bytes;
        },
        write: diskFiles.write,
        unsaved: diskFiles.unsaved,
      },
    });
    const result = await edit({ old: 'old', new: 'new' });
    assert.equal(result.is_error, true);
    assert.equal(result.files, undefined);
    assert.match(result.output, /changed by someone else/);
    assert.equal(await workspace.text('a.txt'), 'old, and what someone wrote');
  });

  it('previews exactly what it then does, and touches nothing', async () => {
    await workspace.write('a.txt', 'a\r\nb\r\n');
    const input = { path: 'a.txt', old: 'b', new: 'c\nd' };
    assert.deepEqual(await fileEdit.preview?.(input, workspace.context()), {
      path: 'a.txt',
      before: 'a\r\nb\r\n',
      after: 'a\r\nc\r\nd\r\n',
    });
    assert.equal(await workspace.text('a.txt'), 'a\r\nb\r\n');
    await assert.rejects(
      async () => fileEdit.preview?.({ ...input, old: 'zzz' }, workspace.context()),
      /\(old\) is not in a\.txt/,
    );
  });

  it('matches what file_read shows, without the numbers', async () => {
    await workspace.write('a.txt', '\uFEFFfirst\r\n\tsecond\r\n');
    const { output } = await workspace.call(fileRead, { path: 'a.txt' });
    const shown = output.split('\n').map((line) => line.replace(/^\d+\t/, ''));
    await edit({ old: shown.join('\n'), new: 'done' });
    assert.equal(await workspace.text('a.txt'), '\uFEFFdone\r\n');
  });

  it('opens nothing when the path does not lead where it was decided', async () => {
    await workspace.write('a.txt', 'old');
    workspace.with({ resolve: () => Promise.reject(new Error('led elsewhere')) });
    await assert.rejects(edit({ old: 'old', new: 'new' }), /led elsewhere/);
    assert.equal(await workspace.text('a.txt'), 'old');
  });
});
