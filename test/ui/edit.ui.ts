/** A change to a file: asked for by a native modal over its diff, made, shown and recorded. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { faultsOf } from '../support/documentedRecord.ts';
import { Chat } from './harness/chat.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

describe('an edit', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench({
      files: { 'greet.txt': 'Hello, world\nand all\n', 'notes.txt': 'one\ntwo\nthree\n' },
      // In a browser VS Code saves by itself.
      settings: { 'files.autoSave': 'off' },
    });
    chat = new Chat(window);
    await window.openChat();
  });
  after(() => window.dispose());

  it('is asked for by a modal that says what, where and for how long, over its diff', async () => {
    await chat.send('in greet.txt replace Hello with Hi');
    const modal = await window.modal('Edit greet.txt');
    const words = await modal.innerText();
    assert.ok(words.includes(path.join(window.folder, 'greet.txt')), words);
    assert.match(words, /Session: in greet\.txt replace Hello with Hi/);
    assert.match(words, /“Allow for This Session”: all edits in this folder, until the window closes or reloads\./);
    await window.page.locator('.tab', { hasText: 'greet.txt (proposed)' }).waitFor();
    const diff = window.page.locator('.monaco-diff-editor');
    await diff.locator('.original', { hasText: 'Hello, world' }).waitFor();
    await diff.locator('.modified', { hasText: 'Hi, world' }).waitFor();
    await chat.panel.getByText('Waiting for your permission').first().waitFor();
    await window.statusBarItem('Polyglav waits for you').waitFor();
    assert.equal(window.read('greet.txt'), 'Hello, world\nand all\n', 'nothing has happened yet');
    await window.shot('asked');
  });

  it('allowed once, is made, shown in its card and recorded', async () => {
    await window.answerModal('Allow Once');
    await chat.ended(1);
    assert.equal(window.read('greet.txt'), 'Hi, world\nand all\n');
    await window.page.locator('.tab', { hasText: 'greet.txt (proposed)' }).waitFor({ state: 'detached' });
    const card = chat.call(1, 'Edit greet.txt');
    await card.getByRole('button', { name: /Edit greet\.txt/ }).click();
    await card.locator('.diff-row.removed', { hasText: 'Hello' }).waitFor();
    await card.locator('.diff-row.added', { hasText: 'Hi' }).waitFor();
    await card.getByText('You allowed this once.').waitFor();
    await window.shot('made');

    const session = await window.recorded(1);
    assert.deepEqual(faultsOf(session), []);
    const { tool, action, decision, by, path: file } = session.permissions.at(-1)!;
    assert.deepEqual(
      { tool, action, decision, by, file },
      {
        tool: 'file_edit',
        action: 'ask',
        decision: 'granted',
        by: 'once',
        file: path.join(window.folder, 'greet.txt'),
      },
    );
  });

  it('of a file with unsaved text keeps that text, on the disk and in the editor (P1)', async () => {
    await window.openFile('notes.txt');
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('mine, not saved');
    await window.page.locator('.tab.dirty', { hasText: 'notes.txt' }).waitFor();
    await chat.send('in notes.txt replace two with zwei');
    const modal = await window.modal('Edit notes.txt');
    await window.page.locator('.monaco-diff-editor .original', { hasText: 'mine, not saved' }).waitFor();
    await window.shot('unsaved');
    await modal.getByRole('button', { name: 'Allow for This Session' }).click();
    await chat.ended(2);
    assert.equal(window.read('notes.txt'), 'one\nzwei\nthree\nmine, not saved');
    await until(
      async () => (await window.editorText()) === 'one\nzwei\nthree\nmine, not saved',
      'both texts in the editor',
    );
    await window.page.locator('.monaco-editor .view-lines').first().click();
    await window.page.keyboard.press('Control+z');
    await until(async () => (await window.editorText()) === 'one\ntwo\nthree\nmine, not saved', 'the undone edit');
    await window.page.keyboard.press('Control+Shift+z');
    await window.page.keyboard.press('Control+s');
  });

  it('allowed for the session, is not asked for again', async () => {
    await chat.send('in notes.txt replace three with drei');
    await chat.ended(3);
    assert.equal(window.read('notes.txt'), 'one\nzwei\ndrei\nmine, not saved');
    const session = await window.recorded(3);
    const edits = session.permissions.filter(({ tool }) => tool === 'file_edit');
    assert.deepEqual(
      edits.map(({ action, decision, by }) => [action, decision, by]),
      [
        ['ask', 'granted', 'once'],
        ['ask', 'granted', 'session'],
        ['allow', 'granted', 'session'],
      ],
    );
    assert.deepEqual(faultsOf(session), []);
    assert.deepEqual(window.consoleErrors, []);
  });
});
