import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { TerminalAsker } from '../../../src/cli/terminalAsker.ts';
import type { PermissionAsk } from '../../../src/permissions/ask.ts';

const ask: PermissionAsk = {
  ...{ id: '1', session: 'ses_1', tool: 'run_command', title: 'Run npm test', only_once: false },
  scope: 'exactly this command',
  rule: 'run_command "npm test" allow',
};
const plain: PermissionAsk = { ...ask, scope: undefined, rule: undefined } as unknown as PermissionAsk;

/** A terminal that somebody types into. */
function terminal(options: { yes?: boolean; isTTY?: boolean; typed?: string } = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  for (const stream of [input, output]) Object.assign(stream, { isTTY: options.isTTY ?? true });
  let screen = '';
  output.on('data', (piece: Buffer) => {
    screen += piece.toString();
    if (options.typed !== undefined && piece.toString().includes('[n] ')) input.write(options.typed);
  });
  let interrupted = 0;
  const asker = new TerminalAsker({
    yes: options.yes ?? false,
    workspace: '/home/me/shop',
    userFile: '/home/me/.polyglav/config.json',
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    onInterrupt: () => interrupted++,
  });
  return { input, asker, screen: () => screen, interrupted: () => interrupted };
}

const never = new AbortController().signal;

describe('cli/terminalAsker', () => {
  const answers: [typed: string, only_once: boolean, answer: string][] = [
    ['y\n', false, 'once'],
    ['YES\n', false, 'once'],
    ['s\n', false, 'session'],
    ['\n', false, 'refused'],
    ['n\n', false, 'refused'],
    ['what?\n', false, 'refused'],
    ['a\n', false, 'always'],
    ['Always\n', false, 'always'],
    ['y\n', true, 'once'],
    ['s\n', true, 'refused'],
    ['a\n', true, 'refused'],
  ];
  for (const [typed, only_once, answer] of answers)
    it(`takes ${JSON.stringify(typed)}${only_once ? ' where only a person may allow it' : ''} as ${answer}`, async () => {
      const { asker } = terminal({ typed });
      assert.deepEqual(await asker.ask({ ...ask, only_once }, never), { answer });
    });

  it('gives each reason a line', async () => {
    const { asker, screen } = terminal({ typed: 'n\n' });
    await asker.ask({ ...plain, reason: `it writes to a\n${'x'.repeat(3000)}` }, never);
    assert.match(screen(), /^reason: it writes to a\nreason: x{3000}$/m);
  });

  it('says why it does not offer what would last', async () => {
    const { asker, screen } = terminal({ typed: 'n\n' });
    await asker.ask({ ...plain, no_rule: 'each command would need a rule' }, never);
    assert.match(screen(), /^always is not offered: each command would need a rule$/m);
    assert.doesNotMatch(screen(), /a = always/);
  });

  for (const [typed, note] of [
    ['n use pnpm instead\n', 'use pnpm instead'],
    ['No, that is not needed.\n', 'that is not needed.'],
    ['n: später\n', 'später'],
    ['n 不要\n', '不要'],
    ['n   \n', undefined],
    ['no.\n', undefined],
    ['now\n', undefined],
    ['y but only once\n', undefined],
  ] as const)
    it(`takes ${JSON.stringify(typed)} as no ${note === undefined ? 'without' : 'with'} a word to the model`, async () => {
      const { asker } = terminal({ typed });
      assert.deepEqual(await asker.ask(ask, never), { answer: 'refused', ...(note === undefined ? {} : { note }) });
    });

  it('offers what the ask offers, says what it covers, and takes nothing else for it', async () => {
    const all = terminal({ typed: 'n\n' });
    await all.asker.ask(ask, never);
    assert.match(all.screen(), /\(y = once, s = for this session, a = always, n = no, or n and why\) \[n\]/);
    for (const line of [
      'session: ses_1',
      's allows: exactly this command',
      'a writes, for this workspace folder, wherever in it the shell stands, into /home/me/.polyglav/config.json: run_command "npm test" allow',
    ])
      assert.ok(all.screen().includes(`${line}\n`), all.screen());
    for (const typed of ['s\n', 'a\n'])
      for (const without of [plain, { ...ask, only_once: true }]) {
        const { asker, screen } = terminal({ typed });
        assert.deepEqual(await asker.ask(without, never), { answer: 'refused' });
        assert.match(screen(), /\(y = once, n = no, or n and why\) \[n\]/);
        assert.doesNotMatch(screen(), /allows|writes/);
      }
  });

  it('shows what is asked: title, detail, reason and the change', async () => {
    const { asker, screen } = terminal({ typed: 'n\n' });
    const change = { path: 'a.txt', before: 'one\ntwo\n', after: 'one\nTWO\n' };
    await asker.ask(
      { ...ask, detail: 'npm test -- --all', reason: 'outside the workspace: /x', path: '/x', change },
      never,
    );
    for (const line of ['Run npm test', 'npm test -- --all', 'outside the workspace: /x', 'path: /x', '-two', '+TWO'])
      assert.ok(screen().includes(`${line}\n`), `${line} is missing in ${screen()}`);
  });

  describe('about something long', () => {
    const after = Array.from({ length: 450 }, (_, index) => `line ${index}\n`).join('');
    const long: PermissionAsk = { ...ask, change: { path: 'a.txt', before: null, after } };
    /** Types these one after the other, each at a question of its own. */
    const typing = (answers: string[]) => {
      const all = terminal();
      let seen = 0;
      const timer = setInterval(() => {
        const asked = all.screen().split('[n] ').length - 1;
        if (asked <= seen) return;
        seen = asked;
        all.input.write(answers.shift() ?? '\u0004');
      }, 5);
      return { ...all, stop: () => clearInterval(timer) };
    };

    for (const [typed, answer, last] of [
      [['v\n', 'v\n', 'y\n'], 'once', 449],
      [['VIEW\n', ' v \n', 's\n'], 'session', 449],
      [['y\n', 'a\n', 'v\n', 's\n', 'v\n', 'a\n'], 'always', 449],
      [['y\n', 'n\n'], 'refused', 192],
      [['v\n', '\n'], 'refused', 392],
      [['yes\n'], 'dismissed', 192],
    ] as const)
      it(`takes ${JSON.stringify(typed)} as ${answer}: a yes counts when all was shown`, async () => {
        const { asker, screen, stop } = typing([...typed]);
        assert.deepEqual(await asker.ask(long, never), { answer });
        stop();
        const shown = screen();
        for (let index = 0; index <= 449; index++)
          assert.equal(shown.split(`+line ${index}\n`).length - 1, index <= last ? 1 : 0, `line ${index}`);
        if (typed[0].startsWith('y'))
          assert.match(shown, /Not all of it was shown yet\.\n.*257 more lines\. \(v = view them/);
      });

    it('takes a no and why before all was shown', async () => {
      const { asker, stop } = typing(['n too long\n']);
      assert.deepEqual(await asker.ask(long, never), { answer: 'refused', note: 'too long' });
      stop();
    });

    it('counts a long line for as many as it takes', async () => {
      const { asker, screen, stop } = typing(['y\n', 'v\n', 'y\n']);
      const command = `${'x'.repeat(30_000)}\nrm -rf evil`;
      assert.deepEqual(await asker.ask({ ...ask, detail: command }, never), { answer: 'once' });
      stop();
      assert.ok(screen().indexOf('rm -rf evil') > screen().indexOf('Not all of it'), 'before it was viewed');
    });
  });

  it('compares what is too different for no longer than a person notices, and says so', async () => {
    const { asker, screen } = terminal({ typed: 'n\n' });
    const lines = (word: string) => Array.from({ length: 6000 }, (_, index) => `${word} ${index}\n`).join('');
    const began = performance.now();
    await asker.ask({ ...ask, change: { path: 'a.txt', before: lines('old'), after: lines('new') } }, never);
    assert.ok(performance.now() - began < 6000, `took ${performance.now() - began} ms`);
    assert.match(screen(), /Too different from what is there to compare here\. The new content:\nnew 0\nnew 1\n/);
    assert.match(screen(), /58\d\d more lines\. \(v = view them/);
  });

  it('shows control characters instead of obeying them', async () => {
    const { asker, screen } = terminal({ typed: 'n\n' });
    await asker.ask({ ...ask, title: 'Run \u001b[2J', detail: 'rm \u202Efoo' }, never);
    assert.ok(screen().includes('Run ⟨U+001B⟩[2J') && screen().includes('rm ⟨U+202E⟩foo'), screen());
  });

  it('is answered by keys that are pressed after it is shown, and by no others', async () => {
    const ahead = terminal({ typed: 'n\n' });
    ahead.input.write('y\ny');
    const answer = ahead.asker.ask(ask, never);
    for (const keys of ['y\n', 'y', '\n']) {
      await wait(20);
      ahead.input.write(keys);
    }
    assert.deepEqual(await answer, { answer: 'refused' });
    assert.ok(!ahead.screen().includes('[n] y'), ahead.screen());
    const both = terminal({ typed: 's\ny\ny\n' });
    assert.deepEqual(await both.asker.ask(ask, never), { answer: 'session' });
    const second = both.asker.ask({ ...ask, only_once: true }, never);
    assert.deepEqual(await second, { answer: 'refused' }, 'what was typed for the first question answered the second');
  });

  it('is not shown when Ctrl+C is pressed before, or the input has ended', async () => {
    const stopped = terminal();
    const answer = stopped.asker.ask(ask, never);
    stopped.input.write('\u0003');
    assert.deepEqual(await answer, { answer: 'dismissed' });
    const ended = terminal();
    ended.input.end().resume();
    await once(ended.input, 'end');
    assert.deepEqual(await ended.asker.ask(ask, never), { answer: 'dismissed' });
    assert.deepEqual([stopped.interrupted(), stopped.screen(), ended.screen()], [1, '', '']);
  });

  it('is dismissed by the end of the input, and withdrawn by the signal', async () => {
    const first = terminal({ typed: '\u0004' });
    assert.deepEqual(await first.asker.ask(ask, never), { answer: 'dismissed' });
    const second = terminal();
    const stop = new AbortController();
    const answer = second.asker.ask(ask, stop.signal);
    while (!second.screen().includes('Allow?')) await wait(10);
    stop.abort();
    assert.deepEqual(await answer, { answer: 'dismissed' });
    assert.deepEqual(await second.asker.ask(ask, AbortSignal.abort()), { answer: 'dismissed' });
  });

  it('hands Ctrl+C on', async () => {
    const { asker, interrupted } = terminal({ typed: '\u0003' });
    assert.deepEqual(await asker.ask(ask, never), { answer: 'dismissed' });
    assert.equal(interrupted(), 1);
  });

  it('answers with --yes, but not for what is outside', async () => {
    const { asker } = terminal({ yes: true, isTTY: false });
    assert.deepEqual(await asker.ask(ask, never), { answer: 'yes_flag' });
    assert.deepEqual(await asker.ask({ ...ask, only_once: true }, never), { answer: 'no_terminal' });
  });

  it('declines without a terminal, and says what would allow it', async () => {
    const { asker, screen } = terminal({ isTTY: false });
    assert.deepEqual(await asker.ask(ask, never), { answer: 'no_terminal' });
    assert.equal(
      screen(),
      'Declined, because there is no terminal to ask in: Run npm test. --yes allows it, or ' +
        '{"folders":{"/home/me/shop":{"permissions":{"tools":{"run_command":{"commands":{"npm test":"allow"}}}}}}} in ' +
        '/home/me/.polyglav/config.json.\n',
    );
  });

  const hints: [what: string, more: { [K in keyof PermissionAsk]?: PermissionAsk[K] | undefined }, hint: RegExp][] = [
    [
      'a rule for a path',
      { tool: 'file_edit', rule: 'file_edit "a \\"b\\" \u202E.ts" allow' },
      /"paths":\{"a \\"b\\" \\u202e\.ts":"allow"\}/,
    ],
    [
      'no rule for a line of commands',
      { rule: undefined },
      /--yes allows it, or a rule for each command in it, in \/home/,
    ],
    [
      'no rule for another tool',
      { tool: 'todo_write', rule: undefined },
      /or \{"permissions":\{"tools":\{"todo_write":"allow"\}\}\} in/,
    ],
    [
      'a reason that no rule lifts',
      { rule: undefined, reason: 'may hold keys: .env' },
      /--yes allows it; no rule does: may hold keys: \.env\.$/,
    ],
    [
      'a place outside',
      { only_once: true, reason: 'outside the workspace: /etc' },
      /\. Only a person at a terminal can allow that: outside the workspace: \/etc\.$/,
    ],
  ];
  for (const [what, more, hint] of hints)
    it(`hints without a terminal at what would do: ${what}`, async () => {
      const { asker, screen } = terminal({ isTTY: false });
      await asker.ask({ ...ask, ...more } as PermissionAsk, never);
      assert.match(screen().trimEnd(), hint);
    });
});
