import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';

import { SessionStore } from '../../src/session/store.ts';
import { MockProvider } from '../support/mockProvider.ts';
import { useTempFolder } from '../support/tempFolder.ts';
import { ensureBuilt, hasTerminal, Place } from './polyglav.ts';

/** Clears the screen, colours it, rings, turns the text around, hides it, breaks the line and ends what Markdown began. */
const HOSTILE = 'a\u001b[2J\u009b31m\u0007\u202eb\u2066c\u200f\u2028\u0085\u007f\rd`](x)\n\nFORGED\u001b]0;e\u0007';
/** What no program may send to a terminal but line feed, tab, and (from the terminal itself) carriage return before it. */
const OBEYED = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A session with it in every field where a text may stand. */
function hostileSession(name: string, status: string) {
  const t = HOSTILE;
  const any = (type: string, fields: object) => ({ type, timestamp: t, [t]: t, ...fields });
  const tool = { name: t, input: { [t]: t }, output: t, analysis: t, files: [{ path: t, before: t, after: t }] };
  const permission = { tool: t, action: 'ask', decision: 'granted', path: t, timestamp: t, by: t };
  const turn = { index: 1, started_at: t, ended_at: t, model: t, provider: t, mode: t, reasoning: t, [t]: t };
  return {
    ...{ created_at: t, updated_at: t, parent_id: t, role: t, session_id: t, session_name: name, version: t },
    ...{ workspace: t, [t]: t, sub_sessions: [t], errors: [{ code: 0, message: t, timestamp: t }] },
    permissions: [permission, { ...permission, turn: 1, part: 6 }],
    turns: [
      {
        ...turn,
        status,
        parts: [
          any('user', { text: t }),
          any('text', { text: t }),
          any('thinking', { text: t }),
          any('system', { text: t, kind: t }),
          any('command', { text: t, summary: t, compact_from: 1 }),
          any('tool', tool),
          any(`x${t}`, {}),
        ],
      },
    ],
  };
}

describe('polyglav shows nothing that a terminal obeys', function () {
  this.timeout(60_000);
  const folder = useTempFolder();
  let place: Place;
  let mock: MockProvider | undefined;

  before(function () {
    if (!hasTerminal) this.skip();
    ensureBuilt();
  });
  beforeEach(async () => {
    place = new Place(folder.path);
    await place.make();
    await mkdir(place.file('.polyglav', 'sessions'), { recursive: true });
    await saveAs('s', 'ok');
  });
  afterEach(async () => {
    await mock?.stop();
    mock = undefined;
  });

  const fileOf = (name: string) => place.file('.polyglav', 'sessions', `${name}.json`);
  const saveAs = (name: string, status: string) =>
    writeFile(fileOf(name), JSON.stringify(hostileSession(name, status)));

  /** What the person sees, typing `keys` at the first question. */
  async function screenOf(args: readonly string[], question?: string, keys = ''): Promise<string> {
    const { screen } = await place.runAtTerminal(
      args,
      async ({ type, sees }) => {
        if (question === undefined) return;
        await sees(question);
        type(keys);
      },
      { NO_COLOR: '1' },
    );
    return screen.replaceAll(/\r+\n/g, '\n');
  }

  function assertHarmless(screen: string, what: string): void {
    const at = OBEYED.exec(screen)?.index;
    if (at !== undefined) assert.fail(`${what}: ${JSON.stringify(screen.slice(Math.max(0, at - 60), at + 20))}`);
  }

  /** `forms`: each on a line of its own, so that a text with line breaks cannot add one. */
  const commands: [args: string[], shows: RegExp, options?: { lines?: boolean; question?: string }][] = [
    [['sessions'], /^s +at an unknown time +#1 +ok +\(sub-agent of a⟨U\+001B⟩\[2J⟨U\+009B⟩31m/m, { lines: true }],
    [['sessions', 'list', '--format', 'json'], /"parent": "a\\u001b\[2J\\u009b31m\\u0007\\u202e/],
    [['run', '/sessions'], /^- `s` \(sub-agent of ``a⟨U\+001B⟩.* last turn #1, at an unknown time\)/m, { lines: true }],
    [['sessions', 'preview', 's'], /^Parent: a⟨U\+001B⟩.*\(not in this folder\)$/m, { lines: true }],
    [['run', '/sessions preview s'], /^Sub-sessions: a⟨U\+001B⟩.*\(never started\)$/m, { lines: true }],
    [['history', 's', 'all', '--thoughts'], /^#1  \[ok\]  -  1 tool  a⟨U\+001B⟩/m, { lines: true }],
    [['run', '/history all --thoughts all --run s'], /^ {4}a⟨U\+001B⟩/m],
    [['print', 's', '1', '--full'], /^1\.4 System note \(a⟨U\+001B⟩.*\)$/m],
    [['run', '/print 1 --run s'], /^Model: a⟨U\+001B⟩/m],
    [['permissions', 's'], /^#1\.6  granted  a⟨U\+001B⟩/m, { lines: true }],
    [['permissions', 's', '--format', 'json'], /"by":"a\\u001b/],
    [['run', '/permissions --run s'], /^#1\.6  granted  a⟨U\+001B⟩/m, { lines: true }],
    [['session', 's'], /^Session: s$/m, { lines: true }],
    [['run', '--session-id', 's', '/session'], /^Session `s` \(#1\)/m, { lines: true }],
    [['run', '/session load s'], /^Session `s`: ``a⟨U\+001B⟩/m, { lines: true }],
    [['export', 's', '--out', '-'], /^- Parent session: ``a⟨U\+001B⟩/m],
    [['export', 's', '--out', '-', '--format', 'html'], /<!doctype html>/i],
    [['run', '/sessions export s -'], /^- Parent session: ``a⟨U\+001B⟩/m],
    [['run', '--format', 'json', '/history --run s'], /"text":".*⟨|"text":".*\\u001b/],
    [['sessions', 'delete', 's'], /It begins with: a⟨U\+001B⟩/, { question: 'Really?' }],
    [['run', '/sessions delete s'], /It begins with: a⟨U\+001B⟩/, { question: 'Really?' }],
    [['continue', 's'], /^Session s: a⟨U\+001B⟩/m, { question: '> ' }],
  ];
  it('of a session, whatever reads it', async () => {
    for (const [args, shows, { lines = false, question } = {}] of commands) {
      const what = args.join(' ');
      await saveAs('s', 'ok');
      const screen = question === undefined ? await screenOf(args) : await screenOf(args, question, '\u0003');
      // Ours: readline puts the question in its place.
      const shown = screen.replaceAll(/\u001b\[(?:\d+G|0J|1G)/g, '');
      assertHarmless(shown, what);
      assert.match(shown, shows, what);
      if (lines) assert.doesNotMatch(shown, /^FORGED/m, what);
    }
  });

  it('of an interrupted prompt', async () => {
    await saveAs('s', 'running');
    const screen = await screenOf(['continue', 's'], '> ', '\u0003');
    assertHarmless(screen.replaceAll(/\u001b\[(?:\d+G|0J)/g, ''), 'continue');
    assert.match(screen, /was interrupted.*\na⟨U\+001B⟩/);
  });

  it('of a file name', async () => {
    const name = 'x\u001b[2J\u009b\u202e\ny';
    await writeFile(fileOf(name), '{');
    for (const args of [
      ['sessions'],
      ['run', '/sessions'],
      ['history', name],
      ['sessions', 'preview', name],
      ['run', `/session load ${name}`],
    ]) {
      const screen = await screenOf(args);
      assertHarmless(screen, args.join(' '));
      assert.match(screen, /⟨U\+001B⟩/, args.join(' '));
    }
  });

  it('of an argument', async () => {
    const word = 'x\u001b[2J\u009b\u202e';
    for (const args of [
      ['history', word],
      ['history', 's', word],
      ['print', 's', word],
      ['export', 's', '--out', `${word}/x`],
      ['export', 's', '--sessions-dir', word],
      ['export', 's', '--format', word],
      ['run', '--session-id', word, 'x'],
      ['run', '--model', word, 'x'],
      ['run', '--mode', word, 'x'],
      ['run', `--${word}`, 'x'],
      ['run', `/${word}`],
      ['run', `/history ${word}`],
      ['run', `/mode ${word}`],
      ['run', `/model ${word}`],
      [word],
    ])
      assertHarmless(await screenOf(args), args.join(' '));
  });

  it('of a configuration', async () => {
    for (const config of [
      { [HOSTILE]: 1 },
      { mode: HOSTILE },
      { model: HOSTILE },
      { model: `a\u009b\u202e/${HOSTILE}` },
      { permissions: { tools: { file_read: { action: 'ask', [HOSTILE]: HOSTILE } } } },
    ]) {
      await place.configure(config);
      const screen = await screenOf(['run', 'x']);
      assertHarmless(screen, JSON.stringify(config));
      assert.match(screen, /config\.json:1:/);
    }
  });

  it('of a program that holds a session', async () => {
    const store = new SessionStore(place.workspace, { version: '0.0.0', program: 'x\u001b[2J\u009b\u202e' });
    const file = await store.create({ name: 'busy' });
    try {
      for (const args of [
        ['run', '--session-id', 'busy', 'x'],
        ['continue', 'busy'],
        ['sessions', 'delete', 'busy'],
      ]) {
        const screen = await screenOf(args);
        assertHarmless(screen, args.join(' '));
        assert.match(screen, /is open in x⟨U\+001B⟩\[2J⟨U\+009B⟩⟨U\+202E⟩ \(process/);
      }
    } finally {
      await file.close();
    }
  });

  it('of a model: its answer, its calls, what they bring, and the errors of its provider', async () => {
    const t = HOSTILE;
    mock = await MockProvider.start({
      replies: [
        [
          { text: t },
          { call: t, arguments: { [t]: t } },
          { call: 'file_read', arguments: { path: t } },
          { call: 'file_write', arguments: { path: `w${t.replaceAll('\n', '')}`, content: t } },
          { call: 'run_command', arguments: { command: `: ${t}` } },
        ],
        { status: 400, message: t },
        [{ text: t }, { call: 'file_read', arguments: { path: t } }],
        [{ text: t }],
      ],
    });
    await place.configure({
      model: 'mock/m',
      providers: { mock: { type: 'openai-chat', base_url: mock.url } },
      permissions: { tools: { file_write: 'deny' } },
    });
    const screen = (await screenOf(['run', 'x'], 'Allow?', 'n\r')).replaceAll(/\u001b\[(?:\d+G|0J|1G)/g, '');
    assertHarmless(screen, 'text');
    assert.match(screen, /^a⟨U\+001B⟩/m);
    const json = await screenOf(['run', '--format', 'json', 'x']);
    assertHarmless(json, 'json');
    assert.match(json, /"text":"a\\u001b/);
  });
});
