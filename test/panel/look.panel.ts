/** How the panel looks, and that everything in it can be read and is named (U6): pictures, and axe on each. */
import assert from 'node:assert/strict';
import { assertAccessible } from './axe.ts';
import { FakeHost } from './fakeHost.ts';
import { crowd, gallery, working } from './gallery.ts';
import { DARK, HIGH_CONTRAST, LIGHT, openPanel, THEMES, variablesOf, type Panel } from './panelPage.ts';

async function looked(panel: Panel, name: string): Promise<void> {
  await panel.drawn();
  await panel.picture(name);
  await assertAccessible(panel);
}

describe('the look of the panel', () => {
  for (const theme of THEMES) {
    const widths = [DARK, LIGHT, HIGH_CONTRAST].includes(theme) ? [300, 800] : [400];
    for (const width of widths) {
      it(`of a whole conversation, ${theme}, ${width} px`, async () => {
        const panel = await openPanel({ theme, width, height: 1900 });
        const host = new FakeHost(panel);
        gallery(host);
        await host.open();
        for (const name of ['Thought', 'Edit', 'npm test', 'hologram'])
          await panel.page.locator('.fold-head', { hasText: name }).first().click();
        await looked(panel, `conversation ${theme} ${width}`);
      });

      it(`of a turn that runs and asks, ${theme}, ${width} px`, async () => {
        const panel = await openPanel({ theme, width, height: 900 });
        const host = new FakeHost(panel);
        working(host);
        await host.open();
        await panel.page.locator('textarea').fill('One more thing\nwith two lines');
        await looked(panel, `working ${theme} ${width}`);
        await panel.page.locator('textarea').fill('/se');
        await panel.page.keyboard.press('ArrowDown');
        await looked(panel, `completion ${theme} ${width}`);
      });

      it(`of much that is said around a conversation, ${theme}, ${width} px`, async () => {
        const panel = await openPanel({ theme, width, height: 600 });
        const host = new FakeHost(panel);
        crowd(host);
        await host.open();
        await looked(panel, `crowd ${theme} ${width}`);
      });

      it(`of a beginning, ${theme}, ${width} px`, async () => {
        const panel = await openPanel({ theme, width, height: 700 });
        const file = { path: '/home/me/project/.polyglav/config.json', shown: '.polyglav/config.json' };
        const problems = [{ text: 'Line 3: "modle" is not a setting; did you mean "model"?', file }];
        const host = new FakeHost(panel, { session: null, demo: true, model: 'demo/demo', problems });
        await host.open();
        await looked(panel, `start ${theme} ${width}`);
        host.state = { ...host.state, folder: false, problems: [] };
        await host.snapshot();
        await panel.page.locator('main.start').waitFor();
        await looked(panel, `no folder ${theme} ${width}`);
      });

      it(`of a folder whose configuration is used in part only, ${theme}, ${width} px`, async () => {
        const panel = await openPanel({ theme, width, height: 500 });
        const host = new FakeHost(panel, { withheld: 'untrusted' });
        await host.open();
        await looked(panel, `not trusted ${theme} ${width}`);
        await panel.page.getByRole('button', { name: 'Manage Trust' }).click();
        await panel.until(() => panel.sentOf('review_folder').length === 1, 'the way to trust');
        await panel.post(host.change({ withheld: 'unconfirmed' }));
        await panel.page.getByRole('button', { name: 'Review' }).click();
        await panel.until(() => panel.sentOf('review_folder').length === 2, 'the question');
        await looked(panel, `not confirmed ${theme} ${width}`);
      });
    }
  }

  it('has its colours from variables of VS Code alone', async () => {
    const panel = await openPanel();
    await new FakeHost(panel).open();
    const styles = await panel.page.evaluate(() =>
      [...document.styleSheets]
        .filter(({ href }) => href?.endsWith('main.css') === true)
        .flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText))
        .join('\n'),
    );
    const needed = [...styles.matchAll(/var\((--vscode-[\w.-]+)\)/g)].map(([, name]) => name ?? '');
    const known = variablesOf(DARK);
    const optional = /contrast(Active)?Border$/;
    assert.deepEqual(
      needed.filter((name) => !known.has(name) && !optional.test(name)),
      [],
      'they are in themes.json',
    );
    const own = styles.replace(/url\([^)]*\)/g, '').match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(\s*\d/gi);
    assert.equal(own, null, 'no colour of our own');
  });

  it('changes with the theme, without a reload', async () => {
    const panel = await openPanel({ theme: DARK, width: 400, height: 900 });
    const host = new FakeHost(panel);
    gallery(host);
    await host.open();
    for (const theme of [LIGHT, HIGH_CONTRAST, 'Monokai', 'Default High Contrast Light']) {
      await panel.setTheme(theme);
      await assertAccessible(panel);
    }
  });
});
