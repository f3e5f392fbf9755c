/** A change that is looked at before it is decided on (P3): its diff, with Allow and Deny above it. */
import assert from 'node:assert/strict';
import { Chat } from './harness/chat.ts';
import { openWorkbench, type Workbench } from './harness/workbench.ts';

describe('a change that is reviewed', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench({
      files: { 'greet.txt': 'Hello, world\nand all\n', 'notes.txt': 'one\r\ntwo\r\n' },
      settings: { 'files.autoSave': 'off' },
    });
    chat = new Chat(window);
    await window.openChat();
  });
  after(() => window.dispose());

  const titleButton = (name: string) =>
    window.page.locator('.editor-group-container .title .action-label[aria-label^="' + name + '"]');
  const tab = (file: string) => window.page.locator('.tab', { hasText: `${file} (proposed)` });
  const review = async (prompt: string, file: string) => {
    await chat.send(prompt);
    const modal = await window.modal(`Edit ${file}`);
    assert.match(
      await modal.innerText(),
      /“Review” lets you answer above the diff\. Closing this question \(Escape, ×\) denies\./,
    );
    await window.answerModal('Review');
    await titleButton('Allow What Is Shown').waitFor();
  };
  /** Of the edit in the last of so many turns. */
  const decision = async (turns: number) => {
    const { permissions } = await window.recorded(turns);
    const { tool, decision: made, by } = permissions.at(-1)!;
    return [tool, made, by];
  };

  it('stays pending, with its diff in front', async () => {
    await review('in greet.txt replace Hello with Hi', 'greet.txt');
    await window.page.locator('.monaco-diff-editor .modified', { hasText: 'Hi, world' }).waitFor();
    await window.page.locator('.monaco-diff-editor .monaco-editor.modified-in-monaco-diff-editor.focused').waitFor();
    assert.equal(window.read('greet.txt'), 'Hello, world\nand all\n');
    await chat.panel.getByText('Waiting for your permission').first().waitFor();
    await window.shot('reviewed');
  });

  it('has no buttons above any other editor', async () => {
    await window.openFile('notes.txt');
    await window.page.locator('.tab.active', { hasText: 'notes.txt' }).waitFor();
    assert.equal(await titleButton('Allow What Is Shown').count(), 0);
    await tab('greet.txt').click();
    await titleButton('Deny What Is Shown').first().waitFor();
  });

  it('is made when it is allowed there, and its diff goes', async () => {
    await titleButton('Allow What Is Shown').click();
    await chat.ended(1);
    assert.equal(window.read('greet.txt'), 'Hi, world\nand all\n');
    await tab('greet.txt').waitFor({ state: 'detached' });
    assert.deepEqual(await decision(1), ['file_edit', 'granted', 'once']);
  });

  it('is not made when it is denied there', async () => {
    await review('in greet.txt replace Hi with Ho', 'greet.txt');
    await titleButton('Deny What Is Shown').first().click();
    await chat.ended(2);
    await tab('greet.txt').waitFor({ state: 'detached' });
    assert.equal(window.read('greet.txt'), 'Hi, world\nand all\n');
    assert.deepEqual(await decision(2), ['file_edit', 'declined', 'refused']);
  });

  it('stays pending when its diff is closed, and is shown again by its card and by the question', async () => {
    await review('in notes.txt replace two with zwei', 'notes.txt');
    await tab('notes.txt').click({ button: 'middle' });
    await tab('notes.txt').waitFor({ state: 'detached' });
    await window.statusBarItem('Polyglav waits for you').waitFor();
    await chat.call(3, 'Edit notes.txt').locator('.fold-head').click();
    await chat.call(3, 'Edit notes.txt').getByRole('button', { name: 'Open diff' }).click();
    await titleButton('Allow What Is Shown').waitFor();
    await tab('notes.txt').click({ button: 'middle' });
    await window.statusBarItem('Polyglav waits for you').click();
    await window.modal('Edit notes.txt');
    await tab('notes.txt').waitFor();
    await window.answerModal('Review');
  });

  it('is denied with a word by the command palette', async () => {
    await titleButton('Allow What Is Shown').waitFor();
    await window.palette('Polyglav: Deny What Is Shown and Tell Why…');
    await window.inputBox('What should the model know', 'leave the notes alone');
    await chat.ended(3);
    await chat.answer(3).getByText('leave the notes alone').waitFor();
    assert.deepEqual(await decision(3), ['file_edit', 'declined', 'refused']);
    assert.equal(window.read('notes.txt'), 'one\r\ntwo\r\n');
  });

  it('is allowed by the command palette, which offers that only then', async () => {
    await review('in notes.txt replace two with zwei', 'notes.txt');
    await window.palette('Polyglav: Allow What Is Shown');
    await chat.ended(4);
    assert.equal(window.read('notes.txt'), 'one\r\nzwei\r\n');
    await tab('notes.txt').waitFor({ state: 'detached' });
    await window.page.keyboard.press('F1');
    await window.page.locator('.quick-input-widget input.input').fill('>Polyglav: Allow What Is');
    await window.page.locator('.quick-input-list', { hasText: /No matching|similar/ }).waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('that is no longer what would be written fails, and the file stays', async () => {
    await review('in greet.txt replace Hi with Ho', 'greet.txt');
    window.write('greet.txt', 'Hi from elsewhere\n');
    await titleButton('Allow What Is Shown').click();
    await chat.ended(5);
    assert.equal(window.read('greet.txt'), 'Hi from elsewhere\n');
    await chat.call(5, 'Edit greet.txt').getByText('failed').waitFor();
  });

  it('goes with its diff when the turn is stopped', async () => {
    await review('in greet.txt replace Hi with Ho', 'greet.txt');
    await chat.panel.getByRole('button', { name: 'Stop' }).click();
    assert.match(await chat.ended(6), /^Stopped/);
    await tab('greet.txt').waitFor({ state: 'detached' });
    assert.deepEqual(await decision(6), ['file_edit', 'declined', 'withdrawn']);
    assert.deepEqual(window.consoleErrors, []);
  });
});
