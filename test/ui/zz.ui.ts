import { MockProvider } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { openWorkbench } from './harness/workbench.ts';
describe('zz', () => {
  it('drafts', async function () {
    this.timeout(300000);
    const mock = await MockProvider.start();
    const window = await openWorkbench({ files: { '.polyglav/config.json': mockConfig(mock) } });
    const chat = new Chat(window);
    await window.openChat();
    const text = 'A line of what was pasted.\n'.repeat(40_000).trim();
    const set = async (label: string) => {
      const t = Date.now();
      await chat.composer.click();
      await window.paste(text);
      for (;;) {
        if ((await chat.composer.inputValue()) === text) break;
      }
      console.log(label, 'pasted in', Date.now() - t);
    };
    const look = async (label: string) => {
      await chat.composer.waitFor();
      await window.page.waitForTimeout(4000);
      console.log(
        label,
        (await chat.composer.inputValue()).length,
        'logged',
        window.readSessions().map((s) => JSON.stringify(s.turns).length),
      );
    };
    const step = async (label: string, work: () => Promise<unknown>) => {
      const t = Date.now();
      await work();
      console.log(label, Date.now() - t);
    };
    await set('c');
    await window.page.waitForTimeout(1000);
    mock.reply([{ hang: true }]);
    await step('enter', () => window.page.keyboard.press('Enter'));
    await window.page.waitForTimeout(1000);
    await step('reload', () => window.reload());
    await look('c: reload');
    await step('click', () => chat.composer.click());
    await step('select', () => window.page.keyboard.press('Control+a'));
    await step('delete', () => window.page.keyboard.press('Delete'));
    await step('empty?', async () => console.log((await chat.composer.inputValue()).length));
    await step('new', () => chat.newSession());
    await set('d');
    await mock.stop();
  });
});
