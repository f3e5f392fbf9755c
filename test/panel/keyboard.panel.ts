/** The panel without a mouse and without eyes (U6). */
import assert from 'node:assert/strict';
import { FakeHost } from './fakeHost.ts';
import { gallery, working } from './gallery.ts';
import { HIGH_CONTRAST, LIGHT, openPanel, type Panel } from './panelPage.ts';

interface Stop {
  name: string;
  /** Something about it tells that it has the focus. */
  visible: boolean;
}

/** Where the focus is: its accessible name, as far as the panel gives names. */
function focusNow(panel: Panel): Promise<Stop> {
  return panel.page.evaluate(() => {
    const element = document.activeElement!;
    const inner = element.shadowRoot?.activeElement ?? element;
    const label = (node: Element) =>
      node.getAttribute('aria-label') ?? (node as HTMLElement).innerText.replace(/\s+/g, ' ').trim();
    const { outlineStyle, outlineWidth } = getComputedStyle(inner);
    const box = element.closest('.box');
    const focusColour = (): string => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(--vscode-focusBorder)';
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    };
    const ring =
      box === null
        ? outlineStyle !== 'none' && outlineWidth !== '0px'
        : getComputedStyle(box).borderTopColor === focusColour();
    return { name: label(element), visible: ring };
  });
}

/** All stops of the Tab key, once around. */
async function stops(panel: Panel): Promise<Stop[]> {
  const found: Stop[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await panel.page.keyboard.press('Tab');
    if (await panel.page.evaluate(() => document.activeElement === document.body)) break;
    found.push(await focusNow(panel));
  }
  return found;
}

async function tabTo(panel: Panel, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (name.test((await focusNow(panel)).name)) return;
    await panel.page.keyboard.press('Tab');
  }
  assert.fail(`Tab never came to ${name}`);
}

const told = (panel: Panel) => panel.page.locator('.sr-only[role="status"] p').allInnerTexts();

describe('the keyboard', () => {
  for (const theme of [LIGHT, HIGH_CONTRAST])
    it(`reaches everything, in the order of the page, and shows where it is, ${theme}`, async () => {
      const panel = await openPanel({ theme });
      const host = new FakeHost(panel, {
        problems: [{ text: 'A setting is wrong.', file: { path: '/p/config.json', shown: 'config.json' } }],
        queue: [{ id: 'q', text: 'Later' }],
        asks: [{ id: 'a', title: 'Run x' }],
        run: 'asking',
      });
      gallery(host);
      await host.open();
      const found = await stops(panel);
      for (const { name, visible } of found)
        assert.ok(name !== '' && visible, `${name || 'something without a name'} does not show the focus`);
      const names = found.map(({ name }) => name);
      const expected = ['Rename the greeting', 'build', 'ollama/llama3.2', 'New session', 'Open', 'Conversation'];
      const later = [
        'Thought for 3s',
        'Open diff',
        'Copy code',
        'Insert at the cursor',
        'Copy the answer',
        'Show the question',
        'Take back',
        'Message to Polyglav',
        'Stop (Escape)',
      ];
      let at = -1;
      for (const name of [...expected, ...later]) {
        const next = names.findIndex((other, position) => position > at && other.includes(name));
        assert.ok(next > at, `${name} comes after what is before it: ${names.join(' | ')}`);
        at = next;
      }
    });

  it('writes, sends, opens, copies, follows links, answers and stops', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    await tabTo(panel, /^Message to Polyglav$/);
    await panel.page.keyboard.type('first line');
    await panel.page.keyboard.press('Shift+Enter');
    await panel.page.keyboard.type('second line');
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('send').length === 1, 'the prompt');
    assert.equal(panel.sentOf('send')[0]?.text, 'first line\nsecond line');
    assert.equal((await focusNow(panel)).name, 'Message to Polyglav');

    const ask = { id: 'ask-1', title: 'Run npm test' };
    await panel.post(
      host.start('first line'),
      host.add({ type: 'tool', name: 'run_command', round: 1, input: { command: 'npm test' } }),
      host.change({ run: 'asking', asks: [ask] }),
    );
    await panel.drawn();
    assert.deepEqual(await told(panel), ['Working', 'Waiting for your permission: Run npm test']);
    await panel.page.keyboard.press('Shift+Tab');
    assert.equal((await focusNow(panel)).name, 'Show the question');
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('show_ask').length === 1, 'the question');

    await panel.post(host.permit(1, {}), host.change({ run: 'running', asks: [] }));
    await panel.drawn();
    assert.equal((await focusNow(panel)).name, 'Message to Polyglav', 'the focus is not lost with the card');
    await panel.page.keyboard.press('Escape');
    await panel.until(() => panel.sentOf('stop').length === 1, 'stop');

    const text = 'See [a file](src/a.ts).\n\n```sh\nnpm test\n```\n';
    await panel.post(
      host.fill(1, { output: 'ok', is_error: false }),
      host.add({ type: 'text', text }),
      host.end(),
      host.change({ run: 'idle' }),
    );
    await panel.drawn();
    assert.equal((await told(panel)).at(-1), 'Answer finished');
    await panel.page.locator('.log').focus();
    await tabTo(panel, /^Run npm test/);
    await panel.page.keyboard.press('Enter');
    await panel.page.locator('.tool .output').waitFor();
    assert.match((await focusNow(panel)).name, /^Run npm test/);
    await tabTo(panel, /^a file$/);
    await panel.page.keyboard.press('Enter');
    await tabTo(panel, /^Copy code$/);
    await panel.page.keyboard.press('Enter');
    await tabTo(panel, /^Insert at the cursor$/);
    await panel.page.keyboard.press('Space');
    await panel.until(() => panel.sentOf('insert').length === 1, 'insert');
    assert.deepEqual(panel.sentOf('open_file'), [{ type: 'open_file', path: 'src/a.ts' }]);
    assert.deepEqual(panel.sentOf('copy'), [{ type: 'copy', text: 'npm test' }]);
    assert.equal((await told(panel)).at(-1), 'Copied');
  });

  it('completes commands by a list that a screen reader can follow', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    const box = panel.page.getByRole('textbox', { name: 'Message to Polyglav' });
    const list = panel.page.getByRole('listbox', { name: 'Completions' });
    await box.focus();
    await panel.page.keyboard.type('/mo');
    await list.waitFor();
    assert.equal((await told(panel)).at(-1), '2 completions');
    await panel.page.keyboard.press('ArrowDown');
    await panel.drawn();
    const active = await box.getAttribute('aria-activedescendant');
    assert.equal(await panel.page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
    assert.match(await panel.page.locator(`#${active}`).innerText(), /\/model/);
    await panel.page.keyboard.press('Tab');
    assert.equal(await box.inputValue(), '/model ');
    assert.equal(await list.count(), 0);

    host.state = { ...host.state, commands: host.state.commands.toReversed() };
    await host.snapshot();
    await box.fill('/mode');
    await panel.until(async () => (await list.getByRole('option').count()) === 2, 'both');
    assert.match(await list.getByRole('option', { selected: true }).innerText(), /^\/mode /);
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('send').at(-1)?.text === '/mode', 'the command that was typed out');

    await box.fill('/he');
    await panel.page.keyboard.press('Enter');
    assert.equal(await box.inputValue(), '/help');
    assert.equal(panel.sentOf('send').length, 1);
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('send').length === 2, 'the command');

    await box.fill('/s');
    await panel.page.keyboard.press('Escape');
    assert.equal(await list.count(), 0);
    assert.equal(await box.inputValue(), '/s');
  });

  it('completes the argument of a command by what the host knows, and sends one that was left out', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.lines.push(...['notes', 'my_notes', 'my_plan'].map((name) => `/session load ${name}`));
    await host.open();
    const box = panel.page.getByRole('textbox', { name: 'Message to Polyglav' });
    const options = panel.page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await box.focus();
    await panel.page.keyboard.type('/session load ');
    await options.nth(2).waitFor();
    assert.equal(await box.getAttribute('aria-activedescendant'), null);
    await panel.page.keyboard.type('my');
    await panel.until(async () => (await options.count()) === 2, 'two names');
    await panel.picture('names');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.keyboard.press('Enter');
    assert.equal(await box.inputValue(), '/session load my_plan');
    assert.equal(await options.count(), 0);
    assert.ok(panel.sentOf('complete').some(({ text }) => text === '/session load '));

    await box.fill('');
    await panel.page.keyboard.type('/mode ');
    await options.first().waitFor();
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('send').length === 1, 'the command as it stands');
    assert.equal(panel.sentOf('send')[0]?.text, '/mode');
  });

  it('brings earlier prompts back into an empty box, and changes no other', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    for (const prompt of ['one', 'two\nlines']) {
      host.start(prompt);
      host.end();
    }
    await host.open();
    const box = panel.page.getByRole('textbox', { name: 'Message to Polyglav' });
    await box.focus();
    const values: string[] = [];
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown']) {
      await panel.page.keyboard.press(key);
      values.push(await box.inputValue());
    }
    assert.deepEqual(values, ['two\nlines', 'one', 'one', 'two\nlines', '']);
    await box.fill('mine');
    await panel.page.keyboard.press('ArrowUp');
    assert.equal(await box.inputValue(), 'mine');
  });

  it('leaves Enter to an input method that composes', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    const box = panel.page.getByRole('textbox', { name: 'Message to Polyglav' });
    await box.focus();
    const session = await panel.page.context().newCDPSession(panel.page);
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await session.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 229,
    });
    await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await box.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
    await panel.drawn();
    assert.equal(panel.sentOf('send').length, 0);
    await session.send('Input.insertText', { text: '日本' });
    await panel.page.keyboard.press('Enter');
    await panel.until(() => panel.sentOf('send').length === 1, 'the prompt');
    assert.equal(panel.sentOf('send')[0]?.text, '日本');
  });

  it('is told the states of a turn that runs, and not its chunks', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    working(host);
    await host.open();
    await panel.post(...Array.from({ length: 30 }, (_, at) => host.output(2, `line ${at}\n`)));
    await panel.drawn();
    assert.deepEqual(await told(panel), []);
    assert.equal(await panel.page.locator('.log').getAttribute('aria-live'), 'off');
  });
});
