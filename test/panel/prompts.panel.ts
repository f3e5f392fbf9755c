/** What becomes of a prompt and of a draft, whatever happens around them (T9, R9, U1). */
import assert from 'node:assert/strict';
import { FakeHost } from './fakeHost.ts';
import { load, openPanel, type Panel } from './panelPage.ts';

const boxOf = (panel: Panel) => panel.page.getByRole('textbox', { name: 'Message to Polyglav' });

async function write(panel: Panel, text: string): Promise<void> {
  await boxOf(panel).fill(text);
  await panel.page.keyboard.press('Enter');
}

describe('prompts and drafts', () => {
  it('are kept per session, over a reload', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    await boxOf(panel).fill('half a thought');
    await load(panel);
    await boxOf(panel).waitFor();
    assert.equal(await boxOf(panel).inputValue(), 'half a thought');
    host.state = { ...host.state, session: { name: 'another', title: 'Another' } };
    await host.snapshot();
    await panel.drawn();
    assert.equal(await boxOf(panel).inputValue(), '');
  });

  it('are sent again under the same id after a reload, until the host has answered', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.accepts = false;
    await host.open();
    await write(panel, 'x'.repeat(100_000));
    await panel.until(() => panel.sentOf('send').length === 1, 'the prompt');
    await load(panel);
    await panel.until(() => panel.sentOf('send').length === 2, 'the prompt again');
    const [first, second] = panel.sentOf('send');
    assert.deepEqual(first, second);
    await panel.page.locator('.chip.on-the-way').waitFor();
    await panel.post({ type: 'accepted', id: first!.id });
    await panel.drawn();
    assert.equal(await panel.page.locator('.chip').count(), 0);
    await load(panel);
    await boxOf(panel).waitFor();
    await panel.drawn();
    assert.equal(panel.sentOf('send').length, 2);
  });

  it('are as they were last when the window forgot what the page had kept', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.accepts = false;
    await host.open();
    await write(panel, 'on its way');
    await boxOf(panel).fill('half a thought');
    const name = host.session.session_name;
    await panel.until(() => host.unsent[name]?.draft === 'half a thought', 'the copy');
    await panel.page.evaluate(() => sessionStorage.clear());
    await load(panel);
    await panel.until(() => panel.sentOf('send').length === 2, 'the prompt again');
    assert.deepEqual(panel.sentOf('send')[1], panel.sentOf('send')[0]);
    assert.equal(await boxOf(panel).inputValue(), 'half a thought');
  });

  it('come back with the reason when they are refused', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.accepts = false;
    await host.open();
    await write(panel, '/nonsense');
    await panel.until(() => panel.sentOf('send').length === 1, 'the command');
    await panel.post({
      type: 'refused',
      id: panel.sentOf('send')[0]!.id,
      reason: 'There is no command /nonsense. /help lists them.',
    });
    await panel.page.getByRole('alert').getByText('There is no command').waitFor();
    assert.equal(await boxOf(panel).inputValue(), '/nonsense');
    await panel.picture('refused');
    await boxOf(panel).fill('/help');
    assert.equal(await panel.page.getByRole('alert').count(), 0);
  });

  it('wait visibly while a turn runs, and can be taken back', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { run: 'running' });
    host.start('Go');
    await host.open();
    await write(panel, 'and then this');
    await panel.until(() => panel.sentOf('send').length === 1, 'the prompt');
    await panel.post(host.change({ queue: [{ id: panel.sentOf('send')[0]!.id, text: 'and then this' }] }));
    await panel.page.locator('.chip', { hasText: 'and then this' }).waitFor();
    await boxOf(panel).fill('typed meanwhile');
    await panel.page.getByRole('button', { name: 'Take back' }).click();
    await panel.until(() => panel.sentOf('unqueue').length === 1, 'taking back');
    const given = { type: 'prefill', id: 'p', text: 'and then this' } as const;
    await panel.post(host.change({ queue: [] }), given, given);
    await panel.drawn();
    assert.equal(await boxOf(panel).inputValue(), 'typed meanwhile\n\nand then this');
    await panel.until(() => panel.sentOf('prefilled').length === 2, 'that it is there');
    assert.equal(await panel.page.locator('.chip').count(), 0);
  });

  it('lose none of five that are sent in quick succession', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { run: 'running' });
    host.start('Go');
    await host.open();
    for (let round = 0; round < 20; round += 1) {
      for (let number = 1; number <= 5; number += 1) {
        await write(panel, `message ${round}.${number}`);
        if ((round + number) % 3 === 0) await panel.post(host.change({ run: number % 2 === 0 ? 'running' : 'asking' }));
        await panel.page.waitForTimeout((round * 7 + number * 13) % 50);
      }
    }
    await panel.until(() => panel.sentOf('send').length === 100, 'a hundred prompts');
    const texts = panel.sentOf('send').map(({ text }) => text);
    assert.deepEqual(
      texts,
      Array.from({ length: 100 }, (_, at) => `message ${Math.floor(at / 5)}.${(at % 5) + 1}`),
    );
    assert.equal(new Set(panel.sentOf('send').map(({ id }) => id)).size, 100);
    await panel.drawn();
    assert.equal(await boxOf(panel).inputValue(), '');
  });

  it('go by a second press of Enter once only', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.accepts = false;
    await host.open();
    await write(panel, 'once');
    await panel.page.keyboard.press('Enter');
    await panel.page.keyboard.press('Control+Enter');
    await panel.drawn();
    assert.equal(panel.sentOf('send').length, 1);
  });

  it('stop the turn by the button, which gives way to Send when something is written', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { run: 'running' });
    host.start('Go');
    await host.open();
    const [stop, send] = [
      panel.page.getByRole('button', { name: /^Stop/ }),
      panel.page.getByRole('button', { name: /^Send/ }),
    ];
    assert.deepEqual([await stop.count(), await send.count()], [1, 0]);
    await boxOf(panel).fill('more');
    assert.deepEqual([await stop.count(), await send.count()], [1, 1]);
    await panel.page.keyboard.press('Escape');
    assert.equal(panel.sentOf('stop').length, 0, 'Escape with a text in the box stops nothing');
    await stop.click();
    await panel.until(() => panel.sentOf('stop').length === 1, 'stop');
    await panel.post(host.change({ run: 'stopping' }));
    await panel.page.getByRole('button', { name: 'Stopping…' }).waitFor();
    await panel.post(host.end('cancelled'), host.change({ run: 'idle' }));
    await panel.page.getByText('Stopped', { exact: true }).first().waitFor();
    assert.equal(await stop.count(), 0);
  });

  it('begin from an example, which the person may change first', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel, { session: null, demo: true, model: 'demo/demo' });
    await host.open();
    await panel.page.getByRole('button', { name: 'List the files in this folder' }).click();
    await panel.drawn();
    assert.equal(await boxOf(panel).inputValue(), 'List the files in this folder');
    assert.equal(panel.sentOf('send').length, 0);
    await boxOf(panel).press('Enter');
    await panel.until(() => panel.sentOf('send').length === 1, 'the prompt');
  });
});
