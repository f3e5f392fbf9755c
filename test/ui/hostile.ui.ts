/** A model that means harm, in the real webview and the real workbench (P7): its words are shown, and do nothing. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { MockProvider } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { openWorkbench, type Workbench } from './harness/workbench.ts';

const MARKUP =
  '<img src="https://evil.test/a.png" onerror="window.pwned=1"><script>window.pwned=1</script>' +
  '<iframe src="https://evil.test/b"></iframe><style>*{display:none}</style><base href="https://evil.test/">';
const ANSWER = [
  MARKUP,
  '![a picture](https://evil.test/c.png)',
  '[run](command:workbench.action.closeWindow) [script](javascript:window.pwned=1) [data](data:text/html,x)',
  '[inside](inside.txt) [outside](out.txt) [climbing](../secret.txt)',
].join('\n\n');
const COMMAND = 'echo $(flame) <b>bold</b> \u202Etxt.exe';

describe('a hostile model', () => {
  let mock: MockProvider;
  let window: Workbench;
  let chat: Chat;
  const requests: string[] = [];
  before(async () => {
    mock = await MockProvider.start({
      replies: [[{ text: ANSWER }, { call: 'run_command', arguments: { command: COMMAND } }], [{ text: 'Done.' }]],
    });
    window = await openWorkbench({ files: { 'inside.txt': 'inside\n' }, config: mockConfig(mock) });
    const secret = path.join(path.dirname(window.folder), 'secret.txt');
    fs.writeFileSync(secret, 'secret\n');
    fs.symlinkSync(secret, path.join(window.folder, 'out.txt'));
    window.page.on('request', (request) => requests.push(request.url()));
    chat = new Chat(window);
    await window.openChat();
  });
  after(async () => {
    await window.dispose();
    await mock.stop();
  });

  it('is shown as text in the panel, the prompt, the tree and the status bar', async () => {
    await chat.send(`$(flame) ${MARKUP}`);
    const modal = await window.modal('Run echo');
    const words = await modal.innerText();
    assert.ok(words.includes('$(flame) <b>bold</b>'), words);
    assert.ok(!words.includes('\u202E') && words.includes('U+202E'), words);
    await window.shot('asked');
    await window.answerModal('Deny');
    await chat.ended(1);
    await chat.turn(1).getByText('<script>window.pwned=1</script>').first().waitFor();
    await window.treeRow('$(flame) <img').waitFor();
    await window.statusBarItem('flame').waitFor();
    assert.equal(await window.page.locator('.codicon-flame').count(), 0);
    for (const frame of window.page.frames()) assert.equal(await frame.evaluate(() => 'pwned' in globalThis), false);
    assert.deepEqual(
      requests.filter((url) => url.includes('evil')),
      [],
    );
  });

  it('links to nothing but web pages and files in the folder', async () => {
    const links = chat.turn(1).getByRole('link');
    const web = ['a.png', 'b', ''].map((end) => `https://evil.test/${end}`);
    assert.deepEqual(await links.allInnerTexts(), [...web, ' a picture', 'inside', 'outside']);
    await links.getByText('outside').click();
    await window.notification('There is no file out.txt in this folder.').waitFor();
    await links.getByText('inside').click();
    await window.page.locator('.tab', { hasText: 'inside.txt' }).waitFor();
    assert.equal(await window.page.locator('.tab').count(), 1);
  });

  it('could not run a script in the page even if it got one in', async () => {
    const frame = await window.chatFrame();
    const { ran, blocked } = await frame.evaluate(() => {
      const blocked: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
        blocked.push(effectiveDirective),
      );
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.body.append(script);
      const image = document.createElement('img');
      image.setAttribute('onerror', 'window.pwned = 1');
      image.src = 'https://evil.test/d.png';
      document.body.append(image);
      return new Promise<{ ran: boolean; blocked: string[] }>((resolve) =>
        setTimeout(() => resolve({ ran: 'pwned' in globalThis, blocked }), 300),
      );
    });
    assert.equal(ran, false);
    for (const name of ['script-src-elem', 'script-src-attr', 'img-src'])
      assert.ok(blocked.includes(name), `${name} is not among ${blocked.join(', ')}`);
  });
});
