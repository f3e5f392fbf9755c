import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

import { insertText, openFile, openLink } from '../../src/vscode/panelActions.ts';

describe('what the panel may do in the editor (P7)', () => {
  const { showWarningMessage } = vscode.window;
  const warnings: string[] = [];
  let folder: string;
  let outside: string;

  before(async () => {
    Object.assign(vscode.window, { showWarningMessage: async (text: string) => void warnings.push(text) });
    const root = await fs.realpath(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
    folder = await fs.mkdtemp(path.join(root, 'actions-'));
    outside = path.join(root, 'outside.txt');
    await fs.writeFile(outside, 'outside\n');
    await fs.writeFile(path.join(folder, 'a.txt'), 'one\ntwo\n');
    await fs.symlink(outside, path.join(folder, 'link.txt'));
  });
  beforeEach(async () => {
    warnings.length = 0;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(async () => {
    Object.assign(vscode.window, { showWarningMessage });
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await fs.rm(folder, { recursive: true });
    await fs.rm(outside);
  });

  it('opens a file of the workspace at a line', async () => {
    await openFile(folder, 'a.txt', 2);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, path.join(folder, 'a.txt'));
    assert.equal(editor.selection.active.line, 1);
  });

  for (const [what, name] of [
    ['above the workspace', '../outside.txt'],
    ['behind a link', 'link.txt'],
    ['that is not there', 'none.txt'],
    ['with a NUL', 'a\0.txt'],
    ['in the system', '/etc/hostname'],
  ] as const) {
    it(`opens no file ${what}`, async () => {
      await openFile(folder, name);
      assert.equal(vscode.window.activeTextEditor, undefined);
      assert.equal(warnings.length, 1);
    });
  }

  for (const href of [
    'command:workbench.action.terminal.new',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'vscode://x',
    'data:,x',
    'x',
  ])
    it(`follows no ${href}`, async () => {
      await openLink(href);
      assert.equal(warnings.length, 1);
    });

  it('inserts at the cursor and replaces nothing', async () => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path.join(folder, 'a.txt')));
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    await insertText('!');
    assert.equal(editor.document.getText(), 'one!\ntwo\n');
  });
});
