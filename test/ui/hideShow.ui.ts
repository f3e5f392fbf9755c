/** The panel comes and goes while an answer is written, and another window or program looks on: what they show is the log. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { start } from '../../scripts/lib/processes.mjs';
import { isKind, type Session } from '../../src/session/schema.ts';
import { longAnswer } from '../../src/providers/demo/texts.ts';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const PROMPT = 'write a long answer';
const HIDINGS = 10;

const answerIn = (session: Session, turn: number): string =>
  session.turns[turn - 1]!.parts.flatMap((part) => (isKind(part, 'text') ? [part.text] : [])).join('');

/** The words of an answer as they are on screen. */
const shown = async (chat: Chat, turn: number): Promise<string> => {
  const blocks = await chat.answer(turn).evaluate((answer) => [...answer.children].map((block) => block.textContent));
  return words(blocks.join(' '));
};
/** The words of an answer of the demo model's, whose Markdown has headings and code in backticks. */
const drawn = (markdown: string): string => words(markdown.replace(/^### /gm, '').replaceAll('`', ''));
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

const isRunning = async (chat: Chat): Promise<boolean> => (await chat.panel.locator('.ending.running').count()) > 0;
const stop = (chat: Chat): Promise<void> => chat.panel.getByRole('button', { name: 'Stop' }).click();

describe('a panel in which an answer is being written', () => {
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

  const hideAndShow = async () => {
    await window.page.keyboard.press('Control+b');
    await window.page.locator('iframe.webview').waitFor({ state: 'detached' });
    await window.page.keyboard.press('Control+b');
  };
  const log = () => chat.panel.locator('.log');
  const place = () =>
    log().evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({ scrollTop, scrollHeight, clientHeight }));
  const toEnd = () => chat.panel.locator('.to-end').getByRole('button');
  const newMessages = () => chat.panel.locator('.to-end', { hasText: 'New messages' });
  /** Waits until the answer has become longer by so many pixels. */
  const grown = async (pixels: number) => {
    const { scrollHeight } = await place();
    await until(
      async () => (await place()).scrollHeight > scrollHeight + pixels,
      `${pixels} more pixels of the answer`,
    );
  };
  /** So that what is done meanwhile is done in time on any machine. */
  const askSlowly = async () => {
    mock.reply([{ text: longAnswer(), pace: 60 }]);
    await window.configure(mockConfig(mock));
    await chat.newSession();
    await chat.header.getByRole('button', { name: 'mock/mock-model' }).waitFor();
    await chat.send(PROMPT);
    await chat.answer(1).getByText('9 is odd').waitFor();
  };
  /** Scrolls up; resolves to where it comes to rest, since a wheel turns smoothly. */
  const wheelUp = async () => {
    await log().hover();
    await window.page.mouse.wheel(0, -300);
    await toEnd().waitFor();
    return log().evaluate(async (scroller) => {
      let last = -1;
      for (let still = 0; still < 10; still = scroller.scrollTop === last ? still + 1 : 0) {
        last = scroller.scrollTop;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return last;
    });
  };

  it(`shows what the log holds after it was hidden ${HIDINGS} times: nothing doubled, nothing missing`, async function () {
    this.timeout(300_000);
    let turns = 0;
    for (let hiding = 0; hiding < HIDINGS; hiding += 1) {
      if (!(await isRunning(chat))) {
        turns += 1;
        await chat.send(PROMPT);
        await chat.answer(turns).getByText('3 is odd and a prime number').waitFor();
      }
      await hideAndShow();
      await chat.turn(turns).waitFor();
      if (hiding === HIDINGS / 2) await window.shot('shown again');
    }
    await chat.ended(turns);
    const session = await window.recorded(turns);
    assert.deepEqual(faultsOf(session), []);
    for (let turn = 1; turn <= turns; turn += 1) {
      assert.equal(answerIn(session, turn), longAnswer());
      assert.equal(await shown(chat, turn), drawn(longAnswer()));
    }
    assert.equal(await chat.panel.getByRole('article').count(), turns);
  });

  it('stays where the person has scrolled to, tells of what arrived, and follows the end again', async () => {
    await askSlowly();
    const scrollTop = await wheelUp();
    await grown(400);
    await newMessages().waitFor();
    assert.equal((await place()).scrollTop, scrollTop);
    await window.shot('scrolled up');

    await toEnd().click();
    await toEnd().waitFor({ state: 'detached' });
    await grown(400);
    await until(async () => {
      const now = await place();
      return now.scrollHeight - now.clientHeight - now.scrollTop <= 2;
    }, 'the end in sight');
    assert.equal(await toEnd().count(), 0);
    await stop(chat);
    await chat.ended(1);
  });

  it('stays there also when it is hidden meanwhile', async () => {
    await askSlowly();
    const scrollTop = await wheelUp();
    await hideAndShow();
    await chat.turn(1).waitFor();
    await until(async () => Math.abs((await place()).scrollTop - scrollTop) <= 2, 'the place that was left');
    await grown(400);
    assert.ok(Math.abs((await place()).scrollTop - scrollTop) <= 2);
    await newMessages().waitFor();
    await window.shot('shown again');
    await stop(chat);
    await chat.ended(1);
    assert.deepEqual(window.consoleErrors, []);
  });
});

describe('a session that is open elsewhere', () => {
  const load = async (window: Workbench, chat: Chat, title: string) => {
    await window.palette('Polyglav: Load Session');
    await window.quickPick(title);
    await chat.header.getByRole('button', { name: title }).waitFor();
  };
  const held = (chat: Chat) => chat.panel.locator('.held');
  const sendButton = (chat: Chat) => chat.panel.getByRole('button', { name: 'Send (Enter)' });

  /** Runs `polyglav run` on a session of the window's folder. */
  const commandLine = (window: Workbench, session: string, prompt: string) => {
    const cli = path.join(import.meta.dirname, '../../dist/cli.js');
    const child = start(process.execPath, [cli, 'run', '--session-id', session, prompt], {
      cwd: window.folder,
      env: { ...process.env, POLYGLAV_HOME: window.polyglavHome },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = new Promise<{ code: number | null; said: string }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, said }));
    });
    return { child, ended };
  };

  it('in another window is read along, refused to the command line, and taken over when it is left or closed (R8)', async function () {
    this.timeout(300_000);
    const first = await openWorkbench();
    const owner = new Chat(first);
    await first.openChat();
    await owner.send('list the files');
    await owner.ended(1);

    const second = await openWorkbench({ folder: first.folder });
    const reader = new Chat(second);
    await second.openChat();
    await reader.composer.waitFor();
    await load(second, reader, 'list the files');
    await held(reader)
      .getByText(/This session is open in VS Code \(process \d+ on /)
      .waitFor();
    await reader.answer(1).getByText('hello.txt').waitFor();
    await owner.send(PROMPT);
    await reader.answer(2).getByText('3 is odd and a prime number').waitFor();
    await reader.composer.fill('mine');
    assert.ok(await sendButton(reader).isDisabled());
    await second.shot('reads along');
    await reader.composer.press('Enter');
    await reader.panel.getByRole('alert').getByText('is open in VS Code').waitFor();
    assert.equal(await reader.composer.inputValue(), 'mine');
    await second.shot('refused');
    const [{ session_name: name }] = first.readSessions() as [Session];
    const { code, said } = await commandLine(first, name, 'hello').ended;
    assert.equal(code, 2, said);
    assert.match(said, /is open in VS Code/);
    await owner.ended(2);
    assert.equal(answerIn(await second.recorded(2), 2), longAnswer());
    await reader.ended(2);
    assert.equal(await shown(reader, 2), drawn(longAnswer()));

    await owner.newSession();
    await held(reader).waitFor({ state: 'detached' });
    assert.equal(await reader.panel.getByRole('alert').count(), 0);
    assert.equal(await reader.composer.inputValue(), 'mine');
    await reader.composer.press('Enter');
    await reader.ended(3);
    await second.shot('taken over');
    await load(first, owner, 'list the files');
    await held(owner).waitFor();

    await second.dispose();
    await held(owner).waitFor({ state: 'detached' });
    await owner.send('mine again');
    await owner.ended(4);
    const session = await first.recorded(4);
    assert.deepEqual(faultsOf(session), []);
    assert.deepEqual(
      session.turns.map(({ status }) => status),
      ['ok', 'ok', 'ok', 'ok'],
    );
    assert.deepEqual([first.consoleErrors, second.consoleErrors], [[], []]);
  });

  describe('on the command line', () => {
    let window: Workbench;
    let chat: Chat;
    let mock: MockProvider;
    before(async () => {
      mock = await MockProvider.start({ strict: true });
      window = await openWorkbench({ config: mockConfig(mock) });
      chat = new Chat(window);
      await window.openChat();
    });
    after(async () => {
      await window.dispose();
      await mock.stop();
    });

    it('can be read along, and written to as soon as that is done (R8)', async () => {
      mock.reply([{ text: 'As far as this.' }, { hang: true }], [{ text: 'It goes on.' }]);
      const { child, ended } = commandLine(window, 'shared', 'begin something');
      await until(() => mock.requests.length === 1 && window.readSessions().length === 1, 'the running turn');
      await load(window, chat, 'shared');
      await held(chat)
        .getByText(/This session is open in the polyglav command line \(process \d+ on /)
        .waitFor();
      await chat.answer(1).getByText('As far as this.').waitFor();
      await window.shot('reads along');
      child.kill('SIGINT');
      const { code, said } = await ended;
      assert.equal(code, 130, said);
      await held(chat).waitFor({ state: 'detached' });
      assert.match(await chat.ended(1), /^Stopped/);
      await chat.send('go on');
      await chat.answer(2).getByText('It goes on.').waitFor();
      await chat.ended(2);
      await window.shot('written to');
      const session = await window.recorded(2);
      assert.equal(session.session_name, 'shared');
      assert.equal(answerIn(session, 1), 'As far as this.');
      assert.deepEqual(faultsOf(session), []);
      assert.deepEqual(mock.refusals, []);
    });

    it('refuses the command line while the window holds it, and names the window (R8)', async () => {
      const before = window.readSessions();
      const { code, said } = await commandLine(window, 'shared', 'hello').ended;
      assert.equal(code, 2, said);
      assert.match(said, /The session "shared" is open in VS Code \(process \d+ on .+\)\. Leave it there first/);
      assert.deepEqual(window.readSessions(), before);
      assert.equal(mock.requests.length, 2);
      assert.deepEqual(window.consoleErrors, []);
    });
  });
});
