/** What the command palette, the slash commands and the keyboard alone can do. */
import assert from 'node:assert/strict';
import { commands } from '../../src/commands/registry.ts';
import { isKind } from '../../src/session/schema.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider } from '../support/mockProvider.ts';
import { assertPanelAccessible } from './harness/accessible.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

describe('the command palette', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench();
    chat = new Chat(window);
    await window.openChat();
  });
  after(() => window.dispose());

  it('begins a session, and the next one', async () => {
    await chat.send('list the files');
    await chat.ended(1);
    await window.palette('Polyglav: New Session');
    await chat.panel.getByText('What should be done?').waitFor();
    await chat.focused();
    await chat.send('read hello.txt');
    await chat.ended(1);
    assert.deepEqual(faultsOf(await window.recorded(1)), []);
    assert.equal(window.readSessions().length, 2);
  });

  it('loads the session that is chosen from a list', async () => {
    await window.palette('Polyglav: Load Session…');
    await window.quickPickRow('read hello.txt').filter({ hasText: 'open in the panel' }).waitFor();
    await window.shot('list');
    await window.quickPick('list the files');
    await chat.header.getByRole('button', { name: 'list the files' }).waitFor();
    await chat.call(1, 'List .').waitFor();
    await chat.focused();
  });

  it('exports a session as Markdown, and offers to open the file', async () => {
    await window.palette('Polyglav: Export Session…');
    await window.quickPick('read hello.txt');
    await window.quickPick('Markdown');
    const exported = window.notification('Exported to');
    await exported.waitFor();
    const { session_name, turns } = window
      .readSessions()
      .find((session) => session.turns[0]!.parts[0]!['text'] === 'read hello.txt')!;
    const file = `.polyglav/exports/${session_name}.md`;
    await exported.getByText(file).waitFor();
    const text = window.read(file);
    const answer = turns[0]!.parts.findLast((part) => isKind(part, 'text'))!.text;
    assert.ok(text.startsWith(`# Session \`${session_name}\`\n`), text);
    assert.match(text, /^## Turn 1$[\s\S]*^### 1\.1 Prompt$[\s\S]*^```\w*\nread hello\.txt\n```$/m);
    assert.match(text, /^### \d\.\d Tool call `file_read`$[\s\S]*"path": "hello\.txt"/m);
    assert.match(text, /Permission: `file_read`.* \*\*granted\*\* by `default`/);
    assert.ok(text.includes(answer.trimEnd().replace(/^/gm, '> ')), text);
    await window.shot('exported');
    await exported.getByRole('button', { name: 'Open' }).click();
    await window.page.locator('.tab.active', { hasText: `${session_name}.md` }).waitFor();
  });

  it('saves, previews and deletes a session, and shows what was decided in it (P6)', async () => {
    await window.palette('Polyglav: Save Session');
    await window.notification(/^Saved in .*\.polyglav\/sessions/).waitFor();

    await window.palette('Polyglav: Preview Session…');
    await window.quickPick('read hello.txt');
    await window.page.locator('.tab.active', { hasText: 'Preview of' }).waitFor();
    await until(async () => /Turns: 1[\s\S]*file_read/.test(await window.editorText()), 'the preview');
    await window.shot('preview');

    await window.palette('Polyglav: Show Permissions…');
    await window.quickPick('read hello.txt');
    await window.page.locator('.tab.active', { hasText: 'Permissions of' }).waitFor();
    await until(async () => /granted\s+file_read\s+hello\.txt/.test(await window.editorText()), 'the permissions');
    await window.shot('permissions');

    const { session_name } = window
      .readSessions()
      .find((session) => session.turns[0]!.parts[0]!['text'] === 'read hello.txt')!;
    const file = `.polyglav/sessions/${session_name}.json`;
    await window.palette('Polyglav: Delete Session…');
    await window.quickPick('read hello.txt');
    await window.modal(session_name);
    await window.shot('delete');
    await window.answerModal('Cancel', session_name);
    assert.ok(window.exists(file));
    await window.palette('Polyglav: Delete Session…');
    await window.quickPick('read hello.txt');
    await window.answerModal('Delete', session_name);
    // A server has no trash: then it is asked whether to delete for good.
    const gone = () => !window.exists(file);
    const dialog = window.page.locator('.monaco-dialog-box[role="dialog"]', { hasText: 'for good' });
    await until(async () => gone() || (await dialog.count()) > 0, 'the file gone, or a question');
    if (!gone()) await window.answerModal('Delete for Good');
    await until(gone, 'the file gone');
    await window.treeRow('read hello.txt').waitFor({ state: 'detached' });
  });

  it('is not needed to load a session: its name is completed in the composer', async () => {
    await chat.newSession();
    const { session_name } = window.readSessions()[0]!;
    await chat.composer.pressSequentially(`/session load ${session_name.slice(0, -2)}`);
    await chat.panel.getByRole('option', { name: session_name, selected: true }).waitFor();
    await window.shot('names');
    await chat.composer.press('Tab');
    await until(async () => (await chat.composer.inputValue()) === `/session load ${session_name}`, 'the whole line');
    await chat.composer.press('Enter');
    await chat.header.getByRole('button', { name: 'list the files' }).waitFor();
  });

  it('stops the turn that runs, and says when there is none', async () => {
    await chat.send('write a long answer');
    await chat.answer(2).getByText('Here is a long answer').waitFor();
    await window.palette('Polyglav: Stop');
    assert.match(await chat.ended(2), /^Stopped/);
    await window.palette('Polyglav: Stop');
    await window.notification('Nothing is running.').waitFor();
    await window.shot('nothing');
    assert.deepEqual(window.consoleErrors, []);
  });
});

describe('a slash command', () => {
  let window: Workbench;
  let chat: Chat;
  let mock: MockProvider | undefined;
  before(async () => {
    window = await openWorkbench({ files: { 'greet.txt': 'Hello\n' } });
    chat = new Chat(window);
    await window.openChat();
  });
  after(async () => {
    await window.dispose();
    await mock?.stop();
  });

  const said = async (command: string): Promise<string> => {
    const note = chat.panel.getByRole('region', { name: `Result of ${command}`, exact: true });
    const text = await note.locator('polyglav-answer').innerText();
    await note.getByRole('button', { name: 'Close' }).click();
    await note.waitFor({ state: 'detached' });
    return text;
  };

  it('that only tells something leaves nothing behind', async () => {
    await chat.send('/help');
    await chat.panel.getByText('Show the commands.').waitFor();
    await window.shot('help');
    const help = await said('/help');
    for (const { name } of commands) assert.ok(help.includes(`/${name}`), `${name} in ${help}`);
    await chat.send('/sessions');
    assert.match(await said('/sessions'), /no saved sessions in this folder yet/);
    await chat.send('/model');
    assert.match(await said('/model'), /demo\/demo \(current\)/);
    assert.equal(window.exists('.polyglav'), false);
  });

  it('that does not exist is refused, with the text kept', async () => {
    await chat.send('/modle plan');
    const alert = chat.panel.getByRole('alert');
    await alert.getByText('There is no command "/modle"').waitFor();
    assert.match(await alert.innerText(), /Did you mean .*\/model/);
    assert.equal(await chat.composer.inputValue(), '/modle plan');
    await window.shot('refused');
    assert.equal(window.exists('.polyglav'), false);
  });

  it('is completed and sent by keyboard', async () => {
    await chat.composer.fill('');
    await chat.composer.pressSequentially('/mo');
    const list = chat.panel.getByRole('listbox', { name: 'Completions' });
    await list.getByRole('option', { name: '/model', selected: true }).waitFor();
    await window.page.keyboard.press('ArrowDown');
    await list.getByRole('option', { name: /^\/mode \[/, selected: true }).waitFor();
    await window.shot('list');
    await window.page.keyboard.press('Tab');
    await list.waitFor({ state: 'detached' });
    await until(async () => (await chat.composer.inputValue()) === '/mode ', 'the completed command');
    await window.page.keyboard.type('plan');
    await window.page.keyboard.press('Enter');
    await chat.header.getByRole('button', { name: 'plan' }).waitFor();
    await chat.turn(1).getByText('/mode plan').waitFor();
    assert.equal((await window.recorded(1)).turns[0]!.parts[0]!.type, 'command');
  });

  it('that sets plan mode takes the tools away that change something, and refuses a model that calls one (A1)', async () => {
    await chat.send('in greet.txt replace Hello with Hi');
    await chat.ended(2);
    await chat.answer(2).getByText('For this I need file_edit, which I do not have.').waitFor();
    await window.shot('not offered');

    const change = { path: 'greet.txt', old: 'Hello', new: 'Hi' };
    mock = await MockProvider.start({
      strict: true,
      replies: [[{ call: 'file_edit', arguments: change }], [{ text: 'So it goes.' }]],
    });
    await window.configure(mockConfig(mock));
    await chat.send('/model mock/mock-model');
    await chat.header.getByRole('button', { name: 'mock/mock-model' }).waitFor();
    await chat.send('change it');
    await chat.answer(4).getByText('So it goes.').waitFor();
    await chat.ended(4);
    assert.equal(await window.page.locator('.monaco-dialog-box').count(), 0);
    await chat.call(4, 'Edit greet.txt').locator('.fold-head').click();
    await window.shot('refused');
    const session = await window.recorded(4);
    const call = session.turns[3]!.parts.find((part) => isKind(part, 'tool'))!;
    assert.equal(call.is_error, true);
    assert.match(call.output ?? '', /^There is no tool "file_edit"/);
    assert.equal(session.turns[3]!.mode, 'plan');
    assert.equal(window.read('greet.txt'), 'Hello\n');
    assert.deepEqual(faultsOf(session), []);
    assert.deepEqual(mock.refusals, []);
    assert.deepEqual(window.consoleErrors, []);
  });
});

describe('the keyboard alone', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench();
    chat = new Chat(window);
    await window.openChat();
    await chat.composer.waitFor();
  });
  after(() => window.dispose());

  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => window.page.keyboard.press(key)), Promise.resolve());
  const type = (text: string) => window.page.keyboard.type(text);
  const focused = () => window.page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
  const turns = () => chat.panel.getByRole('article').count();
  /** Where the focus is in the panel. */
  const stop = () =>
    chat.panel.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent.trim() ?? '';
    });

  /** From the editor: what is typed while the panel, which has the focus already, gets it again may be lost. */
  const toChat = async () => {
    await press('Control+1');
    await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await press('Control+k', 'Control+g');
    await chat.focused();
  };

  it('comes to the chat from an editor', async () => {
    await window.openFile('hello.txt');
    await toChat();
  });

  it('decides nothing by an Enter too many, and denies by Escape', async () => {
    await type('run touch canary');
    await press('Enter');
    await window.modal('Run touch canary');
    await until(async () => (await focused()) === 'Answer Later', 'the focus on Answer Later');
    await window.shot('asked');
    await press('Enter');
    await window.page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
    assert.deepEqual(window.readSessions().at(-1)?.permissions, []);
    await toChat();
    for (let presses = 0; presses < 20 && (await stop()) !== 'Show the question'; presses += 1)
      await press('Shift+Tab');
    await press('Enter');
    await window.modal('Run touch canary');
    await press('Escape');
    await chat.ended(1);
    const { permissions } = await window.recorded(1);
    assert.deepEqual(
      permissions.map(({ tool, decision, by }) => [tool, decision, by]),
      [['run_command', 'declined', 'refused']],
    );
    assert.equal(window.exists('canary'), false);
  });

  it('allows when it is told to', async () => {
    await toChat();
    const turn = (await turns()) + 1;
    await type('run touch allowed');
    await press('Enter');
    await window.modal('Run touch allowed');
    await until(async () => (await focused()) === 'Answer Later', 'the focus on Answer Later');
    for (let presses = 0; presses < 8 && (await focused()) !== 'Allow Once'; presses += 1) await press('Tab');
    assert.equal(await focused(), 'Allow Once');
    await press('Enter');
    await chat.ended(turn);
    assert.equal(window.exists('allowed'), true);
  });

  it('copies a code block', async () => {
    await toChat();
    const turn = (await turns()) + 1;
    await type('show me a code sample');
    await press('Enter');
    await chat.ended(turn);
    for (let presses = 0; presses < 20 && (await stop()) !== 'Copy code'; presses += 1) await press('Shift+Tab');
    assert.equal(await stop(), 'Copy code');
    await window.shot('on the button');
    await press('Enter');
    const clipboard = () => window.page.evaluate(() => navigator.clipboard.readText());
    await until(
      async () => (await clipboard()) === '-const answer = 41;\n+const answer = 42;',
      'the code on the clipboard',
    );
  });

  it('has a panel before it in which axe finds nothing wrong', async () => {
    await assertPanelAccessible(window);
    assert.deepEqual(faultsOf(await window.recorded(await turns())), []);
    assert.deepEqual(window.consoleErrors, []);
  });
});
