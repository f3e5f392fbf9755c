import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';

import { loadConfig, userConfigFile } from '../../src/config/load.ts';
import type { Desk } from '../../src/vscode/desk.ts';
import { openSettings } from '../../src/vscode/settingsFile.ts';

describe('the settings file', () => {
  const { showInformationMessage } = vscode.window;
  let root: string;
  let desk: Desk;
  let questions: string[];
  let answer: string | undefined;
  const project = () => path.join(desk.workspace, '.polyglav', 'config.json');
  const opened = () => vscode.window.activeTextEditor?.document.uri.fsPath;
  const line = () => vscode.window.activeTextEditor?.selection.active.line;

  beforeEach(async () => {
    root = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'polyglav-settings-')));
    const [workspace, home] = [path.join(root, 'project'), path.join(root, 'home')];
    await fs.mkdir(path.join(workspace, '.polyglav'), { recursive: true });
    const engine = { config: () => loadConfig({ workspace, home }) };
    desk = { workspace, engine, userFile: userConfigFile(home) } as unknown as Desk;
    questions = [];
    answer = undefined;
    Object.assign(vscode.window, {
      showInformationMessage: async (text: string) => {
        questions.push(text);
        return answer;
      },
    });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showInformationMessage });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await fs.rm(root, { recursive: true });
  });

  it('is the person’s own, which is made after a yes, for the person alone', async () => {
    await fs.writeFile(project(), '{ "mode": "biuld" }');
    await openSettings(desk);
    assert.match(questions.join(), /^You have no settings of your own .* Create .*config\.json\?$/);
    assert.equal(opened(), undefined);
    answer = 'Create It';
    await openSettings(desk);
    assert.equal(opened(), desk.userFile);
    if (process.platform !== 'win32') assert.equal((await fs.stat(desk.userFile)).mode & 0o777, 0o600);
    await openSettings(desk);
    assert.equal(questions.length, 2);
  });

  it('is the one at fault, at its first fault, where that was asked for', async () => {
    await fs.mkdir(path.dirname(desk.userFile));
    await fs.writeFile(desk.userFile, '{\n\n  "modle": "a/b"\n}\n');
    await fs.writeFile(project(), '{\n  "mode": "biuld"\n}\n');
    await openSettings(desk, project());
    assert.deepEqual([opened(), line()], [project(), 1]);
    await openSettings(desk, desk.userFile);
    assert.deepEqual([opened(), line()], [desk.userFile, 2]);
  });

  it('is no other file, whatever the page asks for', async () => {
    await fs.mkdir(path.dirname(desk.userFile));
    await fs.writeFile(desk.userFile, '{}');
    await fs.writeFile(path.join(root, 'secret'), '');
    await openSettings(desk, path.join(root, 'secret'));
    assert.equal(opened(), desk.userFile);
    assert.deepEqual(questions, []);
  });
});
