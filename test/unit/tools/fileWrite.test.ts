import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';

import { fileRead } from '../../../src/tools/fileRead.ts';
import { fileWrite } from '../../../src/tools/fileWrite.ts';
import { parseInput } from '../../../src/tools/input.ts';
import { Workspace } from './workspace.ts';

describe('file_write', () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await Workspace.make()));
  afterEach(() => workspace.remove());

  /** As a model does it that has read the file. */
  const write = async (path: string, content: string) => {
    await workspace.call(fileRead, { path });
    return workspace.call(fileWrite, { path, content });
  };

  it('makes a file and the folders above it, with the newlines as they are', async () => {
    const result = await write('new/deep/a.txt', 'x\r\ny\n');
    assert.equal(result.output, 'Created new/deep/a.txt (5 bytes).');
    assert.equal(await workspace.text('new/deep/a.txt'), 'x\r\ny\n');
    assert.equal(result.files?.[0]?.before, null);
  });

  it('replaces a file and says so', async () => {
    await workspace.write('a.txt', 'old');
    const result = await write('a.txt', 'newer');
    assert.equal(result.output, 'Replaced the content of a.txt (5 bytes).');
    assert.match(result.files?.[0]?.before ?? '', /^sha256:[0-9a-f]{64}$/);
  });

  const kept: [name: string, before: Buffer, content: string, after: Buffer][] = [
    ['a UTF-8 mark', Buffer.from('\uFEFFold'), 'é', Buffer.from('\uFEFFé')],
    ['a mark once, when the content brings one too', Buffer.from('\uFEFFold'), '\uFEFFé', Buffer.from('\uFEFFé')],
    ['a mark of a file with nothing else', Buffer.from('\uFEFF'), 'é', Buffer.from('\uFEFFé')],
    ['UTF-16', Buffer.from('\uFEFFold', 'utf16le'), 'é\n', Buffer.from('\uFEFFé\n', 'utf16le')],
    ['CRLF', Buffer.from('a\r\nb\r\n'), 'a\nc\nd\n', Buffer.from('a\r\nc\r\nd\r\n')],
    [
      'the ending of each line that stays',
      Buffer.from('a\r\nb\nc\r\n'),
      'a\nb\nc\nd\n',
      Buffer.from('a\r\nb\nc\r\nd\r\n'),
    ],
    ['endings that the content brings', Buffer.from('a\nb\n'), 'a\r\nb\r\n', Buffer.from('a\r\nb\r\n')],
  ];
  for (const [name, before, content, after] of kept)
    it(`keeps ${name} (P1)`, async () => {
      await workspace.write('a.txt', before);
      await write('a.txt', content);
      assert.deepEqual(await workspace.bytes('a.txt'), after);
    });

  for (const content of ['', ',"content":null', ',"content":7', ',"content":{}', ',"content":["x"]'])
    it(`is not run with {"path":"a.txt"${content}} (P1)`, () => {
      const parsed = parseInput(fileWrite, `{"path":"a.txt"${content}}`);
      assert.ok('error' in parsed && /content/.test(parsed.error));
    });

  it('takes real empty content (P1)', async () => {
    await workspace.write('a.txt', 'old');
    assert.deepEqual(parseInput(fileWrite, '{"path":"a.txt","content":""}'), { input: { path: 'a.txt', content: '' } });
    await write('a.txt', '');
    assert.equal(await workspace.text('a.txt'), '');
  });

  it('writes nothing when the content is there already', async () => {
    await workspace.write('a.txt', 'same');
    const result = await write('a.txt', 'same');
    assert.match(result.output, /exactly this content already/);
    assert.equal(result.files, undefined);
    assert.equal(await fileWrite.preview?.({ path: 'a.txt', content: 'same' }, workspace.context()), undefined);
  });

  it('replaces only what the model knows in its present state (P1)', async () => {
    const over = (content: string) => workspace.call(fileWrite, { path: 'a.txt', content });
    await workspace.write('a.txt', 'theirs');
    assert.match((await over('mine')).output, /^a\.txt exists already, and you have not read it\. Read it/);
    const preview = async () => fileWrite.preview?.({ path: 'a.txt', content: 'mine' }, workspace.context());
    await assert.rejects(preview, /you have not read it/);
    await workspace.call(fileRead, { path: 'a.txt', lines: 1 });
    await workspace.write('a.txt', 'theirs again');
    assert.match((await over('mine')).output, /^a\.txt has changed since you last read it\. Read it again/);
    assert.equal(await workspace.text('a.txt'), 'theirs again');
    await workspace.call(fileRead, { path: 'a.txt' });
    for (const content of ['mine', 'mine again']) assert.equal((await over(content)).is_error, undefined);
    assert.equal(await workspace.text('a.txt'), 'mine again');
  });

  it('fills an empty file, in which nothing can be lost', async () => {
    await workspace.write('a.txt', '');
    await workspace.call(fileWrite, { path: 'a.txt', content: 'x' });
    assert.equal(await workspace.text('a.txt'), 'x');
  });

  it('refuses to turn a binary or undecodable file into text', async () => {
    for (const bytes of [Buffer.from('a\0b'), Buffer.from('some caf\xe9 text', 'latin1')]) {
      await workspace.write('a.bin', bytes);
      assert.equal((await write('a.bin', 'text')).is_error, true);
      assert.deepEqual(await workspace.bytes('a.bin'), bytes);
    }
  });

  it('refuses a folder', async () => {
    await mkdir(workspace.path('folder'));
    assert.match((await write('folder', 'x')).output, /is a folder/);
    assert.match((await write('folder/', 'x')).output, /names a folder/);
  });

  it('says when a part of the path is a file', async () => {
    await workspace.write('a.txt', 'x');
    const result = await write('a.txt/b.txt', 'x');
    assert.equal(result.is_error, true);
    assert.match(result.output, /a part of its path is a file/);
    assert.equal(await workspace.text('a.txt'), 'x');
  });

  it('refuses a NUL character, which no tool could read again', async () => {
    const result = await write('a.txt', 'a\0b');
    assert.equal(result.is_error, true);
    assert.match(result.output, /content.*NUL.*nothing was written/);
    await assert.rejects(workspace.text('a.txt'));
  });

  it('names a folder in its place relative to the workspace', async () => {
    await mkdir(`${workspace.root}/sub/d`, { recursive: true });
    const result = await workspace.call(fileWrite, { path: 'sub/d', content: 'x' });
    assert.equal(result.is_error, true);
    assert.match(result.output, /^sub\/d is a folder/);
  });

  it('previews a new file and a replaced one', async () => {
    await workspace.write('a.txt', 'a\r\n');
    await workspace.call(fileRead, { path: 'a.txt' });
    const preview = (path: string) => fileWrite.preview?.({ path, content: 'b\n' }, workspace.context());
    assert.deepEqual(await preview('a.txt'), { path: 'a.txt', before: 'a\r\n', after: 'b\r\n' });
    assert.deepEqual(await preview('new.txt'), { path: 'new.txt', before: null, after: 'b\n' });
  });
});
