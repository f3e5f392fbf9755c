/** Messages that are doubled, late or lost, and what the host asks of the panel. */
import assert from 'node:assert/strict';
import { FakeHost } from './fakeHost.ts';
import { EDIT, todos } from './gallery.ts';
import { openPanel, type Panel } from './panelPage.ts';

const answers = (panel: Panel) => panel.page.locator('.answer').allInnerTexts();

describe('messages of the host', () => {
  it('count once, doubled or late', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    const messages = [
      host.start('Go'),
      host.add({ type: 'text', text: 'one' }),
      host.extend(' two'),
      host.extend(' three'),
    ];
    for (const message of messages) await panel.post(message, message);
    await panel.post(...messages, host.extend(' four'), messages[2]!);
    await panel.drawn();
    assert.deepEqual(await answers(panel), ['one two three four']);
    assert.equal(await panel.page.locator('polyglav-turn').count(), 1);
    assert.equal(panel.sentOf('ready').length, 1);
  });

  it('are asked for again when one is missing', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    await panel.post(host.start('Go'), host.add({ type: 'text', text: 'one' }));
    host.extend(' lost');
    const rest = Array.from({ length: 20 }, (_, at) => host.extend(` ${at}`));
    await panel.post(...rest);
    await panel.until(() => panel.sentOf('ready').length === 2, 'the question');
    await panel.post(host.extend(' end'));
    await panel.drawn();
    assert.match((await answers(panel))[0] ?? '', /^one lost 0 1 .* 19 end$/);
    assert.equal(panel.sentOf('ready').length, 2);
  });

  it('keep what is drawn and open when they start anew', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.start('Go');
    host.add({ type: 'tool', name: 'file_read', round: 1, input: { path: 'a.ts' }, output: 'text', is_error: false });
    host.add({ type: 'text', text: 'A [link](https://example.com).' });
    host.end();
    await host.open();
    await panel.page.locator('.fold-head').click();
    await panel.page.getByRole('link').focus();
    await panel.page.evaluate(() => document.querySelector('.answer')!.setAttribute('data-mark', 'same'));
    await host.snapshot();
    await panel.drawn();
    assert.equal(await panel.page.locator('.answer[data-mark=same]').count(), 1);
    assert.equal(await panel.page.locator('.tool .output').count(), 1);
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent), 'link');
  });

  it('show a call from its beginning to its end', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { run: 'running' });
    await host.open();
    await panel.post(
      host.start('Go'),
      host.add({ type: 'tool', name: 'run_command', round: 1, input: { command: 'npm test' } }),
    );
    await panel.page.locator('.tool.running .fold-head').click();
    await panel.post(host.output(1, 'first\n'), host.output(1, 'second\n'));
    await panel.page.getByText('first\nsecond').waitFor();
    await panel.post(host.fill(1, { output: 'first\nsecond\n[Exit code 3]', is_error: true }));
    await panel.page.locator('.tool.failed .state', { hasText: 'exit 3' }).waitFor();
    await panel.page.locator('.output').hover();
    await panel.page.getByRole('button', { name: 'Copy the output' }).click();
    assert.deepEqual(panel.sentOf('copy'), [{ type: 'copy', text: 'first\nsecond\n[Exit code 3]' }]);
  });

  it('show an edit as a diff, which the editor can show too', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.start('Go');
    host.add({ type: 'tool', name: 'file_edit', round: 1, input: EDIT, output: 'ok', is_error: false });
    host.add({ type: 'tool', name: 'todo_write', round: 1, input: { todos: todos() }, output: 'ok', is_error: false });
    host.end();
    await host.open();
    const card = panel.page.locator('.tool', { hasText: 'Edit' });
    assert.match(await card.innerText(), /\+2\s+−1/);
    await card.hover();
    await card.getByRole('button', { name: 'Open diff' }).click();
    await card.getByRole('button', { name: 'Open file' }).click();
    assert.deepEqual(panel.sentOf('show_diff'), [{ type: 'show_diff', turn: 1, part: 1 }]);
    assert.deepEqual(panel.sentOf('open_file'), [{ type: 'open_file', path: 'src/greet.ts' }]);
    const items = await panel.page.locator('.todos li').allTextContents();
    assert.deepEqual(
      items.map((item) => item.trim()),
      ['done: Read the greeting', 'in progress: Make it friendlier', 'to do: Add a test'],
    );
  });

  it('ask for a folder, a session, a model, a mode, the settings', async () => {
    const panel = await openPanel();
    const file = { path: '/home/me/.polyglav/config.json', shown: '~/.polyglav/config.json' };
    const host = new FakeHost(panel, { session: null, demo: true, problems: [{ text: 'Wrong.', file }] });
    await host.open();
    for (const name of ['session', 'mode', 'model', 'new'])
      await panel.page.locator(`vscode-button[name=${name}]`).click();
    await panel.page.getByRole('button', { name: 'Open', exact: true }).click();
    await panel.page.getByRole('button', { name: 'Open settings file' }).click();
    host.state = { ...host.state, folder: false, problems: [] };
    await host.snapshot();
    await panel.page.getByRole('button', { name: 'Open Folder' }).click();
    assert.deepEqual(
      panel.sent.filter(({ type }) => type !== 'ready'),
      [
        { type: 'pick', what: 'session' },
        { type: 'pick', what: 'mode' },
        { type: 'pick', what: 'model' },
        { type: 'new_session' },
        { type: 'open_settings', file: file.path },
        { type: 'open_settings' },
        { type: 'open_folder' },
      ],
    );
  });

  it('say what a command said, until the person goes on', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { session: null });
    await host.open();
    await panel.post(
      { type: 'note', command: '/help', text: '| a | b |\n|---|---|\n| `/x` | does x |', is_error: false },
      { type: 'focus' },
    );
    await panel.page.locator('.note td', { hasText: 'does x' }).waitFor();
    await panel.picture('note');
    // A second one stands below, and a long one is shown from its beginning.
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n\n');
    await panel.page.keyboard.type('/history');
    await panel.page.keyboard.press('Enter');
    await panel.post({ type: 'note', command: '/history', text: lines, is_error: false });
    await panel.page.locator('.note', { hasText: 'line 99' }).waitFor();
    await panel.drawn();
    assert.equal(await panel.page.locator('.note').count(), 2);
    const seen = await panel.page.getByText('line 0', { exact: true }).boundingBox();
    assert.ok(seen !== null && seen.y > 0 && seen.y < 400, JSON.stringify(seen));
    await panel.page.getByRole('textbox').fill('go on');
    await panel.page.keyboard.press('Enter');
    await panel.drawn();
    assert.equal(await panel.page.locator('.note').count(), 0);
    assert.equal(panel.sentOf('send').at(-1)?.text, 'go on');
  });

  it('show every letter of every script', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { run: 'running' });
    await host.open();
    const text = 'Привет, 世界! 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 é';
    await panel.post(
      host.start(text),
      host.add({ type: 'text', text: '' }),
      ...Array.from(text, (letter) => host.extend(letter)),
    );
    await panel.post(
      host.add({
        type: 'tool',
        name: 'run_command',
        round: 1,
        input: { command: text },
        output: text,
        is_error: false,
      }),
    );
    await panel.page.locator('.fold-head').click();
    await panel.drawn();
    assert.deepEqual(await answers(panel), [text]);
    assert.equal(await panel.page.locator('.output pre').innerText(), text);
    assert.equal(await panel.page.locator('.prompt-text').innerText(), text);
  });
});
