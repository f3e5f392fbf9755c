import assert from 'node:assert/strict';

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';

import { ACTIONS, DECISIONS, type Part, type PermissionEntry, type Session } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { code } from '../../../src/transcript/blocks.ts';
import { markdown } from '../../../src/transcript/markdown.ts';
import { anySession } from '../../support/arbitraryRecords.ts';
import { asParsed, hostileText } from './hostileText.ts';
import { joined } from './joined.ts';
import { AT, compactedRewoundCleared, messagesOf, part, sessionOf } from './logs.ts';

const text = (session: Session, saved: readonly string[] = []) => joined(markdown(streamOf(session), new Set(saved)));

/** The document's own headings, and every code block, as a parser sees them. */
function parsed(document: string) {
  const tokens = new MarkdownIt('commonmark').parse(document, {});
  return {
    headings: tokens
      .filter((token, index) => token.level === 1 && tokens[index - 1]?.type === 'heading_open')
      .map(({ content }) => content),
    fences: tokens.filter(({ type, level }) => type === 'fence' && level === 0).map(({ content }) => content),
    quotes: tokens.filter(({ type, level }) => type === 'blockquote_open' && level === 0).length,
  };
}

/** Words that decide what an entry is, and numbers by which a decision is found: they stay as they are. */
const STRUCTURE = new Set(['type', 'status', 'action', 'decision', 'index', 'turn', 'part']);

/**
 * The same with another value in each place and a key more in each object; `marks` gets the values, but for those in
 * `provider_data`.
 */
function marked<T>(value: T, marks: string[], key = ''): T {
  if (STRUCTURE.has(key) || value === null || typeof value === 'boolean') return value;
  if (typeof value === 'object') {
    const inside = key === 'provider_data' ? [] : marks;
    if (Array.isArray(value)) return value.map((item: unknown) => marked(item, inside)) as T;
    const entries = Object.entries({ ...value, x_other: '' });
    return Object.fromEntries(entries.map(([name, field]) => [name, marked<unknown>(field, inside, name)])) as T;
  }
  const mark = 4_000_000_000 + marks.length;
  marks.push(String(mark));
  return (typeof value === 'number' ? mark : `m${mark}m`) as T;
}

/** Any session, and in it what {@link anySession} leaves out. */
const fullSession: fc.Arbitrary<Session> = fc
  .record({
    session: anySession,
    permissions: fc.array(
      fc.record(
        {
          tool: fc.constant('file_read'),
          action: fc.constantFrom(...ACTIONS),
          decision: fc.constantFrom(...DECISIONS),
          path: fc.constant('/p'),
          timestamp: fc.constant(AT),
          turn: fc.integer({ min: 1, max: 5 }),
          part: fc.integer({ min: 1, max: 5 }),
          by: fc.constant('once'),
        },
        { requiredKeys: ['tool', 'action', 'decision', 'timestamp'] },
      ),
      { maxLength: 4 },
    ),
  })
  .map(({ session, permissions }) => {
    const files = [{ path: 'a.ts', before: null, after: 'sha256:1' }];
    const call: Part = part('tool', { name: 'file_edit', input: {}, files });
    const last = { index: session.turns.length + 1, status: 'ok' as const, usage: { input_tokens: 1 }, parts: [call] };
    return {
      ...{ ...session, workspace: '/w', sub_sessions: ['sub_1'], permissions },
      errors: [{ code: 500, message: 'no', timestamp: AT }],
      turns: [...session.turns, last],
    };
  });

describe('transcript/markdown', () => {
  const full = sessionOf(
    [
      {
        started_at: AT,
        ended_at: '2026-08-17T12:00:05.623+00:00',
        model: 'llama3.2',
        provider: 'ollama',
        mode: 'build',
        reasoning: false,
        usage: { input_tokens: 12, output_tokens: 3 },
        parts: [
          part('user', { text: 'search\nfor it' }),
          part('thinking', { text: 'I need *data*.', provider_data: { secret: 'opaque' } }),
          part('tool', {
            name: 'run_command',
            input: { command: 'ls' },
            output: 'a\nb',
            is_error: true,
            analysis: 'Two files.',
            round: 1,
            files: [{ path: 'a.ts', before: null, after: 'sha256:1' }],
          }),
          part('tool', { name: 'file_read', input: {} }),
          part('text', { text: 'The answer.' }),
        ],
      },
      { parts: [part('command', { text: '/model ollama/llama3.3' })] },
      { parts: [part('command', { text: '/compact', summary: 'What was said.', compact_from: 2 })] },
      {
        status: 'cancelled',
        parts: [part('system', { text: 'a note', kind: 'notice' }), part('novel', { data: [1] })],
      },
    ],
    {
      parent_id: 'ses_parent',
      sub_sessions: ['sub_1'],
      permissions: [
        {
          tool: 'run_command',
          action: 'ask',
          decision: 'granted',
          path: '/p',
          timestamp: AT,
          turn: 1,
          part: 3,
          by: 'once',
        },
        { tool: 'file_write', action: 'deny', decision: 'denied', timestamp: AT },
        { tool: 'file_edit', action: 'ask', decision: 'declined', timestamp: AT, turn: 9, part: 1 },
      ],
      errors: [{ code: 401, message: 'Unauthorized\n```', timestamp: AT }],
    },
  );

  it('numbers turns and parts, and ends with the errors', async () => {
    assert.deepEqual(parsed(await text(full)).headings, [
      'Session `ses_20260817_120000_ab12cd`',
      'Turn 1',
      '1.1 Prompt',
      '1.2 Thinking',
      '1.3 Tool call `run_command`',
      '1.4 Tool call `file_read`',
      '1.5 Answer',
      'Turn 2',
      '2.1 Command',
      'Turn 3',
      '3.1 Command',
      'Turn 4',
      '4.1 System note (`notice`)',
      '4.2 Part of the unknown type `novel`',
      'Permissions',
      'Errors',
    ]);
  });

  it('tells a call that was not allowed from one that failed', async () => {
    const call = part('tool', { name: 'x', input: {}, output: 'y', is_error: true });
    const entry = { tool: 'x', action: 'ask', decision: 'declined', timestamp: AT, turn: 1, by: 'refused' } as const;
    const document = await text(sessionOf([{ parts: [call, call] }], { permissions: [{ ...entry, part: 2 }] }));
    assert.deepEqual(
      [...document.matchAll(/^Result \((\w+)\):$/gm)].map(([, word]) => word),
      ['error', 'declined'],
    );
  });

  it('holds everything that the log holds', async () => {
    const document = await text(full);
    for (const piece of [
      ...['ab12cd', '/home/me/proj', 'ses_parent', 'sub_1', '0.1.0', AT],
      ...[
        'Status: `ok`',
        'Duration: `5.5s`',
        'Tool calls: `2`',
        'Model: `llama3.2`',
        'Provider: `ollama`',
        'Reasoning: `false`',
      ],
      ...[
        '"input_tokens":12',
        '\nsearch\nfor it\n',
        '> I need *data*.',
        '"command": "ls"',
        'Result (error):\n\n```text\na\nb\n```',
      ],
      ...['> Two files.', 'Changed `a.ts`: `no file` → `sha256:1`', 'Result: none recorded.', '> The answer.'],
      ...[
        '/model ollama/llama3.3',
        '> What was said.',
        'the turns from 2 on',
        'a note',
        'Status: `cancelled`',
        '"data": [',
      ],
      ...['`run_command` on `/p` **granted** by `once` (policy: ask)', '`file_write` **denied** (policy: deny)'],
      ...['code 401', 'Unauthorized'],
    ])
      assert.ok(document.includes(piece), `${piece} is missing in:\n${document}`);
  });

  it('leaves out what only a provider can read, and says so', async () => {
    assert.doesNotMatch(await text(full), /opaque/);
    assert.match(await text(full), /Left out: .*`provider_data`/);
  });

  it('holds every value of any log but what only a provider can read', async () => {
    await fc.assert(
      fc.asyncProperty(fullSession, async (session) => {
        const marks: string[] = [];
        const document = await text(marked(session, marks));
        for (const mark of marks) assert.ok(document.includes(mark), `${mark} is missing in:\n${document}`);
      }),
    );
  });

  it('names the call of a decision that is not at it', async () => {
    const document = await text(full);
    assert.match(document, /`file_edit` \*\*declined\*\* \(policy: ask\) for turn 9, part 1 `2026/);
    assert.match(document, /\*\*granted\*\* by `once` \(policy: ask\) `2026/);
  });

  it('says of a call without a result that it failed', async () => {
    const document = await text(sessionOf([{ parts: [part('tool', { name: 'x', input: {}, is_error: true })] }]));
    assert.match(document, /^Result \(error\): none recorded\.$/m);
  });

  it('shows a decision at its call, and one without a call before the errors', async () => {
    const document = await text(full);
    const at = (piece: string) => document.indexOf(piece);
    assert.ok(at('### 1.3') < at('**granted**') && at('**granted**') < at('### 1.4'));
    assert.ok(at('## Permissions') < at('**denied**') && at('**declined**') < at('## Errors'));
    assert.equal(document.split('Permission: ').length - 1, 3);
  });

  it('says of a link whether its session is there (R14)', async () => {
    const session = sessionOf([], { parent_id: 'ses_gone', sub_sessions: ['sub_1', 'sub_2'] });
    const document = await text(session, ['sub_1']);
    assert.match(document, /^- Parent session: `ses_gone` \(not in this folder\)$/m);
    assert.match(document, /^- Sub-sessions: `sub_1`, `sub_2` \(never started\)$/m);
    assert.match(await text(session, ['sub_1', 'sub_2', 'ses_gone']), /: `ses_gone`\n[^]*: `sub_1`, `sub_2`\n/);
  });

  it('shows empty values as -, and says that there were no errors', async () => {
    const document = await text(sessionOf([{ parts: [part('command', { text: '/mode plan' })] }]));
    assert.match(document, /- Model: -\n- Provider: -\n- Mode: -\n- Reasoning: -\n/);
    assert.match(document, /## Errors\n\nNone\.\n$/);
    assert.doesNotMatch(document, /## Permissions/);
  });

  it('keeps what another program wrote beside the known fields', async () => {
    const document = await text(
      sessionOf([{ rating: 5, parts: [part('user', { text: 'a', refs: ['b.ts'] }), part('constructor', { a: 1 })] }], {
        tags: ['x'],
      }),
    );
    for (const piece of ['"rating": 5', '"refs": [', '"tags": [', 'unknown type `constructor`'])
      assert.ok(document.includes(piece), piece);
  });

  it('holds every message of a session that was compacted, rewound and cleared (E2)', async () => {
    const session = compactedRewoundCleared();
    const document = await text(session);
    for (const message of messagesOf(session)) assert.ok(document.includes(message), message);
    const parts = session.turns.reduce((sum, turn) => sum + turn.parts.length, 0);
    assert.equal(parsed(document).headings.filter((heading) => /^\d+\.\d+ /.test(heading)).length, parts);
    assert.ok(document.includes(`- Turns: ${session.turns.length}\n- Parts: ${parts}\n`));
    assert.match(document, /"rewind_to": 4/);
  });

  it('makes a piece only when it is asked for (E4)', async () => {
    let made = 0;
    const stream = streamOf(sessionOf([]));
    const counted = {
      ...stream,
      async *items() {
        for (const turn of sessionOf(Array.from({ length: 100 }, () => ({}))).turns) {
          made++;
          yield { type: 'turn' as const, turn, tools: 0 };
        }
      },
    };
    const pieces = markdown(counted, new Set());
    for await (const piece of pieces) if (piece.startsWith('## Turn 3')) break;
    assert.equal(made, 3);
  });

  it('has no headings but its own, whatever stands in any field (E2)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(hostileText, fc.constantFrom('\n\n## Turn 9\n\n', '\u2028## x', '`\r# x')),
        async (t) => {
          const any = (type: string, fields: Record<string, unknown>) => ({
            ...part(type, fields),
            timestamp: t,
            [`other${t}`]: t,
          });
          const permission = { tool: t, path: t, timestamp: t, by: t, action: 'ask', decision: 'granted' } as const;
          const tool = {
            name: t,
            input: { [t]: t },
            output: t,
            analysis: t,
            files: [{ path: t, before: t, after: t }],
          };
          const turns = [
            {
              ...{ started_at: t, ended_at: t, model: t, provider: t, mode: t, reasoning: t, usage: { [t]: 1 } },
              parts: [
                any('user', { text: t }),
                any('text', { text: t }),
                any('thinking', { text: t }),
                any('system', { text: t, kind: t }),
                any('command', { text: t, summary: t, compact_from: 1 }),
                any('tool', { ...tool, is_error: true, round: 1 }),
                { ...any('x', { data: t }), type: `x${t}` },
              ],
            },
          ];
          const header = {
            created_at: t,
            updated_at: t,
            parent_id: t,
            role: t,
            session_id: t,
            session_name: t,
            version: t,
          };
          const document = await text(
            sessionOf(turns, {
              ...{ ...header, workspace: t, sub_sessions: [t], errors: [{ code: 0, message: t, timestamp: t }] },
              permissions: [permission, { ...permission, turn: 1, part: 6 }],
            }),
          );
          assert.deepEqual(parsed(document).headings, [
            `Session ${code(t)}`,
            'Turn 1',
            ...['1.1 Prompt', '1.2 Answer', '1.3 Thinking', `1.4 System note (${code(t)})`, '1.5 Command'],
            ...[`1.6 Tool call ${code(t)}`, `1.7 Part of the unknown type ${code(`x${t}`)}`],
            'Permissions',
            'Errors',
          ]);
        },
      ),
    );
  });

  it('is one document whatever the texts are (E2)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileText, { minLength: 8, maxLength: 8 }), async (texts) => {
        const [prompt, thinking, output, analysis, answer, summary, message, name] = texts as [string, ...string[]];
        const permission: PermissionEntry = {
          tool: name!,
          action: 'ask',
          decision: 'granted',
          path: name!,
          timestamp: AT,
        };
        const session = sessionOf(
          [
            {
              model: name,
              parts: [
                part('user', { text: prompt }),
                part('thinking', { text: thinking }),
                part('tool', { name, input: { [name!]: output }, output, analysis }),
                part('text', { text: answer }),
                part('command', { text: prompt, summary, compact_from: 1 }),
              ],
            },
          ],
          { permissions: [permission], errors: [{ code: 0, message: message!, timestamp: AT }], workspace: name },
        );
        const { headings, fences, quotes } = parsed(await text(session));
        assert.deepEqual(
          headings.map((heading) => heading.replace(/`.*/s, '')),
          [
            'Session ',
            'Turn 1',
            '1.1 Prompt',
            '1.2 Thinking',
            '1.3 Tool call ',
            '1.4 Answer',
            '1.5 Command',
            'Permissions',
            'Errors',
          ],
        );
        const input = JSON.stringify({ [name!]: output }, null, 2);
        assert.deepEqual(
          fences,
          [prompt, input, output!, prompt, message!].map((content) => `${asParsed(content)}\n`),
        );
        assert.equal(quotes, 4);
      }),
    );
  });
});
