import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

import { diskFiles } from '../../src/tools/diskFiles.ts';
import { FileChangedError } from '../../src/tools/tool.ts';
import { EditorFiles } from '../../src/vscode/editorFiles.ts';

const files = new EditorFiles(diskFiles);

describe('files that are open in the editor (P1)', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    folder = await fs.realpath(await fs.mkdtemp(path.join(root, 'files-')));
    file = path.join(folder, 'a.txt');
    await fs.writeFile(file, 'one\ntwo\nthree\n');
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // VS Code may still be putting down what it saved.
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const open = async (name = file) => vscode.window.showTextDocument(vscode.Uri.file(name));
  const disk = async (name = file) => fs.readFile(name, 'utf8');
  const readText = async () => Buffer.from(await files.read(file)).toString();
  /** What an edit tool does: reads, changes, writes. */
  const change = async (edit: (text: string) => string, name = file) => {
    const before = await files.read(name);
    await files.write(name, Buffer.from(edit(Buffer.from(before).toString())), before);
  };
  const type = async (editor: vscode.TextEditor, line: number, inserted: string) => {
    assert.ok(await editor.edit((edit) => edit.insert(new vscode.Position(line, 0), inserted)));
  };

  it('names the files whose text is not on the disk, by their real paths', async () => {
    const unsaved = async () => (await files.unsaved()).filter((name) => name.startsWith(folder));
    assert.deepEqual(await unsaved(), []);
    const link = path.join(folder, 'link.txt');
    await fs.symlink(file, link);
    await type(await open(link), 0, 'mine ');
    assert.deepEqual(await unsaved(), [file]);
    await vscode.commands.executeCommand('workbench.action.files.save');
    assert.deepEqual(await unsaved(), []);
  });

  it('bases an edit of another line on the unsaved text, and undo brings that back', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    assert.equal(await readText(), 'mine one\ntwo\nthree\n');
    await change((text) => text.replace('three', 'drei'));
    assert.equal(editor.document.getText(), 'mine one\ntwo\ndrei\n');
    assert.equal(await disk(), 'mine one\ntwo\ndrei\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
  });

  it('does the same for the same line and for the whole file', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    await change((text) => text.replace('mine one', 'mine ONE'));
    assert.equal(await disk(), 'mine ONE\ntwo\nthree\n');
    await change(() => 'all new\n');
    assert.equal(editor.document.getText(), 'all new\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine ONE\ntwo\nthree\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
  });

  it('goes through a saved document too, so that undo works', async () => {
    const editor = await open();
    await change((text) => text.replace('two', 'zwei'));
    assert.equal(await disk(), 'one\nzwei\nthree\n');
    assert.equal(editor.document.isDirty, false);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'one\ntwo\nthree\n');
  });

  it('tells what a formatter made of the file on saving', async () => {
    await open();
    const before = await files.read(file);
    const written = Buffer.from('one\nzwei  \nthree\n');
    assert.deepEqual(Buffer.from(await files.write(file, written, before)), written);
    const formatter = vscode.workspace.onWillSaveTextDocument((event) =>
      event.waitUntil(Promise.resolve([vscode.TextEdit.delete(new vscode.Range(1, 4, 1, 6))])),
    );
    try {
      const saved = await files.write(file, Buffer.from('eins\nzwei  \nthree\n'), written);
      assert.equal(Buffer.from(saved).toString(), 'eins\nzwei\nthree\n');
      assert.equal(await disk(), 'eins\nzwei\nthree\n');
    } finally {
      formatter.dispose();
    }
  });

  it('refuses when the person typed since the text was read', async () => {
    const editor = await open();
    const before = await files.read(file);
    await type(editor, 1, 'mine ');
    await assert.rejects(files.write(file, Buffer.from('lost\n'), before), FileChangedError);
    assert.equal(editor.document.getText(), 'one\nmine two\nthree\n');
    assert.equal(await disk(), 'one\ntwo\nthree\n');
  });

  it('refuses when the file was changed on disk under a saved document', async () => {
    await open();
    const before = await files.read(file);
    await fs.writeFile(file, 'by another program\n');
    await assert.rejects(files.write(file, Buffer.from('lost\n'), before), FileChangedError);
    assert.equal(await disk(), 'by another program\n');
  });

  it('does not take an unsaved document for a file that is not there', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    await assert.rejects(files.write(file, Buffer.from('lost\n'), null), FileChangedError);
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
  });

  it('keeps unsaved text of a file that was deleted, as the basis of an edit that undo takes back', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    await fs.rm(file);
    await change((text) => text.replace('two', 'zwei'));
    assert.equal(await disk(), 'mine one\nzwei\nthree\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
  });

  it('leaves unsaved text alone when the file was renamed and is edited under its new name', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    const renamed = path.join(folder, 'b.txt');
    await fs.rename(file, renamed);
    await change((text) => text.replace('two', 'zwei'), renamed);
    assert.equal(await disk(renamed), 'one\nzwei\nthree\n');
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
    assert.equal(editor.document.isDirty, true);
  });

  it('leaves an untitled document alone that is meant for the same name', async () => {
    const name = path.join(folder, 'new.txt');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(name).with({ scheme: 'untitled' }));
    await type(await vscode.window.showTextDocument(document), 0, 'mine');
    await assert.rejects(files.read(name), { code: 'ENOENT' });
    await files.write(name, Buffer.from('of the agent'), null);
    assert.equal(await disk(name), 'of the agent');
    assert.equal(document.getText(), 'mine');
    assert.equal(document.isDirty, true);
  });

  it('does not save through a link that was put in the place of a folder (P4)', async () => {
    const inner = path.join(folder, 'inner');
    const outside = path.join(folder, 'outside');
    await fs.mkdir(inner);
    await fs.mkdir(outside);
    const [name, theirs] = [path.join(inner, 'a.txt'), path.join(outside, 'a.txt')];
    await fs.writeFile(name, 'one\n');
    await fs.writeFile(theirs, 'one\n');
    const editor = await open(name);
    await type(editor, 0, 'mine ');
    const before = await files.read(name);
    await fs.rename(inner, path.join(folder, 'moved'));
    await fs.symlink(outside, inner);
    await assert.rejects(files.write(name, Buffer.from('of the agent\n'), before));
    assert.equal(await disk(theirs), 'one\n');
    assert.equal(editor.document.getText(), 'mine one\n');
  });

  it('finds the document that was opened through a link', async () => {
    const link = path.join(folder, 'link.txt');
    await fs.symlink(file, link);
    const editor = await open(link);
    await type(editor, 0, 'mine ');
    assert.equal(await readText(), 'mine one\ntwo\nthree\n');
  });

  for (const [name, start] of [
    ['a UTF-8 mark', Buffer.from('\uFEFFone\r\ntwo\r\n')],
    ['UTF-16', Buffer.from('\uFEFFone\r\ntwo\r\n', 'utf16le')],
  ] as const) {
    it(`keeps ${name} and CRLF`, async () => {
      await fs.writeFile(file, start);
      const editor = await open();
      await type(editor, 0, 'ü ');
      const utf16 = name === 'UTF-16';
      const wanted = Buffer.from('\uFEFFü one\r\ntwo\r\n', utf16 ? 'utf16le' : 'utf8');
      const read = await files.read(file);
      assert.deepEqual(Buffer.from(read), wanted);
      await files.write(file, Buffer.from('\uFEFFü one\r\nzwei\r\n', utf16 ? 'utf16le' : 'utf8'), read);
      assert.deepEqual(await fs.readFile(file), Buffer.from('\uFEFFü one\r\nzwei\r\n', utf16 ? 'utf16le' : 'utf8'));
    });
  }

  it('writes what a document cannot hold to the disk, when nothing is unsaved', async () => {
    await fs.writeFile(file, 'one\r\ntwo\nthree\n');
    await open();
    await change((text) => text.replace('three', 'drei'));
    assert.equal(await disk(), 'one\r\ntwo\ndrei\n');
  });

  it('refuses mixed line endings for a document with unsaved changes', async () => {
    const editor = await open();
    await type(editor, 0, 'mine ');
    await assert.rejects(
      change((text) => text.replace('one\n', 'one\r\n')),
      /unsaved changes/,
    );
    assert.equal(editor.document.getText(), 'mine one\ntwo\nthree\n');
  });

  it('follows a change of all line endings', async () => {
    await open();
    await change((text) => text.replaceAll('\n', '\r\n'));
    assert.equal(await disk(), 'one\r\ntwo\r\nthree\r\n');
  });

  it('leaves files that are not open to the disk', async () => {
    await change((text) => text.replace('two', 'zwei'));
    assert.equal(await disk(), 'one\nzwei\nthree\n');
    await files.write(path.join(folder, 'new/b.txt'), Buffer.from('b'), null);
    assert.equal(await disk(path.join(folder, 'new/b.txt')), 'b');
    await assert.rejects(files.read(path.join(folder, 'none')), { code: 'ENOENT' });
  });
});
