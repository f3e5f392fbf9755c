/** Someone has installed Polyglav and configured nothing. */
import assert from 'node:assert/strict';
import { isKind } from '../../src/session/schema.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { Chat } from './harness/chat.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const EXAMPLE = 'List the files in this folder';

describe('a first run', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench({ files: { 'hello.txt': 'hello\n', 'src/main.js': '' } });
    chat = new Chat(window);
  });
  after(() => window.dispose());

  it('opens on the demo model, which says that it is one, and leaves nothing in the folder', async () => {
    await window.page.locator('.activitybar a.action-label[aria-label="Polyglav"]').click();
    await chat.panel.getByText('You are talking to the demo model').waitFor();
    await chat.header.getByRole('button', { name: 'Demo model' }).waitFor();
    await window.page.getByText('No session yet.').waitFor();
    assert.equal(window.exists('.polyglav'), false);
    await window.shot('welcome');
  });

  it('fills the composer with an example, and sends it with Enter', async () => {
    await chat.panel.getByRole('button', { name: EXAMPLE }).click();
    assert.equal(await chat.composer.inputValue(), EXAMPLE);
    await window.page.keyboard.press('Enter');
    await chat.ended(1);
    await chat.call(1, 'List .').waitFor();
    assert.match(await chat.answer(1).innerText(), /hello\.txt[\s\S]*src/);
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('leaves exactly that turn as JSON, as it is documented', async () => {
    const session = await window.recorded(1);
    assert.equal(window.readSessions().length, 1);
    assert.deepEqual(faultsOf(session), []);
    const { parts, status, provider, model, mode } = session.turns[0]!;
    assert.deepEqual(
      { status, provider, model, mode },
      { status: 'ok', provider: 'demo', model: 'demo', mode: 'build' },
    );
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['user', 'thinking', 'text', 'tool', 'thinking', 'text'],
    );
    assert.equal(parts[0]!['text'], EXAMPLE);
    assert.deepEqual(
      session.permissions.map(({ tool, decision, by }) => [tool, decision, by]),
      [['file_list', 'granted', 'default']],
    );
  });

  it('names the session by its prompt in the tree, the header and the status bar', async () => {
    await window.treeRow(EXAMPLE).waitFor();
    await chat.header.getByRole('button', { name: EXAMPLE }).waitFor();
    await window.statusBarItem(EXAMPLE).waitFor();
  });

  it('shows an answer while it is written, and everywhere that it is at work', async () => {
    await chat.send('write a long answer');
    const length = async () => (await chat.answer(2).innerText()).length;
    await chat.answer(2).getByText('Here is a long answer').waitFor();
    await window.statusBarItem('Polyglav is working').waitFor();
    await window.treeRow(/working/).waitFor();
    const before = await length();
    await until(async () => (await length()) > before, 'more text');
    assert.equal(await chat.turn(2).locator('.ending.running').count(), 1, 'the turn still runs');
    await window.shot('streaming');
    await chat.panel.getByRole('button', { name: 'Stop' }).click();
    assert.match(await chat.ended(2), /^Stopped/);
    await window.statusBarItem(EXAMPLE).waitFor();

    const session = await window.recorded(2);
    const text = session.turns[1]!.parts.findLast((part) => isKind(part, 'text'))!.text;
    assert.match(text, /^Here is a long answer/);
    assert.equal(session.turns[1]!.status, 'cancelled');
    assert.deepEqual(faultsOf(session), []);
    assert.deepEqual(window.consoleErrors, []);
  });
});
