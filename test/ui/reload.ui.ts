/** The window goes away in the middle of something and comes back: nothing that a person wrote or was answered is lost, or there twice. */
import assert from 'node:assert/strict';
import { isKind, type Session } from '../../src/session/schema.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider, type Reply, type Step } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const promptsOf = ({ turns }: Session): string[] =>
  turns.flatMap(({ parts }) => parts.filter((part) => isKind(part, 'user')).map(({ text }) => text));

const stopped = (session: Session | undefined) => session?.turns.at(-1)?.status === 'cancelled' && session;

describe('a reload of the window', () => {
  let window: Workbench;
  let chat: Chat;
  let mock: MockProvider;
  before(async () => {
    mock = await MockProvider.start();
    window = await openWorkbench();
    chat = new Chat(window);
    await window.openChat();
  });
  after(async () => {
    await window.dispose();
    await mock.stop();
  });

  const useMock = async (...replies: Reply[]) => {
    await mock.stop();
    mock = await MockProvider.start({ strict: true, replies });
    await window.configure(mockConfig(mock));
  };

  it('in mid-answer keeps what had arrived, says so, and offers the prompt again', async () => {
    await chat.send('write a long answer');
    await chat.answer(1).getByText('3 is odd and a prime number').waitFor();
    await window.reloadAtOnce();
    assert.match(await chat.ended(1), /^Stopped/);
    await chat.turn(1).getByText('Polyglav was closed while this turn ran').waitFor();
    await until(async () => (await chat.composer.inputValue()) === 'write a long answer', 'the prompt in the composer');
    await window.shot('offered');
    const session = await window.recorded(1);
    const text = session.turns[0]!.parts.findLast((part) => isKind(part, 'text'))!.text;
    assert.match(text, /^Here is a long answer[\s\S]*3 is odd and a prime number/);
    assert.equal(session.turns[0]!.status, 'cancelled');
    assert.deepEqual(faultsOf(session), []);

    await chat.composer.press('Enter');
    await chat.answer(2).getByText('3 is odd and a prime number').waitFor();
    await chat.panel.getByRole('button', { name: 'Stop' }).click();
    await chat.ended(2);
    assert.equal(await chat.composer.inputValue(), '');
    assert.equal(await chat.panel.getByRole('article').count(), 2);
    const after = await window.recorded(2);
    assert.deepEqual(after.turns[0], session.turns[0]);
    assert.deepEqual(promptsOf(after), ['write a long answer', 'write a long answer']);
  });

  for (const [what, text] of [
    ['a message', 'remember me'],
    ['a pasted megabyte', 'A line of what was pasted.\n'.repeat(40_000).trim()],
  ] as const)
    it(`50 ms after ${what} was sent loses nothing of it (R6)`, async () => {
      const copies = () =>
        window
          .readSessions()
          .flatMap(promptsOf)
          .filter((prompt) => prompt === text).length;
      const early: boolean[] = [];
      const silent = (): Step[] => {
        early.push(copies() === 0);
        return [{ hang: true }];
      };
      const holdsText = () =>
        chat.composer.evaluate((box, length) => (box as HTMLTextAreaElement).value.length === length, text.length);
      await useMock(silent, silent);
      await chat.newSession();
      await chat.composer.click();
      await window.paste(text);
      await until(holdsText, 'the pasted text');
      await until(() => window.mirroredDrafts().includes(text), 'the copy of the draft');
      await window.page.keyboard.press('Enter');
      await window.page.waitForTimeout(50);
      await window.reloadAtOnce();

      // As far as it had come: still in the composer, sent again by the panel, or recorded and offered.
      // Both at once: it may go from the one to the other between two looks.
      const place = () =>
        chat.composer.evaluate((box, length) => {
          const held = (box as HTMLTextAreaElement).value.length === length;
          const runs = document.querySelector('.ending.running') !== null;
          return (held || runs) && { held, runs };
        }, text.length);
      const { held, runs } = await until(place, 'the message in the composer or in a turn');
      await window.shot(what);
      assert.notEqual(held, runs, 'it is in one place');
      if (held) await chat.composer.press('Enter');
      await until(() => mock.requests.length > 0 && copies() > 0, 'the message recorded and sent');
      assert.ok(
        copies() === 1 || (copies() === 2 && (await chat.turn(1).getByText('Polyglav was closed').count()) === 1),
      );
      assert.ok(!early.includes(true), 'a request left before its message was on the disk');
      await chat.panel.getByRole('button', { name: 'Stop' }).click();
      const { turns } = await until(() => stopped(window.readSessions().at(-1)), 'the turn stopped');
      assert.deepEqual(faultsOf(await window.recorded(turns.length)), []);
    }).timeout(240_000);

  it('at once has the draft as it was typed last, also an emptied one', async () => {
    const words = 'typed just before';
    await chat.newSession();
    await chat.composer.click();
    await window.page.keyboard.type(words, { delay: 5 });
    await until(() => window.mirroredDrafts().includes(words), 'the copy of the draft');
    await window.reloadAtOnce();
    await chat.composer.click();
    assert.equal(await chat.composer.inputValue(), words);
    await window.page.keyboard.press('Control+a');
    await window.page.keyboard.press('Delete');
    await until(() => !window.mirroredDrafts().includes(words), 'the copy of the emptied draft');
    await window.reloadAtOnce();
    await chat.composer.waitFor();
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('keeps the draft, the prompt that ran and the one that waited, and sends none of them', async () => {
    await useMock([{ text: 'Well, ' }, { hang: true }]);
    await chat.newSession();
    await chat.send('first');
    await chat.answer(1).getByText('Well,').waitFor();
    await chat.send('second');
    await chat.panel.locator('.chip', { hasText: 'second' }).waitFor();
    await chat.composer.fill('half a thought');
    await window.reload();
    await until(
      async () => (await chat.composer.inputValue()) === 'half a thought\n\nfirst\n\nsecond',
      'all three in the composer',
    );
    assert.equal(await chat.panel.locator('.chip').count(), 0);
    await window.shot('all offered');
    const session = await window.recorded(1);
    assert.deepEqual(promptsOf(session), ['first']);
    assert.equal(session.turns[0]!.parts[1]!['text'], 'Well, ');
    assert.equal(mock.requests.length, 1);
  });

  it('is no different from a hidden panel, or one that is moved to the other side bar, for a draft', async () => {
    await chat.composer.fill('another half');
    const draft = async () => (await chat.composer.inputValue()) === 'another half';
    await window.hideSideBar();
    await window.openChat();
    await until(draft, 'the draft after hiding');

    await window.palette('View: Move View');
    await window.quickPick('Chat');
    await window.quickPick('New Secondary Side Bar Entry');
    await window.page.locator('.part.auxiliarybar').waitFor();
    await until(draft, 'the draft after moving');
    await chat.turn(1).getByText('Well,').waitFor();
    await window.shot('moved');

    await window.palette('View: Reset View Locations');
    await window.page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    await until(draft, 'the draft after moving back');
    assert.deepEqual(window.consoleErrors, []);
  });
});
