import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

import { deleteSession } from '../../src/commands/sessionsDelete.ts';
import { SessionStore } from '../../src/session/store.ts';
import { commandContext } from '../../src/vscode/commandContext.ts';
import { exportAndOffer } from '../../src/vscode/exporting.ts';
import { Chat } from './chatFixture.ts';

describe('the palette commands of sessions', () => {
  const { showWarningMessage, showInformationMessage, showQuickPick } = vscode.window;
  let chat: Chat;
  /** Questions of the modals, and what is pressed. */
  let asked: string[];
  let press: string | undefined;
  let told: string[];

  beforeEach(async () => {
    asked = [];
    told = [];
    press = undefined;
    chat = await Chat.open();
    Object.assign(vscode.window, {
      showWarningMessage: async (question: string, ...rest: unknown[]) => {
        asked.push(question);
        return rest.includes(press) || question === 'Delete it for good?' ? rest.at(-1) : undefined;
      },
      showInformationMessage: async (text: string) => void told.push(text),
      showQuickPick: async (items: readonly { label: string }[]) => items.find(({ label }) => label === 'HTML'),
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showWarningMessage, showInformationMessage, showQuickPick });
    await chat.close();
    await fs.rm(chat.folder, { recursive: true, force: true });
  });

  it('delete the session that is open and idle after a yes, and show a new one', async () => {
    await chat.send('1', 'hello');
    await chat.idle();
    const { desk } = chat;
    const name = desk.active.run!.name;
    assert.equal(await deleteSession(commandContext(desk), name), false);
    assert.equal(desk.active.run!.name, name);
    press = 'Delete';
    assert.equal(await deleteSession(commandContext(desk), name), true);
    assert.equal(asked[0], `Delete the session "${name}"?`);
    assert.deepEqual(await chat.files(), []);
    assert.equal(desk.active.run, undefined);
    await chat.send('2', 'next');
    await chat.idle();
    assert.notEqual(desk.active.run!.name, name);
  });

  it('delete nothing that another program has', async () => {
    const store = new SessionStore(chat.folder, { version: '0.0.0', program: 'another window' });
    const file = await store.create({ name: 'theirs' });
    press = 'Delete';
    await assert.rejects(deleteSession(commandContext(chat.desk), 'theirs'), /open in another window/);
    assert.deepEqual(asked, []);
    await file.close();
  });

  it('export HTML, and replace an export only after a yes', async () => {
    const run = await chat.desk.engine.create('mine');
    await (
      await run.submit('hello')
    ).done;
    await exportAndOffer(chat.desk, 'mine');
    const file = path.join(chat.folder, '.polyglav/exports/mine.html');
    assert.deepEqual(told, ['Exported to .polyglav/exports/mine.html.']);
    await fs.writeFile(file, 'mine');
    await exportAndOffer(chat.desk, 'mine');
    assert.equal(await fs.readFile(file, 'utf8'), 'mine');
    press = 'Replace';
    await exportAndOffer(chat.desk, 'mine');
    assert.match(await fs.readFile(file, 'utf8'), /^<!doctype html>/i);
  });
});
