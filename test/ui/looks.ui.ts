/** How it looks, in pictures of the whole window to be looked at. What a picture cannot be asked, axe asks in test/panel. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { ROOT } from '../../scripts/lib/bootstrap.mjs';
import { faultsOf } from '../support/documentedRecord.ts';
import { MockProvider, type Reply } from '../support/mockProvider.ts';
import { Chat } from './harness/chat.ts';
import { openWorkbench, until, type Workbench } from './harness/workbench.ts';

const SAMPLE = path.join(ROOT, 'samples/notes');
const PROMPT = 'Tags are not found when they are written in capitals. Mend it, please, and run the tests.';
const code = fs.readFileSync(path.join(SAMPLE, 'src/notes.js'), 'utf8');
const old = code.slice(code.indexOf('export function findByTag'));
const mended = old
  .replace('includes(tag)', 'includes(tag.toLowerCase())')
  .replace('match[1]', 'match[1].toLowerCase()');

/** A bug of the sample is mended. */
const MENDED: Reply[] = [
  [
    { thinking: 'Tags are compared as they are written. First I look where they are read.' },
    { call: 'file_read', arguments: { path: 'src/notes.js' } },
  ],
  [{ call: 'file_edit', arguments: { path: 'src/notes.js', old, new: mended } }],
  [{ call: 'run_command', arguments: { command: 'node --test' } }],
  [
    {
      text:
        'Tags are **kept in small letters** now and looked for in small letters, so `#Home` and `#home` are one. ' +
        'Both tests pass. See [src/notes.js](src/notes.js#L8).',
    },
    { usage: { prompt_tokens: 3120, completion_tokens: 410, total_tokens: 3530 } },
  ],
];

const LONGER = `Three things are left:

1. a tag ends at a *dash*;
2. \`list\` cannot be told *which* notes to show;
3. a broken \`notes.json\` ends the program.

\`\`\`js
// The first of them.
export function tagsOf(text) {
  return [...text.matchAll(/#([\\w-]+)/g)].map((match) => match[1].toLowerCase());
}
\`\`\`

| command | writes | needs a test |
|---|---|---:|
| \`add\` | \`notes.json\` | 1 |
| \`list\` | – | 2 |

> It is in the code as a note.
`;

const todos = (done: number) => ({
  todos: ['Look at the program', 'Clean up', 'Say what is left'].map((text, at) => ({
    text,
    status: at < done ? 'done' : at === done ? 'in_progress' : 'pending',
  })),
});

/** What else a conversation may hold: todos, a declined call, a longer answer, a failure. */
const AND_MORE: Reply[] = [
  [
    { text: 'I look at the rest of the program.' },
    { call: 'todo_write', arguments: todos(0) },
    { call: 'file_search', arguments: { pattern: 'notes.json', path: 'src' } },
    { call: 'file_read', arguments: { path: 'src/cli.js', from: 1, lines: 10 } },
  ],
  [
    { call: 'todo_write', arguments: todos(1) },
    { call: 'run_command', arguments: { command: 'rm -rf coverage && node --test --experimental-test-coverage' } },
  ],
  [{ thinking: 'Not that, then. The *answer* does without it.' }, { text: LONGER }],
  { status: 503, message: 'The model is being loaded.' },
];

function configOf(mock: MockProvider): string {
  const provider = { type: 'openai-chat', base_url: mock.url };
  return JSON.stringify({ model: 'my-server/some-model', providers: { 'my-server': provider } });
}

/** The files of the sample. */
function sample(): Record<string, string> {
  const files = fs.readdirSync(SAMPLE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(paths.map((file) => [path.relative(SAMPLE, file), fs.readFileSync(file, 'utf8')]));
}

/** Waits until the panel has drawn what it was last told, with the mouse over nothing. */
async function drawn(window: Workbench): Promise<void> {
  const { width, height } = window.page.viewportSize()!;
  await window.page.mouse.move(width * 0.6, height - 10);
  const frame = await window.chatFrame();
  await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await window.page.locator('.monaco-sash.hover').waitFor({ state: 'detached' });
}

const THEMES = [
  ['Dark 2026', 'vscode-dark'],
  ['Light 2026', 'vscode-light'],
  ['Default High Contrast', 'vscode-high-contrast'],
] as const;

/** Changes the colours of the open window. */
async function inTheme(window: Workbench, theme: string, kind: string): Promise<Frame> {
  window.write('.vscode/settings.json', JSON.stringify({ 'workbench.colorTheme': theme }));
  const frame = await window.chatFrame();
  await frame.locator(`body.${kind}`).waitFor();
  return frame;
}

async function sessionsTop(window: Workbench): Promise<number> {
  const box = await window.page.locator('.pane-header', { hasText: 'Sessions' }).boundingBox();
  assert.ok(box);
  return box.y;
}

describe('the look of the window', () => {
  let mock: MockProvider;
  beforeEach(async () => {
    mock = await MockProvider.start({ strict: true });
  });
  afterEach(() => mock.stop());

  const mend = async (window: Workbench, chat: Chat, asked: () => Promise<void> = async () => undefined) => {
    mock.reply(...MENDED);
    await chat.header.getByRole('button', { name: 'my-server/some-model' }).waitFor();
    await chat.send(PROMPT);
    await window.modal('Edit src/notes.js');
    await window.page.locator('.monaco-diff-editor .modified', { hasText: 'toLowerCase' }).waitFor();
    await asked();
    await window.answerModal('Allow Once', 'Edit src/notes.js');
    await window.answerModal('Allow Once', 'Run node --test');
    await chat.ended(1);
    assert.ok(window.read('src/notes.js').endsWith(mended));
  };

  /** It is at the top of the README: media/panel.png is a copy of its picture. */
  it('at work', async () => {
    const window = await openWorkbench({
      size: { width: 1280, height: 960 },
      files: sample(),
      config: configOf(mock),
      settings: { 'window.title': 'notes', 'editor.fontSize': 13 },
    });
    const chat = new Chat(window);
    await window.openChat();
    await window.resizePanel(450);
    await mend(window, chat, () => window.shot('asks'));
    await chat.call(1, 'Edit src/notes.js').locator('.fold-head').click();
    await chat.call(1, 'Edit src/notes.js').getByRole('button', { name: 'Open diff' }).click();
    await window.page.locator('.tab.active', { hasText: 'notes.js' }).waitFor();
    await window.page.locator('.monaco-diff-editor .modified', { hasText: 'toLowerCase' }).waitFor();
    await chat.panel.getByText(PROMPT).last().scrollIntoViewIfNeeded();
    await drawn(window);
    await window.shot('README');
    assert.deepEqual(faultsOf(await window.recorded(1)), []);
  });

  it('with a whole conversation, in themes and widths', async () => {
    const window = await openWorkbench({
      size: { width: 1400, height: 1500 },
      files: sample(),
      config: configOf(mock),
    });
    const chat = new Chat(window);
    await window.openChat();
    await mend(window, chat);
    mock.reply(...AND_MORE);
    await chat.send('What else should be done? Clean up before you look.');
    await window.answerModal('Deny', 'Run rm -rf coverage');
    await chat.ended(2);
    await chat.send('/mode plan');
    await chat.turn(3).locator('.line.command').waitFor();
    await chat.send('Make a plan for the first one.');
    await chat.ended(4);
    await chat.composer.fill('One more thing:\n- a draft of two lines');
    await chat.call(1, 'Edit src/notes.js').locator('.fold-head').click();
    await chat.call(1, 'Run node --test').locator('.fold-head').click();
    await chat.turn(2).locator('.fold.thinking .fold-head').click();
    await chat.call(2, 'declined').locator('.fold-head').click();

    for (const [theme, kind] of THEMES) {
      const frame = await inTheme(window, theme, kind);
      for (const width of [300, 800]) {
        await window.resizePanel(width);
        for (const turn of [1, 4]) {
          await chat.turn(turn).scrollIntoViewIfNeeded();
          await drawn(window);
          await window.shot(`${theme} ${width} turn ${turn}`);
        }
        const wider = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.equal(wider, 0, `nothing sticks out in ${theme} at ${width} px`);
      }
    }
    assert.deepEqual(faultsOf(await window.recorded(4)), []);
    assert.deepEqual(window.consoleErrors, []);
  }).timeout(240_000);

  it('with a question, in themes', async () => {
    const window = await openWorkbench({ size: { width: 1280, height: 800 }, files: sample(), config: configOf(mock) });
    const chat = new Chat(window);
    await window.openChat();
    mock.reply(...MENDED);
    await chat.header.getByRole('button', { name: 'my-server/some-model' }).waitFor();
    await chat.send(PROMPT);
    await window.modal('Edit src/notes.js');
    await window.page.locator('.monaco-diff-editor .modified', { hasText: 'toLowerCase' }).waitFor();
    const inThemes = async (name: string) => {
      for (const [theme, kind] of THEMES) {
        await inTheme(window, theme, kind);
        await drawn(window);
        await window.shot(`${name} ${theme}`);
      }
    };
    await inThemes('edit');
    await window.answerModal('Review');
    await window.page
      .locator('.editor-group-container .title .action-label[aria-label^="Allow What Is Shown"]')
      .waitFor();
    await inThemes('review');
    await window.statusBarItem('Polyglav waits for you').click();
    await window.answerModal('Allow Once', 'Edit src/notes.js');
    await window.modal('Run node --test');
    await inThemes('command');
    await window.answerModal('Answer Later');
    await inThemes('later');
    await window.statusBarItem('Polyglav waits for you').click();
    await window.answerModal('Deny and Tell Why…');
    await window.page.keyboard.type('Use npm test');
    await inThemes('word');
    await window.page.keyboard.press('Enter');
    await chat.ended(1);
  }).timeout(240_000);

  it('with many sessions', async () => {
    const window = await openWorkbench({
      size: { width: 1280, height: 900 },
      files: {
        'hello.txt': 'hello\n',
        ...saved('ses_20261101_080000_aaaaa1', 'Explain how notes are stored'),
        ...saved('ses_20261102_080000_aaaaa2', 'Find all the places where a tag is read, and say which are wrong'),
        ...saved('sub_20261102_080100_aaaaa3', 'Look through the tests', { parent_id: 'ses_20261102_080000_aaaaa2' }),
        ...saved('release', 'Bump the version', { session_id: '' }),
        ...saved('job_20261103_080000_aaaaa4', 'Summarise the week'),
        '.polyglav/sessions/ses_20261104_080000_aaaaa5.json': 'no JSON',
      },
    });
    const chat = new Chat(window);
    await window.openChat();
    await chat.send('write a long answer');
    await chat.answer(1).getByText('Here is a long answer').waitFor();
    await window.treeRow(/write a long answer.*working/).waitFor();
    await window.treeRow('Explain how notes are stored').waitFor();
    await window.statusBarItem('Polyglav is working').waitFor();
    await drawn(window);
    await window.shot('working');
    await chat.panel.getByRole('button', { name: 'Stop' }).click();
    await chat.ended(1);
    await window.treeRow(/write a long answer.*stopped/).waitFor();
    await window.treeRow('Find all the places').locator('.monaco-tl-twistie').click();
    await window.treeRow('Look through the tests').waitFor();
    await window.shot('stopped');
    // Alone, the tree has room for all of them.
    await window.page.locator('.pane-header', { hasText: 'Chat' }).click();
    await until(async () => (await sessionsTop(window)) < 150, 'the tree at the top');
    await window.shot('tree');
    assert.deepEqual(window.consoleErrors, []);
  });
});

/** A session of earlier, as its file. */
function saved(name: string, prompt: string, more: object = {}): Record<string, string> {
  const at = '2026-11-01T08:00:00.000+00:00';
  const turn = {
    index: 1,
    started_at: at,
    ended_at: at,
    status: 'ok',
    model: 'demo',
    provider: 'demo',
    mode: 'build',
    parts: [
      { type: 'user', text: prompt, timestamp: at },
      { type: 'text', text: 'Done.', timestamp: at },
    ],
  };
  const session = {
    created_at: at,
    updated_at: at,
    session_name: name,
    session_id: name.split('_')[3],
    parent_id: '',
    role: '',
    sub_sessions: [],
    version: '0.1.0',
    workspace: '/work',
    errors: [],
    permissions: [],
    turns: [turn],
    ...more,
  };
  return { [`.polyglav/sessions/${name}.json`]: JSON.stringify(session) };
}
