/** What is not allowed does not happen, however it was not allowed. */
import assert from 'node:assert/strict';
import type { Session } from '../../src/session/schema.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { Chat } from './harness/chat.ts';
import { openWorkbench, type Workbench } from './harness/workbench.ts';

describe('a command', () => {
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    window = await openWorkbench();
    chat = new Chat(window);
    await window.openChat();
  });
  after(() => window.dispose());

  const lastDecision = ({ permissions }: Session) => {
    const { tool, action, decision, by } = permissions.at(-1)!;
    return { tool, action, decision, by };
  };
  const open = async (turn: number) => chat.call(turn, 'Run touch').locator('.fold-head').click();

  it('that is denied is not run', async () => {
    await chat.send('run touch canary');
    const modal = await window.modal('Run touch canary');
    assert.ok((await modal.innerText()).includes(`Folder: ${window.folder}`));
    await window.shot('asked');
    await window.answerModal('Deny');
    await chat.ended(1);
    await chat.call(1, 'declined').waitFor();
    await open(1);
    await chat.call(1, 'You declined this.').waitFor();
    const session = await window.recorded(1);
    assert.deepEqual(lastDecision(session), {
      tool: 'run_command',
      action: 'ask',
      decision: 'declined',
      by: 'refused',
    });
    assert.deepEqual(faultsOf(session), []);
    assert.equal(window.exists('canary'), false);
  });

  it('whose question is dismissed by Escape is not run', async () => {
    await chat.send('run touch canary');
    const modal = await window.modal('Run touch canary');
    await window.page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });
    await chat.ended(2);
    await chat.call(2, 'declined').waitFor();
    await open(2);
    await chat.call(2, 'You declined this.').waitFor();
    assert.equal(lastDecision(await window.recorded(2)).by, 'refused');
    assert.equal(window.exists('canary'), false);
  });

  it('whose turn is stopped while it is asked for is not run, whatever is clicked on the old question', async () => {
    await chat.send('run touch canary');
    const modal = await window.modal('Run touch canary');
    // The modal covers the button: this is Stop from somewhere else.
    await chat.panel.getByRole('button', { name: 'Stop' }).dispatchEvent('click');
    assert.match(await chat.ended(3), /^Stopped/);
    const session = await window.recorded(3);
    assert.equal(lastDecision(session).by, 'withdrawn');
    assert.deepEqual(faultsOf(session), []);
    await window.shot('stopped behind the question');
    await modal.getByRole('button', { name: 'Allow Once' }).click();
    await modal.waitFor({ state: 'detached' });
    await chat.call(3, 'stopped').waitFor();

    await chat.send('run touch allowed');
    await window.answerModal('Allow Once', 'Run touch allowed');
    await chat.ended(4);
    const later = await window.recorded(4);
    assert.deepEqual(later.turns.slice(0, 3), session.turns);
    assert.deepEqual(later.permissions.slice(0, 3), session.permissions);
    assert.deepEqual([window.exists('canary'), window.exists('allowed')], [false, true]);
    assert.deepEqual(faultsOf(later), []);
    assert.deepEqual(window.consoleErrors, []);
  });
});
