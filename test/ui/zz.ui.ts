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
    await set('a');
    await window.page.waitForTimeout(3000);
    await window.reload();
    await look('a: draft 3 s, reload');
    await chat.composer.fill('');
    await set('b');
    await window.page.waitForTimeout(300);
    await window.reload();
    await look('b: draft 300 ms, reload');
    await chat.composer.fill('');
    await set('c');
    await window.page.waitForTimeout(3000);
    mock.reply([{ hang: true }]);
    await window.page.keyboard.press('Enter');
    await window.page.waitForTimeout(1000);
    await window.reload();
    await look('c: draft 3 s, send, 1000 ms, reload');
    await chat.composer.fill('');
    await chat.newSession();
    await set('d');
    await window.page.waitForTimeout(3000);
    mock.reply([{ hang: true }]);
    await window.page.keyboard.press('Enter');
    await window.page.waitForTimeout(50);
    await window.reload();
    await look('d: draft 3 s, send, 50 ms, reload');
    await mock.stop();
  });
});
