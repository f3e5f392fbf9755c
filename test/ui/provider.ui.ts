/** A provider of one's own over real HTTP: its key, what goes wrong with it, and a configuration that is mended. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider, type RecordedRequest, type Step } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { mockConfig } from './harness/mockConfig.ts';
import { runDir } from './harness/servers.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const KEYS = { UI_RIGHT_KEY: 'sk-right-0123456789abcdef', UI_WRONG_KEY: 'sk-wrong-0123456789abcdef' };
const HOME = path.join(runDir, 'provider-home');

const quote = ({ body }: RecordedRequest): Step[] => [
  { text: `It says: ${String(body.messages.at(-1)?.content)}\n\nThat is **all**.` },
];

describe('a provider over HTTP', () => {
  let mock: MockProvider;
  let window: Workbench;
  let chat: Chat;
  before(async () => {
    mock = await MockProvider.start({ strict: true });
    fs.mkdirSync(HOME, { recursive: true });
    fs.writeFileSync(path.join(HOME, 'config.json'), mockConfig(mock, { api_key_env: 'UI_RIGHT_KEY' }));
    window = await openWorkbench({ env: { ...KEYS, POLYGLAV_HOME: HOME } });
    chat = new Chat(window);
    await window.openChat();
  });
  after(async () => {
    await window.dispose();
    await mock.stop();
  });

  const asked = (key: string) =>
    mock.requests.filter(({ headers }) => headers.authorization === `Bearer ${key}`).length;

  it('gets the key that the user’s file names, and answers after a tool call', async () => {
    mock.reply([{ thinking: 'I read it.' }, { call: 'file_read', arguments: { path: 'hello.txt' } }], quote);
    await chat.header.getByRole('button', { name: 'mock/mock-model' }).waitFor();
    await chat.send('what does hello.txt say?');
    await chat.ended(1);
    await chat.call(1, 'Read hello.txt').waitFor();
    await chat.answer(1).getByText('It says: 1\thello').waitFor();
    await window.shot('answered');
    assert.equal(asked(KEYS.UI_RIGHT_KEY), 2);
    assert.deepEqual(mock.refusals, []);
    const session = await window.recorded(1);
    assert.deepEqual(faultsOf(session), []);
    const { status, provider, model, parts, usage } = session.turns[0]!;
    assert.deepEqual({ status, provider, model }, { status: 'ok', provider: 'mock', model: 'mock-model' });
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['user', 'thinking', 'tool', 'text'],
    );
    assert.equal(usage?.['input_tokens'], 20);
  });

  it('that refuses the key is asked once, and says so in a card', async () => {
    // As OpenAI's does, the refusal repeats what it was given.
    mock.reply({ status: 401, message: `Incorrect API key provided: ${KEYS.UI_WRONG_KEY}.`, code: 'invalid_api_key' });
    const provider = { type: 'openai-chat', base_url: mock.url, api_key_env: 'UI_WRONG_KEY' };
    await window.configure(JSON.stringify({ model: 'other/mock-model', providers: { other: provider } }));
    await chat.newSession();
    await chat.header.getByRole('button', { name: 'other/mock-model' }).waitFor();
    await chat.send('hello?');
    assert.match(await chat.ended(1), /^Failed/);
    const words = await chat.turn(1).locator('.error-card').innerText();
    assert.match(words, /other\/mock-model: 401 Incorrect API key provided: \[key\]\./);
    assert.match(words, /Check the key in the environment variable UI_WRONG_KEY, .* after you change it\.$/);
    await window.shot('refused');
    const session = await until(
      () => window.readSessions().find(({ turns }) => turns.at(-1)?.status === 'error'),
      'a record of the failure',
    );
    assert.deepEqual(
      session.errors.map(({ code, timestamp }) => [code, timestamp]),
      [[401, session.turns[0]!.ended_at]],
    );
    assert.deepEqual(faultsOf(session), []);
    assert.equal(asked(KEYS.UI_WRONG_KEY), 1);
  });

  it('is not asked while a configuration is broken; the prompt stays, until the file is mended', async () => {
    const requests = mock.requests.length;
    window.write('.polyglav/config.json', '{\n  "modle": "mock/mock-model"\n}\n');
    const banner = chat.panel.getByRole('alert', { name: 'Problems' });
    await banner.getByText(/Line 2: .*modle.*did you mean "?model/i).waitFor();
    await chat.newSession();
    await chat.send('are you there?');
    const refusal = chat.panel.locator('.refusal', { hasText: 'the configuration has faults' });
    await refusal.waitFor();
    assert.equal(await chat.panel.getByText(/did you mean/i).count(), 1, 'said once');
    assert.equal(await chat.composer.inputValue(), 'are you there?');
    await window.shot('broken');
    await banner.getByRole('button', { name: 'Open' }).click();
    await window.page.locator('.tab.active', { hasText: 'config.json' }).waitFor();
    await window.statusBarItem('Ln 2, Col 3').waitFor();
    assert.equal(window.readSessions().length, 2);
    assert.equal(mock.requests.length, requests);

    mock.reply([{ text: 'I am.' }]);
    window.write('.polyglav/config.json', '{\n  "model": "mock/mock-model"\n}\n');
    await banner.waitFor({ state: 'detached' });
    await refusal.waitFor({ state: 'detached' });
    assert.equal(await chat.composer.inputValue(), 'are you there?');
    await chat.composer.press('Enter');
    await chat.ended(1);
    await chat.answer(1).getByText('I am.').waitFor();
    assert.equal(await chat.composer.inputValue(), '');
    assert.equal(mock.requests.length, requests + 1);
    assert.deepEqual(window.consoleErrors, []);
  });

  it('leaves its key nowhere: not in the page, the workspace, the logs or anything that VS Code keeps (R15)', async () => {
    assert.equal(asked(KEYS.UI_WRONG_KEY), 1, 'it was not tried again either');
    for (const key of Object.values(KEYS)) {
      for (const frame of window.page.frames()) assert.equal((await frame.content()).includes(key), false, frame.url());
      assert.deepEqual(filesHolding(key), []);
    }
    // The search would find it.
    window.write('canary', KEYS.UI_RIGHT_KEY);
    assert.equal(filesHolding(KEYS.UI_RIGHT_KEY).length, 1);
  });
});

/** Of all that the servers of this run and their workspaces have written. */
function filesHolding(text: string): string[] {
  return fs
    .readdirSync(runDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => fs.readFileSync(file).includes(text));
}
