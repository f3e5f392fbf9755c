/** Header and composer stay where they are, whatever comes between them (U2). */
import assert from 'node:assert/strict';
import { FakeHost } from './fakeHost.ts';
import { gallery, working } from './gallery.ts';
import { openPanel, type Panel } from './panelPage.ts';

const HEIGHT = 574;

/** Where they are, and how far anything but the lists between them is scrolled. */
const frame = (panel: Panel) =>
  panel.page.evaluate(() => {
    const top = document.querySelector('.header')!.getBoundingClientRect().top;
    const bottom = document.querySelector('polyglav-composer')!.getBoundingClientRect().bottom;
    const around = ['html', 'body', 'polyglav-panel', '.conversation', 'polyglav-transcript'];
    // A try to scroll them, as a focus that moves does.
    for (const name of around) document.querySelector(name)!.scrollTop = 50;
    window.scrollTo(0, 50);
    const scrolled = around.filter((name) => document.querySelector(name)!.scrollTop !== 0);
    return { top, bottom, scrolled, height: document.documentElement.scrollHeight };
  });

describe('the frame of the panel', () => {
  for (const width of [170, 300, 700])
    it(`stays where it is, ${width} px`, async () => {
      const panel = await openPanel({ width, height: HEIGHT });
      const host = new FakeHost(panel);
      gallery(host);
      const output = Array.from({ length: 3000 }, (_, at) => `line ${at}`).join('\n');
      host.start('Print a lot');
      host.add({ type: 'tool', name: 'run_command', round: 1, input: { command: 'seq' }, output, is_error: false });
      host.end();
      await host.open();
      const stays = async (when: string): Promise<void> => {
        await panel.drawn();
        assert.deepEqual(await frame(panel), { top: 0, bottom: HEIGHT, scrolled: [], height: HEIGHT }, when);
      };
      await stays('at first');
      await panel.page.locator('.fold-head', { hasText: 'seq' }).click();
      await stays('with a long output');
      for (const command of ['/help', '/history', '/print', '/permissions']) {
        const text = Array.from({ length: 60 }, (_, at) => `- \`${command} ${at}\` and words`).join('\n');
        await panel.page.locator('textarea').fill(command);
        await panel.page.keyboard.press('Enter');
        await panel.post({ type: 'note', command, text, is_error: false });
        await panel.page.locator('.note', { hasText: `${command} 59` }).waitFor();
        await stays(command);
      }
      for (const key of ['Tab', 'Shift+Tab'])
        for (let presses = 0; presses < 60; presses += 1) {
          await panel.page.keyboard.press(key);
          if (presses % 6 === 0) await stays(`${key} ${presses}`);
        }
      await panel.page.locator('textarea').fill('/');
      for (let presses = 0; presses < 8; presses += 1) await panel.page.keyboard.press('ArrowDown');
      await stays('with commands to choose from');
      await panel.page.locator('textarea').fill('');
      working(host);
      await host.snapshot();
      await stays('with questions');
      await panel.page.getByRole('button', { name: 'Show the question' }).last().focus();
      await stays('with a question that has the focus');
    });
});
