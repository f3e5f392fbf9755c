/** However much there is to say, there is room for the conversation and for the next prompt, and nothing is cut off (U2). */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { FakeHost } from './fakeHost.ts';
import { crowd, faults, gallery, LONG_COMMAND } from './gallery.ts';
import { openPanel, type Panel } from './panelPage.ts';

const NARROW = { width: 300, height: 500 };
const boxOf = (panel: Panel) => panel.page.getByRole('textbox', { name: 'Message to Polyglav' });

/** Pixels of it that can be seen, from top to bottom. */
async function seen(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    let [from, to] = [Math.max(top, 0), Math.min(bottom, window.innerHeight)];
    for (let around = node.parentElement; around !== null; around = around.parentElement) {
      if (getComputedStyle(around).overflowY === 'visible') continue;
      const edges = around.getBoundingClientRect();
      [from, to] = [Math.max(from, edges.top), Math.min(to, edges.bottom)];
    }
    return Math.max(0, to - from);
  });
}

async function refuse(panel: Panel, text: string, due_to?: 'turn' | 'configuration' | 'holder'): Promise<void> {
  const before = panel.sentOf('send').length;
  await boxOf(panel).fill(text);
  await boxOf(panel).press('Enter');
  await panel.until(() => panel.sentOf('send').length > before, 'the prompt');
  const { id } = panel.sentOf('send').at(-1)!;
  await panel.post({ type: 'refused', id, reason: `Not ${text}.`, ...(due_to === undefined ? {} : { due_to }) });
  await panel.page.locator('.refusal').waitFor();
}

describe('the room of the panel', () => {
  it('is not taken by faults, which are said once, under the file that they are in', async () => {
    const panel = await openPanel(NARROW);
    const host = new FakeHost(panel, { problems: faults() });
    host.accepts = false;
    gallery(host);
    await host.open();
    await refuse(panel, 'hello', 'configuration');
    await panel.drawn();
    assert.equal(await panel.page.getByText('Line 3: ').count(), 1);
    assert.match(await panel.page.locator('.refusal').innerText(), /^Not sent: the configuration has faults/);
    assert.ok((await seen(panel.page.locator('main'))) >= 100);
    assert.ok((await seen(boxOf(panel))) >= 38);
    assert.ok((await seen(panel.page.locator('.refusal'))) >= 40);
    const last = panel.page.locator('.problem', { hasText: '~/.polyglav/config.json' });
    await last.locator('li').last().scrollIntoViewIfNeeded();
    await last.getByRole('button', { name: 'Open' }).click();
    assert.deepEqual(panel.sentOf('open_settings'), [
      { type: 'open_settings', file: '/home/me/.polyglav/config.json' },
    ]);
  });

  it('is left to the conversation and the composer when everything comes at once', async () => {
    const panel = await openPanel(NARROW);
    const host = new FakeHost(panel);
    crowd(host);
    await host.open();
    await boxOf(panel).fill('a long prompt\n'.repeat(30));
    await panel.drawn();
    for (const [what, most] of [
      ['main', 90],
      ['.box', 90],
      ['.problem-place >> nth=0', 24],
      ['.ask vscode-button >> nth=0', 24],
      ['.chip >> nth=0', 30],
    ] as const)
      assert.ok((await seen(panel.page.locator(what))) >= most, what);
    assert.equal(await panel.page.locator('polyglav-panel').evaluate((node) => node.scrollHeight), NARROW.height);
  });

  it('shows a long command whole, and its button without a search', async () => {
    const panel = await openPanel(NARROW);
    const oneLine = LONG_COMMAND.replaceAll('\n', ' ; ');
    for (const [command, title] of [
      [LONG_COMMAND, `Run ${oneLine}`],
      [oneLine, `Run ${oneLine}`],
    ] as const) {
      const host = new FakeHost(panel, { run: 'asking', asks: [{ id: 'a', title, detail: command }] });
      host.start('Go');
      host.add({ type: 'tool', name: 'run_command', round: 1, input: { command } });
      await host.open();
      assert.ok((await seen(panel.page.locator('main'))) >= 180);
      assert.ok((await seen(panel.page.getByRole('button', { name: 'Show the question' }))) >= 24);
      const detail = panel.page.locator('.ask pre');
      assert.equal(await detail.textContent(), command);
      assert.ok((await seen(detail)) >= 80);
      assert.ok((await panel.page.locator('.ask').evaluate((node) => node.clientHeight)) < 225);
      await panel.page.locator('.fold-head').click();
      const request = panel.page.locator('.command-text');
      assert.equal((await request.textContent())?.trim(), command);
      assert.ok((await request.evaluate((node) => node.clientHeight)) <= 160);
      await panel.page.locator('.fold-head').click();
    }
  });

  it('is not given to a command twice when it is short', async () => {
    const panel = await openPanel(NARROW);
    await new FakeHost(panel, { asks: [{ id: 'a', title: 'Run npm test', detail: 'npm test' }] }).open();
    assert.equal(await panel.page.locator('.ask').getByText('npm test').count(), 1);
  });

  it('is enough for long lines of what a command printed, which go on in the next', async () => {
    const panel = await openPanel(NARROW);
    const host = new FakeHost(panel);
    await host.open();
    const line = '#1.2  granted  run_command  npm test -- --grep "a long pattern of a test" && git status --short';
    await panel.post({ type: 'note', command: '/permissions', text: `\`\`\`\n${line}\n\`\`\``, is_error: false });
    const code = panel.page.locator('.note pre');
    await code.waitFor();
    assert.ok(await code.evaluate((node) => node.scrollWidth <= node.clientWidth));
  });

  it('shows where a line of code or a table goes on behind the edge', async () => {
    const panel = await openPanel(NARROW);
    const host = new FakeHost(panel);
    host.start('Go');
    const row = `|${' averyverylongword |'.repeat(4)}`;
    host.add({
      type: 'text',
      text: `\`\`\`ts\nshort\n\`\`\`\n\n\`\`\`ts\n${'long '.repeat(40)}\n\`\`\`\n\n${row}\n|${'---|'.repeat(4)}\n${row}\n`,
    });
    host.end();
    await host.open();
    const fades = () =>
      panel.page
        .locator('.code pre, .table')
        .evaluateAll((all) => all.map((node) => getComputedStyle(node).getPropertyValue('--more-aside')));
    await panel.drawn();
    assert.deepEqual(await fades(), ['0px', '36px', '36px']);
    await panel.page.locator('.code pre, .table').evaluateAll((all) => all.forEach((node) => (node.scrollLeft = 9999)));
    await panel.drawn();
    assert.deepEqual(await fades(), ['0px', '0px', '0px']);
  });
});

describe('what is said of a refused prompt', () => {
  it('goes when the configuration is mended, and not before', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { problems: faults() });
    host.accepts = false;
    await host.open();
    await refuse(panel, 'hello', 'configuration');
    await panel.post(host.change({ problems: faults().slice(0, 1), model: 'demo/demo' }), { type: 'configured' });
    await panel.drawn();
    assert.equal(await panel.page.locator('.refusal').count(), 1);
    await panel.post(host.change({ problems: [{ text: 'The session a could not be opened again.' }] }), {
      type: 'configured',
    });
    await panel.page.locator('.refusal').waitFor({ state: 'detached' });
    assert.equal(await boxOf(panel).inputValue(), 'hello');
  });

  it('goes when the chosen model can be used again, which the header marks until then', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { model: 'mock/small', model_fault: 'There is no provider "mock".' });
    host.accepts = false;
    await host.open();
    const model = panel.page.locator('.header vscode-button', { hasText: 'mock/small' });
    assert.match(
      (await model.getAttribute('title')) ?? '',
      /mock\/small, which cannot be used now\.\nThere is no provider/,
    );
    assert.equal(await model.locator('.codicon-warning').count(), 1);
    await refuse(panel, 'hello', 'configuration');
    await panel.post({ type: 'configured' });
    await panel.drawn();
    assert.equal(await panel.page.locator('.refusal').count(), 1);
    const { model_fault: _, ...usable } = host.state;
    host.state = usable;
    await panel.post(host.change({}));
    await panel.page.locator('.refusal').waitFor({ state: 'detached' });
    assert.equal(await model.locator('.codicon-warning').count(), 0);
    assert.equal(await boxOf(panel).inputValue(), 'hello');
  });

  it('goes when another model is chosen, when the turn has ended, when the session is free', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { withheld: 'unconfirmed' });
    host.accepts = false;
    await host.open();
    const gone = () => panel.page.locator('.refusal').waitFor({ state: 'detached' });
    await refuse(panel, 'hello', 'configuration');
    assert.match(await panel.page.locator('.refusal').innerText(), /Not hello/);
    await panel.post(host.change({ model: 'openai/other' }));
    await gone();
    await panel.post(host.change({ run: 'running' }));
    await refuse(panel, '/mode plan', 'turn');
    await panel.post(host.change({ run: 'stopping' }));
    await panel.drawn();
    assert.equal(await panel.page.locator('.refusal').count(), 1);
    await panel.post(host.change({ run: 'idle' }));
    await gone();
    const { session } = host.state;
    await panel.post(host.change({ session: { ...session!, held_by: 'VS Code' } }));
    await refuse(panel, 'mine', 'holder');
    await panel.post(host.change({ session }));
    await gone();
    await refuse(panel, '/nonsense');
    await panel.post(host.change({ run: 'running', model: 'a/b' }), host.change({ run: 'idle' }), {
      type: 'configured',
    });
    await panel.drawn();
    assert.equal(await panel.page.locator('.refusal').count(), 1, 'it is no command still');
  });
});
