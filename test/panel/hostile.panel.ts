/** Text of a model, a file or a name that means harm (P7): shown as text, or without effect. */
import assert from 'node:assert/strict';
import { FakeHost } from './fakeHost.ts';
import { openPanel } from './panelPage.ts';

const BIDI = 'invoice\u202Etxt.exe\u200B';
const HTML = [
  BIDI,
  ...['<script>window.pwned = 1</script>', '<img src="https://evil.test/x.png" onerror="window.pwned = 1">'],
  ...[
    '<iframe src="https://evil.test"></iframe>',
    '<form action="https://evil.test"><input name=a></form>',
    '<style>* { display: none }</style>',
  ],
  ...[
    '<base href="https://evil.test/">',
    '<meta http-equiv="refresh" content="0;url=https://evil.test">',
    '<a href="javascript:window.pwned=1">x</a>',
  ],
  ...[
    '<svg onload="window.pwned=1"></svg>',
    '<vscode-button onclick="window.pwned=1">x</vscode-button>',
    '<polyglav-panel></polyglav-panel>',
  ],
].join(' ');
const LINKS = [
  ...[
    'javascript:window.pwned=1',
    'data:text/html,<script>1</script>',
    'vscode://evil/x',
    'command:workbench.action.quit',
    'file:///etc/passwd',
  ],
  ...[
    '../../outside.txt',
    '/etc/passwd',
    '//evil.test/x',
    'vscode-webview://x',
    'blob:x',
    'JAVASCRIPT:alert(1)',
    '&#106;avascript:alert(1)',
  ],
];
const MARKDOWN = [
  HTML,
  ...LINKS.map((href, at) => `[link ${at}](${href}) <${href}> ![image ${at}](${href})`),
  '![remote](https://evil.test/remote.png)',
  `\`\`\`"><img src=x onerror=window.pwned=1>\n${HTML}\n\`\`\``,
  `| ${HTML} |\n|---|\n| x |`,
  '[x]: javascript:window.pwned=1\n\n[x] and [y][x]',
].join('\n\n');

describe('hostile text', () => {
  it('stays text, wherever it comes from', async () => {
    const panel = await openPanel({ width: 500, height: 1200 });
    const host = new FakeHost(panel, {
      session: { name: 'ses_1', title: HTML },
      ...{
        model: HTML,
        mode: HTML,
        problems: [{ text: HTML, file: { path: HTML, shown: HTML } }],
        asks: [{ id: 'a', session: HTML, title: HTML, detail: HTML, reason: HTML, no_rule: HTML }],
      },
      queue: [{ id: 'q', text: HTML }],
      commands: [{ name: HTML, args: HTML, help: HTML }],
    });
    host.start(HTML);
    host.add({ type: 'thinking', text: MARKDOWN });
    host.add({
      type: 'tool',
      name: HTML,
      round: 1,
      input: { [HTML]: HTML },
      output: HTML,
      is_error: false,
      analysis: HTML,
    });
    host.add({
      type: 'tool',
      name: 'file_read',
      round: 1,
      input: { path: `${HTML}${BIDI}` },
      output: `${HTML}${BIDI}`,
      is_error: false,
    });
    host.add({
      type: 'tool',
      name: 'file_edit',
      round: 1,
      input: { path: HTML, old: `${HTML}\na`, new: `${HTML}\nb` },
      output: HTML,
      is_error: true,
    });
    host.add({
      type: 'tool',
      name: 'run_command',
      round: 1,
      input: { command: `${HTML}${BIDI}` },
      output: HTML,
      is_error: true,
    });
    host.add({
      type: 'tool',
      name: 'todo_write',
      round: 1,
      input: { todos: [{ text: HTML, status: 'pending' }] },
      output: HTML,
      is_error: false,
    });
    host.add({ type: HTML, [HTML]: HTML });
    host.add({ type: 'system', kind: 'notice', text: HTML });
    host.add({ type: 'command', text: HTML, summary: MARKDOWN });
    host.add({ type: 'text', text: MARKDOWN });
    host.fail(0, HTML);
    host.end('error');
    await host.open();
    await panel.post(
      { type: 'note', command: HTML, text: MARKDOWN, is_error: true },
      { type: 'prefill', id: 'p', text: HTML },
    );
    await panel.page.locator('textarea').fill('/');
    const shut = panel.page.locator('.fold-head[aria-expanded="false"]');
    while ((await shut.count()) > 0) await shut.first().click();
    await panel.drawn();
    await panel.picture('hostile');

    const page = panel.page;
    const found = await page.evaluate(() => ({
      pwned: 'pwned' in window,
      elements: document.querySelectorAll(
        'script:not([nonce]), img, iframe, form:not(.composer), style, base, meta[http-equiv=refresh], svg, object, embed',
      ).length,
      panels: document.querySelectorAll('polyglav-panel').length,
      handlers: [...document.querySelectorAll('*')].filter((element) =>
        [...element.attributes].some(({ name }) => name.startsWith('on')),
      ).length,
      addresses: document.querySelectorAll('body [href], body [src]:not(script), body [srcset], body [style*="url"]')
        .length,
      hidden: [...document.querySelectorAll('[title], [aria-label]')]
        .map(
          (element) => `${element.className}: ${element.getAttribute('title')} ${element.getAttribute('aria-label')}`,
        )
        .filter((words) => /[\u202E\u200B]/.test(words)),
      text: document.body.innerText,
    }));
    assert.deepEqual(
      { ...found, text: '' },
      { pwned: false, elements: 0, panels: 1, handlers: 0, addresses: 0, hidden: [], text: '' },
    );
    assert.ok(found.text.includes('<script>window.pwned = 1</script>'), 'it is shown');
    assert.ok(!found.text.includes('\u202E') && found.text.includes('invoice⟨U+202E⟩txt.exe⟨U+200B⟩'));
  });

  it('sends nothing to the host when its links are clicked, and honest ones only what they say', async () => {
    const panel = await openPanel({ width: 500, height: 1600 });
    const host = new FakeHost(panel);
    host.start('Links');
    host.add({
      type: 'text',
      text: `${MARKDOWN}\n\n[web](https://example.com/a) [mail](mailto:a@example.com) [file](src/a.ts#L3)`,
    });
    host.end();
    await host.open();
    const quiet = panel.sent.length;
    for (const word of await panel.page.getByText(/^(link|image) \d+$/).all()) await word.click();
    for (const text of ['[link 0]', '[link 5]']) await panel.page.getByText(text).first().click();
    assert.deepEqual(panel.sent.slice(quiet), []);
    for (const name of ['web', 'mail', 'file', 'remote'])
      await panel.page.getByRole('link', { name, exact: true }).click();
    assert.deepEqual(panel.sent.slice(quiet), [
      { type: 'open_link', href: 'https://example.com/a' },
      { type: 'open_link', href: 'mailto:a@example.com' },
      { type: 'open_file', path: 'src/a.ts', line: 3 },
      { type: 'open_link', href: 'https://evil.test/remote.png' },
    ]);
    assert.equal(new URL(panel.page.url()).host, 'panel.test');
  });

  it('keeps the panel answering, as a table of 100,000 cells too', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    host.start('A table, please');
    host.add({ type: 'text', text: `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(50_000)}` });
    await host.open();
    const from = Date.now();
    await panel.drawn();
    await panel.page.locator('textarea').fill('Stop it');
    assert.equal(await panel.page.locator('td').count(), 0);
    assert.equal(await panel.page.locator('.answer pre').count(), 1);
    assert.ok(Date.now() - from < 8000, `${Date.now() - from} ms`);
  });

  it('gets nothing to run in the page, whatever stands in it', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    const blocked = await panel.page.evaluate(async () => {
      const seen = new Set<string>();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.add(effectiveDirective));
      const add = (tag: string, set: Record<string, string>, text = '') => {
        const element = Object.assign(document.createElement(tag), { textContent: text });
        for (const [name, value] of Object.entries(set)) element.setAttribute(name, value);
        document.body.append(element);
        return element;
      };
      add('script', {}, 'window.pwned = 1');
      add('script', { src: 'data:text/javascript,window.pwned=1' });
      add('img', { src: 'https://evil.test/a.png', onerror: 'window.pwned = 1' });
      add('iframe', { src: 'https://evil.test/' });
      add('style', {}, '* { display: none }');
      add('link', { rel: 'stylesheet', href: 'https://evil.test/a.css' });
      add('base', { href: 'https://evil.test/' });
      (add('form', { action: 'https://evil.test/' }) as HTMLFormElement).submit();
      add('object', { data: 'https://evil.test/' });
      try {
        // eslint-disable-next-line @typescript-eslint/no-implied-eval -- this is what must not work
        setTimeout('window.pwned = 1', 0);
      } catch {
        // Refused at once.
      }
      await fetch('https://evil.test/').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { pwned: 'pwned' in window, seen: [...seen].sort() };
    });
    // What the page says of them is what is wanted here.
    panel.faults.length = 0;
    assert.equal(blocked.pwned, false);
    const directives = ['base-uri', 'connect-src', 'form-action', 'frame-src', 'img-src', 'object-src'];
    for (const name of [...directives, 'script-src', 'script-src-elem', 'style-src-elem'])
      assert.ok(blocked.seen.includes(name), `${name} is not among ${blocked.seen.join(', ')}`);
  });

  it('does not come in by messages of another kind', async () => {
    const panel = await openPanel();
    const host = new FakeHost(panel);
    await host.open();
    await panel.page.evaluate(() => {
      for (const data of [null, 1, 'x', {}, { type: 'evil' }, { type: 'toString' }, { type: ['state'] }])
        window.postMessage(data, '*');
    });
    await panel.drawn();
    assert.equal(await panel.page.getByRole('textbox', { name: 'Message to Polyglav' }).count(), 1);
  });
});
