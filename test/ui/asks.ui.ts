/** Questions that cannot be lost (P3): put aside, raised again from wherever they show, one at a time over several sessions. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { Session } from '../../src/session/schema.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider, type Reply } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { runDir } from './harness/servers.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const HOME = path.join(runDir, 'asks-home');
const USER_FILE = path.join(HOME, 'config.json');

describe('a question', () => {
  let mock: MockProvider;
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    mock = await MockProvider.start({ strict: true });
    fs.mkdirSync(HOME, { recursive: true });
    fs.writeFileSync(USER_FILE, `// My own file.\n${mockConfig(mock)}`);
    window = await openWorkbench({ env: { POLYGLAV_HOME: HOME } });
    chat = new Chat(window);
    await window.openChat();
    await chat.header.getByRole('button', { name: 'mock/mock-model' }).waitFor();
  });
  after(async () => {
    assert.deepEqual(mock.refusals, []);
    assert.deepEqual(window.consoleErrors, []);
    await window.dispose();
    await mock.stop();
  });

  const touch = (file: string): Reply => [{ call: 'run_command', arguments: { command: `touch ${file}` } }];
  const finished: Reply = [{ text: 'Done.' }];
  const buttons = (modal: Locator) => modal.locator('.dialog-buttons .monaco-button').allInnerTexts();
  const focused = (modal: Locator) => modal.locator('.monaco-button:focus').innerText();
  const banner = (title: string) => chat.panel.locator('.ask', { hasText: title });
  const row = (words: string) => window.treeRow(words);
  /** What the badge on the icon of the view says. */
  const badge = () =>
    window.page
      .locator('.activitybar .action-item', { has: window.page.locator('[aria-label^="Polyglav"]') })
      .locator('.badge-content');
  const pending = async (title: string, count = 1) => {
    await banner(title).waitFor();
    await row(`asks: ${title}`).waitFor();
    await window.statusBarItem('Polyglav waits for you').waitFor();
    await until(async () => (await badge().innerText()) === String(count), `a badge of ${count}`);
  };
  const later = (title: string) => window.answerModal('Answer Later', title);
  const recordOf = (prompt: string) =>
    window.readSessions().find(({ turns }) => JSON.stringify(turns[0]?.parts).includes(prompt));
  const decisions = ({ permissions }: Session) => permissions.map(({ decision, by }) => [decision, by]);

  it('has the focus where a stray Enter decides nothing, and stays pending behind it', async () => {
    mock.reply(touch('one'), finished);
    await chat.send('make one');
    const modal = await window.modal('Run touch one');
    const words = await modal.innerText();
    for (const part of [
      'touch one',
      `Folder: ${window.folder}`,
      'Session: make one',
      '“Allow for This Session”: exactly this command',
    ])
      assert.ok(words.includes(part), words);
    assert.deepEqual((await buttons(modal)).toSorted(), [
      'Allow Once',
      'Allow for This Session',
      'Always Allow',
      'Answer Later',
      'Deny',
      'Deny and Tell Why…',
    ]);
    await window.shot('modal');
    assert.equal(await focused(modal), 'Answer Later');
    for (const key of ['Tab', 'Shift+Tab', 'Shift+Tab']) {
      await window.page.keyboard.press(key);
      assert.doesNotMatch(await focused(modal), /Session|Always/, `${key} leads to a wide grant`);
    }
    await window.page.keyboard.press('Tab');
    await window.page.keyboard.press('Enter');
    await modal.waitFor({ state: 'detached' });
    await pending('Run touch one');
    assert.equal(window.exists('one'), false);
    await window.shot('put aside');
  });

  it('is raised by the status bar, the panel, the tree; and outlasts a hidden panel', async () => {
    await window.statusBarItem('Polyglav waits for you').click();
    await later('Run touch one');
    await banner('Run touch one').getByRole('button', { name: 'Show the question' }).dblclick();
    await later('Run touch one');
    await window.page.waitForTimeout(1000);
    assert.equal(await window.page.locator('.monaco-dialog-box').count(), 0, 'a double click raises it once');
    await window.hideSideBar();
    await until(async () => (await badge().innerText()) === '1', 'the badge without the panel');
    await window.openChat();
    await pending('Run touch one');
    await row('asks: Run touch one').hover();
    await row('asks: Run touch one').locator('.actions .action-label[aria-label="Show Question"]').click();
    await window.modal('Run touch one');
  });

  it('is denied with a word, which reaches the model and stands in the record', async () => {
    await window.answerModal('Deny and Tell Why…');
    const box = window.page.locator('.quick-input-widget');
    await box.getByText('Deny: Run touch one').waitFor();
    await window.shot('word');
    await window.inputBox('What should the model know', '  use printf instead  ');
    await chat.ended(1);
    const sent = JSON.stringify(mock.requests.at(-1)?.body.messages.at(-1));
    assert.match(sent, /The person declined this call and said: \\"use printf instead\\" Go by that/);
    const session = await window.recorded(1);
    assert.deepEqual(decisions(session), [['declined', 'refused']]);
    assert.match(JSON.stringify(session.turns[0]?.parts), /said: \\"use printf instead/);
    assert.deepEqual(faultsOf(session), []);
    await badge().waitFor({ state: 'hidden' });
    assert.equal(window.exists('one'), false);
  });

  it('is declined without a word when the box for it is closed by Escape', async () => {
    mock.reply(touch('one'), finished);
    await chat.send('again');
    await window.answerModal('Deny and Tell Why…', 'Run touch one');
    await window.page.locator('.quick-input-message', { hasText: 'What should the model know' }).waitFor();
    await window.page.keyboard.press('Escape');
    await chat.ended(2);
    assert.deepEqual(decisions(await window.recorded(2)).at(-1), ['declined', 'refused']);
    assert.doesNotMatch(JSON.stringify(mock.requests.at(-1)?.body.messages.at(-1)), /said:/);
  });

  it('of one session waits while that of another is open, and each has its own answer (F03)', async () => {
    await chat.newSession();
    mock.reply([{ delay: 6000 }, { call: 'run_command', arguments: { command: 'touch two' } }]);
    await chat.send('make two');
    await chat.turn(1).waitFor();
    await chat.newSession();
    mock.reply(touch('three'));
    await chat.send('make three');
    const first = await window.modal('Run touch three');
    await until(() => recordOf('make two')?.turns[0]?.parts.some(({ type }) => type === 'tool'), 'the second question');
    await banner('Run touch two').waitFor();
    assert.equal(await window.page.locator('.monaco-dialog-box').count(), 1);
    assert.ok((await first.innerText()).includes('Session: make three'));
    await window.statusBarItem('Polyglav waits for you (2)').waitFor();
    await pending('Run touch three', 2);
    await window.shot('two sessions ask');
    mock.reply(finished, finished);
    await first.getByRole('button', { name: 'Allow Once' }).dblclick();
    const second = await window.modal('Run touch two');
    assert.ok((await second.innerText()).includes('Session: make two'));
    assert.equal(window.exists('two'), false);
    await window.answerModal('Deny');
    await until(() => recordOf('make two')?.turns[0]?.status === 'ok', 'the end of the one');
    await until(() => recordOf('make three')?.turns[0]?.status === 'ok', 'the end of the other');
    assert.deepEqual(decisions(recordOf('make two')!), [['declined', 'refused']]);
    assert.deepEqual(decisions(recordOf('make three')!), [['granted', 'once']]);
    assert.deepEqual([window.exists('two'), window.exists('three')], [false, true]);
  });

  it('of another session is raised before the one that was put aside', async () => {
    await chat.newSession();
    mock.reply(touch('four'));
    await chat.send('make four');
    await later('Run touch four');
    await chat.newSession();
    mock.reply(touch('five'));
    await chat.send('make five');
    await pending('Run touch five', 2);
    // What the host does for the panel next comes behind what it did for the question.
    await chat.composer.fill('meanwhile');
    await until(() => window.mirroredDrafts().includes('meanwhile'), 'the copy of the draft');
    assert.equal(await window.page.locator('.monaco-dialog-box').count(), 0, 'it waits for the one before it');
    await chat.composer.fill('');
    assert.match(await banner('Run touch four').innerText(), /In another session: make four/);
    await window.shot('two wait');
    await banner('Run touch five').getByRole('button', { name: 'Show the question' }).click();
    mock.reply(finished);
    await window.answerModal('Allow Once', 'Run touch five');
    await chat.ended(1);
    await pending('Run touch four', 1);
    await banner('Run touch four').getByRole('button', { name: 'Show the question' }).click();
    mock.reply(finished);
    await window.answerModal('Deny', 'Run touch four');
    await until(() => recordOf('make four')?.turns[0]?.status === 'ok', 'the end of the one');
    assert.deepEqual([window.exists('four'), window.exists('five')], [false, true]);
  });

  it('that is too long for a modal offers no yes there, but above all of its text', async () => {
    await chat.newSession();
    const command = `${'true '.repeat(300)}middle ${'true '.repeat(300)}; touch long`;
    mock.reply([{ call: 'run_command', arguments: { command } }], finished);
    await chat.send('make it long');
    const modal = await window.modal('Run true');
    assert.deepEqual((await buttons(modal)).toSorted(), ['Deny', 'Deny and Tell Why…', 'Review']);
    await window.shot('too long');
    assert.equal(await focused(modal), 'Review');
    await window.answerModal('Review');
    const text = window.page.locator('.editor-instance .view-lines', { hasText: /middle[^]*touch.long/ });
    await text.waitFor();
    await window.shot('its text');
    await pending('Run true');
    assert.equal(window.exists('long'), false);
    await window.page.locator('.title .action-label[aria-label^="Allow What Is Shown"]').click();
    await chat.ended(1);
    assert.equal(window.exists('long'), true);
    assert.deepEqual(decisions(await window.recorded(1)), [['granted', 'once']]);
    await text.waitFor({ state: 'detached' });
  });

  for (const [what, call, rule, done] of [
    [
      'a file',
      { call: 'file_write', arguments: { path: 'kept.txt', content: '' } },
      'file_write "kept.txt" allow',
      'kept.txt',
    ],
    [
      'a command',
      { call: 'run_command', arguments: { command: 'touch kept' } },
      'run_command "touch kept" allow',
      'kept',
    ],
  ] as const)
    it(`of ${what} that is always allowed writes the rule it shows into the user’s file, and is not asked again`, async () => {
      await chat.newSession();
      mock.reply([call], [call], finished);
      await chat.send(`keep ${what}`);
      const modal = await window.modal(rule);
      assert.match(
        await modal.innerText(),
        new RegExp(`“Always Allow” writes a rule for this workspace folder.* into .*: ${rule}`),
      );
      await window.shot('always');
      await modal.getByRole('button', { name: 'Always Allow' }).click();
      await chat.ended(1);
      const session = await window.recorded(1);
      assert.deepEqual(
        session.permissions.map(({ action, by }) => [action, by]),
        [
          ['ask', 'always'],
          ['allow', `folder: ${rule}`],
        ],
      );
      assert.equal(window.exists(done), true);
      const text = fs.readFileSync(USER_FILE, 'utf8');
      assert.ok(text.startsWith('// My own file.\n'), text);
      assert.ok(text.includes(JSON.stringify(window.folder)), text);
      await chat
        .call(1, /touch kept|kept\.txt/)
        .first()
        .locator('.fold-head')
        .click();
      await chat.turn(1).getByText('You allowed this, and always from then on, in this folder.').waitFor();
    });
});
