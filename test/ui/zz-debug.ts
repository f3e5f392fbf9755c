import { Chat } from './harness/chat.ts';
import { openWorkbench } from './harness/workbench.ts';
it('debug', async () => {
    const window = await openWorkbench();
    const chat = new Chat(window);
    await window.openChat();
    const say = async () =>
      console.log(await window.page.evaluate(() => [document.hasFocus(), document.activeElement?.tagName, document.activeElement?.className.slice(0, 80)]),
        await chat.composer.evaluate((box) => [document.hasFocus(), document.activeElement?.tagName, box === document.activeElement]));
    await chat.composer.click();
    for (const how of ['click', 'Enter', 'Escape']) {
      await window.page.keyboard.type('run touch canary');
      await window.page.keyboard.press('Enter');
      const m = await window.modal('Run touch canary');
      await say();
      if (how === 'click') await m.getByRole('button', {name: 'Deny'}).click(); else await window.page.keyboard.press(how);
      await m.waitFor({ state: 'detached' });
      console.log(how);
      for (let i = 0; i < 4; i++) { await new Promise((r) => setTimeout(r, 700)); await say(); }
      await window.page.keyboard.press('Control+k'); await window.page.keyboard.press('Control+g');
      await new Promise((r) => setTimeout(r, 1500)); await say();
    }
});
