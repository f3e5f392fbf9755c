import assert from 'node:assert/strict';

import fc from 'fast-check';

import type { Part, Session, Turn } from '../../../src/session/schema.ts';
import { streamOf } from '../../../src/session/stream.ts';
import { html } from '../../../src/transcript/html.ts';
import { STYLE } from '../../../src/transcript/htmlStyle.ts';
import { hostileText } from './hostileText.ts';
import { joined } from './joined.ts';
import { AT, compactedRewoundCleared, messagesOf, part, sessionOf } from './logs.ts';

const page = (session: Session, saved: readonly string[] = []) => joined(html(streamOf(session), new Set(saved)));
const ofParts = (...parts: Part[]) => page(sessionOf([{ parts }]));

/** Every attribute that an element may have, and what its value may be. */
const ALLOWED: Record<string, RegExp> = {
  alt: /^[^<>"]*$/,
  charset: /^utf-8$/,
  class: /^[a-z- ]+$/,
  content: /^[\w=,;:.' -]+$/,
  dir: /^auto$/,
  href: /^(#turn-\d+|https?:\/\/[^/"<>][^"<>]*|mailto:[^/"<>][^"<>]*)$/i,
  'http-equiv': /^Content-Security-Policy$/,
  id: /^(turn-\d+|part-\d+\.\d+|errors)$/,
  lang: /^en$/,
  name: /^(referrer|viewport|color-scheme)$/,
  open: /^$/,
  rel: /^noopener noreferrer$/,
  start: /^\d+$/,
  style: /^text-align:(left|center|right)$/,
  title: /^[^<>"]*$/,
};
const ELEMENTS = new Set(
  (
    'html head meta title style body header main section article div p span a h1 h2 h3 h4 h5 h6 dl dt dd ul ol li pre code b em strong s ' +
    'blockquote hr br table thead tbody tr th td details summary'
  ).split(' '),
);

/** The tags of a page, read the way a browser does; throws at anything that could do something. */
function assertInert(document: string): void {
  const body = document.replace(STYLE, '');
  assert.match(body, /^<!DOCTYPE html>\n<html lang="en">/);
  const open: string[] = [];
  for (const [tag, end, name, attributes] of body
    .replace(/^<!DOCTYPE html>/, '')
    .matchAll(/<(\/?)([^\s>/]*)([^>]*)>?/g)) {
    assert.ok(tag.endsWith('>') && ELEMENTS.has(name!), tag);
    let rest = attributes!;
    for (const [attribute, key, value] of attributes!.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
      assert.match(value ?? '', ALLOWED[key!] ?? /(?!)/, tag);
      rest = rest.replace(attribute, '');
    }
    assert.equal(rest, '', tag);
    if (end !== '') assert.equal(open.pop(), name, `the end of ${name}`);
    else if (!['meta', 'br', 'hr'].includes(name!)) open.push(name!);
  }
  assert.deepEqual(open, []);
}

/** The text that a reader sees, with entities read. A line break right behind `<pre>` is none, as for a browser. */
function shown(document: string): string {
  return document
    .replace(/[^]*<body>/, '')
    .replaceAll('<pre>\n', '<pre>')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</pre></div><iframe src="https://e.example"></iframe>',
  '<form action="https://e.example"><input name=a></form>',
  '</style><style>@import "https://e.example"</style>',
  '<base href="https://e.example"><meta http-equiv="refresh" content="0;url=https://e.example">',
  '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) [e](command:x) [f](vscode://x)',
  '[g](file:///etc/passwd) [h](//e.example/x) [i](../../etc/passwd) <javascript:alert(1)> [j](&#106;avascript:alert(1))',
  '![a](https://e.example/a.png) ![b](data:image/svg+xml,<svg/onload=alert(1)>) [![c](https://e.example/c.png)](https://e.example/c)',
  '[x](https://e.example/"onmouseover="alert(1)) ![y" onload="z](https://e.example/y.png "t\\"onload=\\"")',
  '"><svg onload=alert(1)>',
  "' onclick='alert(1)",
  '| a |\n|:-:|\n| <b onclick=x> |',
  '&lt;script&gt;',
  '<!-- -->',
  ']]>',
];

describe('transcript/html', () => {
  it('is inert and whole whatever the texts are (F11)', async () => {
    const hostile = fc
      .array(fc.oneof(fc.constantFrom(...ATTACKS), hostileText), { maxLength: 4 })
      .map((texts) => texts.join('\n'));
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (one, two, three) => {
        const document = await page(
          sessionOf(
            [
              {
                model: two,
                mode: three,
                started_at: one,
                status: 'error',
                parts: [
                  part('user', { text: one, refs: [two, { path: three, text: one }, { odd: two }, 7] }),
                  part('tool', {
                    name: two,
                    input: { [one]: three, other: [two] },
                    output: one,
                    is_error: true,
                    analysis: two,
                    files: [{ path: three, before: null, after: null }],
                  }),
                  part('text', { text: two }),
                  part('command', { text: three, summary: one, compact_from: 1 }),
                  part(`x${two}`, { data: one }),
                ],
              },
            ],
            {
              ...{ workspace: one, role: two, parent_id: three, sub_sessions: [one], version: two },
              errors: [{ code: 0, message: one, timestamp: two }],
            },
          ),
        );
        assertInert(document);
      }),
    );
    for (const attack of ATTACKS)
      assertInert(await ofParts(part('user', { text: attack }), part('text', { text: attack })));
  });

  it('fails its own check when something could act', () => {
    const framed = (text: string) => `<!DOCTYPE html>\n<html lang="en"><body>${text}</body></html>`;
    assertInert(framed('<p>fine</p>'));
    for (const text of [
      '<script></script>',
      '<p onclick="x">a</p>',
      '<a href="javascript:x">a</a>',
      "<a href='x'>a</a>",
      '<p>',
    ])
      assert.throws(() => assertInert(framed(text)), text);
  });

  it('is called as the person named the session, else by its first prompt', async () => {
    const titled = async (session_name: string) =>
      /<title>(.*) · Polyglav<\/title>[^]*<h1[^>]*>(.*)<\/h1>/
        .exec(await page(sessionOf([{ parts: [part('user', { text: 'Fix it.' })] }], { session_name })))!
        .slice(1);
    assert.deepEqual(await titled('my notes'), ['my notes', 'my notes']);
    assert.deepEqual(await titled('ses_20260817_120000_ab12cd'), ['Fix it.', 'Fix it.']);
  });

  it('marks a call that was not allowed as the panel does, and no other one as failed', async () => {
    const call = (is_error: boolean) => part('tool', { name: 'x', input: {}, output: 'y', is_error });
    const decided = (decision: 'granted' | 'declined' | 'denied', number: number, by = 'refused') => ({
      ...{ tool: 'x', action: 'ask' as const, decision, timestamp: AT, turn: 1, part: number, by },
    });
    const document = await page(
      sessionOf([{ parts: [call(true), call(true), call(true), call(true), call(true), call(false)] }], {
        permissions: [
          decided('declined', 1),
          decided('denied', 2, 'user: x'),
          decided('declined', 3, 'withdrawn'),
          decided('granted', 4, 'once'),
          decided('granted', 6, 'once'),
        ],
      }),
    );
    assert.deepEqual(
      [...document.matchAll(/<b class="failed">(\w+)<\/b>/g)].map(([, word]) => word),
      ['declined', 'denied', 'stopped', 'error', 'error'],
    );
  });

  it('forbids everything but its own style by policy, and loads nothing', async () => {
    const document = await page(sessionOf([]));
    assert.ok(
      document.includes(
        `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
      ),
    );
    assert.doesNotMatch(STYLE, /url\(|@import|<|src:/);
    assert.match(STYLE, /prefers-color-scheme: dark/);
  });

  it('holds every message of a session that was compacted, rewound and cleared, but thinking, which it counts (E2)', async () => {
    const session = compactedRewoundCleared();
    const document = await page(session);
    for (const message of messagesOf(session))
      assert.equal(shown(document).includes(message), !message.startsWith('thought'), message);
    assert.equal(document.match(/id="part-/g)!.length, 22);
    assert.ok(shown(document).includes('Shown: 22 of 28 parts. Left out: 6 thinking parts; the session file'));
    assert.equal(document.match(/<section class="turn"/g)!.length, session.turns.length);
    assert.match(shown(document), /Rewound to before 4\.1\. What was dropped stays here\./);
    assert.match(shown(document), /Context cleared\. Everything earlier stays here\./);
    assert.match(shown(document), /the model goes on from turn 9\./);
  });

  it('leaves out thinking, notes and decisions, and says how many', async () => {
    const document = await page(
      sessionOf(
        [
          {
            parts: [
              part('user', { text: 'hello' }),
              part('thinking', { text: 'SECRET' }),
              ...['notice', 'reminder', 'guard', undefined].map((kind) => part('system', { text: 'SECRET', kind })),
            ],
          },
        ],
        {
          permissions: [{ tool: 'SECRET', action: 'ask', decision: 'granted', timestamp: AT }],
        },
      ),
    );
    assert.doesNotMatch(document, /SECRET/);
    assert.match(document, /Shown: 1 of 6 parts\. Left out: 1 thinking part, 4 system notes, 1 permission decision;/);
  });

  it('shows inputs and outputs in full, folded, and questions and plans open', async () => {
    const output = `<b>line</b>\n\tend ${'x'.repeat(100_000)}`;
    const calls = ['run_command', 'ask_user_question', 'handoff_plan'].map((name) =>
      part('tool', { name, input: { command: 'a < b', deep: { list: [1, null] }, n: 5 }, output, is_error: false }),
    );
    const document = await ofParts(...calls);
    assert.deepEqual(document.match(/<details class="tool" id="[^"]*"( open)?>/g), [
      '<details class="tool" id="part-1.1">',
      '<details class="tool" id="part-1.2" open>',
      '<details class="tool" id="part-1.3" open>',
    ]);
    assert.equal(shown(document).split(output).length - 1, 3);
    for (const piece of ['a < b', '"list": [\n    1,\n    null\n  ]'])
      assert.ok(shown(document).includes(piece), piece);
  });

  it('renders Markdown, with images as their words and only safe links', async () => {
    const document = await ofParts(
      part('text', {
        text: '**bold** <i>raw</i> ![a *chart*](https://e.example/a.png) [web](https://e.example) [file](src/a.ts) https://auto.example',
      }),
      part('user', { text: 'one\ntwo' }),
    );
    for (const piece of [
      '<strong>bold</strong>',
      '&lt;i&gt;raw&lt;/i&gt;',
      '<span class="picture" title="https://e.example/a.png">a *chart*</span> <a href="https://e.example/a.png" rel="noopener noreferrer">(image source)</a>',
      '<a href="https://e.example" rel="noopener noreferrer">web</a>',
      '<span class="address" title="src/a.ts">file</span>',
      '<a href="https://auto.example" rel="noopener noreferrer">https://auto.example</a>',
      'one<br>\ntwo',
    ])
      assert.ok(document.includes(piece), piece);
    assert.doesNotMatch(document, /<img/);
  });

  it('loses nothing that is nested too deep or too long to be rendered', async () => {
    for (const text of [
      `${'> '.repeat(300)}deep end`,
      `${'> '.repeat(95)}deep end`,
      `${'x '.repeat(300_000)}deep end`,
      `${'*a '.repeat(5000)}deep end`,
    ])
      assert.ok(shown(await ofParts(part('text', { text }))).includes('deep end'));
  });

  it('keeps a blank line at the beginning of what is preformatted', async () => {
    const lines = '\n\n  two blank lines above';
    const call = part('tool', { name: 'x', input: { old: lines }, output: lines });
    const included = part('user', { text: 'see', refs: [{ path: 'a', text: lines }] });
    const long = part('text', { text: `${lines}${'x '.repeat(300_000)}` });
    const fenced = part('text', { text: `\`\`\`\n${lines}\n\`\`\`` });
    assert.equal(shown(await ofParts(call, included, long, fenced)).split(lines).length - 1, 5);
  });

  it('shows saved references in their @ form, and what is none literally', async () => {
    const text = shown(
      await ofParts(part('user', { text: 'see', refs: ['a.ts', { path: 'b.ts', text: 'its text' }, { what: 1 }] })),
    );
    for (const piece of ['@a.ts', '@b.ts', 'its text', '{"what":1}']) assert.ok(text.includes(piece), piece);
  });

  it('says of a link whether its session is there (R14)', async () => {
    const session = sessionOf([], { parent_id: 'ses_gone', sub_sessions: ['sub_1', 'sub_2'] });
    const document = shown(await page(session, ['sub_1']));
    assert.match(
      document,
      /Parent sessionses_gone \(not in this folder\)Sub-sessionssub_1, sub_2 \(never started\)Turns/,
    );
  });

  it('spells out what cannot be seen', async () => {
    const document = await ofParts(
      part('text', { text: 'a\u202Eb' }),
      part('tool', { name: 'x', input: { command: 'a\u001B[0m' }, output: 'c\u200Bd' }),
    );
    assert.doesNotMatch(document, /[\u202E\u001B\u200B]/);
    for (const piece of ['a⟨U+202E⟩b', 'a⟨U+001B⟩[0m', 'c⟨U+200B⟩d']) assert.ok(document.includes(piece), piece);
  });

  it('shows the message of an error at the end of its turn, and of one without a turn last', async () => {
    const ends = (status: Turn['status'], ended_at: string): Partial<Turn> => ({
      status,
      ended_at,
      parts: [part('text', { text: `answer ${ended_at}` })],
    });
    const errors = ['late', 'first', 'second', 'foreign'].map((message) => ({
      code: message === 'first' ? 401 : 0,
      message: `${message}\n<b>`,
      timestamp: message === 'late' ? 'three' : message === 'foreign' ? 'two' : 'one',
    }));
    const turns = [ends('error', 'one'), ends('truncated', 'one'), ends('ok', 'two'), ends('empty', 'three')];
    const document = shown(await page(sessionOf(turns, { errors })));
    const order = [
      ...['answer one', 'ended with an error', 'HTTP status 401', 'first\n<b>', 'cut off', 'second\n<b>'],
      ...[
        'answer two',
        'answer three',
        'without an answer',
        'late\n<b>',
        'turn is not recorded',
        'two',
        'foreign\n<b>',
      ],
    ];
    let at = 0;
    for (const words of order) {
      const found = document.indexOf(words, at);
      assert.notEqual(found, -1, `${words} is missing behind ${at}`);
      at = found + words.length;
    }
    assert.match(document, /Left out: nothing\./);
  });

  it('says how a turn ended that did not end well', async () => {
    const document = await page(sessionOf([{}, { status: 'truncated' }, { status: 'running' }]));
    assert.equal(document.match(/class="ended"/g)!.length, 2);
    assert.match(document, /cut off at the output limit/);
  });
});
