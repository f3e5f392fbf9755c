import assert from 'node:assert/strict';

import { ProviderError } from '../../../src/providers/provider.ts';
import { isKind } from '../../../src/session/schema.ts';
import { faultsOf } from '../../support/documentedRecord.ts';
import { Bench, callsOf, promptsOf, ScriptedProvider, tool, turn, type Step } from '../../support/engine.ts';

describe('agent/turn', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.make()));
  afterEach(() => bench.close());

  /** What each part of the last turn is, and its text, output or name. */
  const outline = async (run: { name: string }) =>
    (await bench.onDisk(run)).turns
      .at(-1)!
      .parts.map(
        (part) => `${part.type}: ${String(isKind(part, 'tool') ? `${part.name} → ${part.output}` : part['text'])}`,
      );

  it('records prompt, thinking, calls with results and answer, in the order in which they came', async () => {
    bench.provider.answer(
      [
        { thinking: 'I must ' },
        { thinking: 'look.' },
        'I ',
        'look.',
        { call: 'file_read', arguments: { path: 'a.ts' } },
        { call: 'file_read', arguments: { path: 'b.ts' } },
      ],
      [{ thinking: 'Now I know.' }, 'Done.', { usage: { input_tokens: 100, output_tokens: 5 } }],
    );
    const run = await bench.create();
    assert.equal(await turn(run, 'Look around.'), 'ok');
    assert.deepEqual(await outline(run), [
      'user: Look around.',
      'thinking: I must look.',
      'text: I look.',
      'tool: file_read → content of a.ts',
      'tool: file_read → content of b.ts',
      'thinking: Now I know.',
      'text: Done.',
    ]);
    const session = await bench.onDisk(run);
    const [only] = session.turns;
    assert.deepEqual(
      [only!.index, only!.model, only!.provider, only!.mode, only!.status],
      [1, 'm', 'mock', 'build', 'ok'],
    );
    assert.deepEqual(faultsOf(session), []);
    assert.deepEqual(session, run.session);
  });

  it('sends the prompt after it is on the disk', async () => {
    let atRequest: unknown;
    bench.provider.answer([async () => (atRequest = await outline(run)), 'ok']);
    const run = await bench.create();
    await turn(run, 'Do not lose me.');
    assert.deepEqual(atRequest, ['user: Do not lose me.']);
  });

  it('gives each request as the beginning of the next, with the same tools', async () => {
    const call = { call: 'file_read', arguments: { path: 'a.ts' } };
    bench.provider.answer(
      [call],
      [{ thinking: 'Hm.' }, call, call],
      ['First.'],
      [new ProviderError('Busy.', { kind: 'server', status: 503 })],
      ['Half', new ProviderError('Cut.', { kind: 'network' })],
      ['Last.'],
    );
    const run = await bench.create();
    for (const prompt of ['1', '2', '3', '4']) await turn(run, prompt);
    const requests = bench.provider.requests.map(({ tools, messages }) => ({
      tools: JSON.stringify(tools),
      messages: messages.map((message) => JSON.stringify(message)),
    }));
    assert.equal(requests.length, 6);
    for (const [position, next] of requests.slice(1).entries()) {
      const before = requests[position]!;
      assert.equal(next.tools, before.tools);
      assert.deepEqual(next.messages.slice(0, before.messages.length), before.messages);
    }
  });

  it('is found by its place and not by its time: the clock may stand still or go back', async () => {
    let back = 0;
    for (const now of [() => new Date(0), () => new Date(1_800_000_000_000 - 1000 * back++)]) {
      bench.restart({ now });
      bench.provider.answer([{ call: 'file_write' }, { call: 'file_read' }], ['1!'], [{ call: 'file_write' }], ['2!']);
      const run = await bench.create();
      await turn(run, '1');
      await turn(run, '2');
      const session = await bench.onDisk(run);
      assert.deepEqual(faultsOf(session), []);
      assert.deepEqual(
        session.permissions.map((entry) => [entry.turn, entry.part]),
        [
          [1, 2],
          [1, 3],
          [2, 2],
        ],
      );
      assert.deepEqual(promptsOf(session), ['1', '2']);
    }
  });

  it('makes no part of blanks, and begins no part with those of another', async () => {
    bench.provider.answer(
      [{ thinking: '\n\n' }, 'Hello', ' \n', '  world'],
      [{ thinking: ' \n' }, { thinking: 'Hm.' }, ' ', '\n', '    code'],
    );
    const run = await bench.create();
    await turn(run, '1');
    assert.deepEqual(await outline(run), ['user: 1', 'text: Hello \n  world']);
    await turn(run, '2');
    assert.deepEqual(await outline(run), ['user: 2', 'thinking:  \nHm.', 'text:  \n    code']);
  });

  it('sums the usage of its requests, as far as it was told', async () => {
    bench.provider.answer(
      [{ call: 'file_read' }, { usage: { input_tokens: 10, output_tokens: 2 } }],
      ['ok', { usage: { input_tokens: 15, output_tokens: 3, cached_tokens: 10 } }],
    );
    const run = await bench.create();
    await turn(run);
    const { input_tokens, output_tokens, cached_tokens } = run.session.turns[0]!.usage!;
    assert.deepEqual(
      { input_tokens, output_tokens, cached_tokens },
      { input_tokens: 25, output_tokens: 5, cached_tokens: 10 },
    );
  });

  it('keeps half characters out of the record and of the requests, wherever they came from', async () => {
    const half = '\uD83D';
    bench.config = { ...bench.config, system_prompt: `configured ${half}` };
    bench.tools = [tool('file_read', () => `read ${half}`)];
    bench.provider.answer(
      [
        { thinking: `Hm ${half}` },
        `I say ${half}`,
        { call: 'file_read', id: `id${half}`, arguments: `{"text":"raw ${half}"}` },
        { call: 'file_read', arguments: '{"text":"escaped \\ud83d"}' },
        { call: `none${half}` },
        { thinking_data: { signature: half } },
      ],
      ['ok'],
    );
    const run = await bench.create();
    assert.equal(await turn(run, `Go ${half}`), 'ok');
    const written = JSON.stringify([await bench.onDisk(run), bench.provider.requests]);
    // Not the escape that an error quotes, which is text.
    assert.doesNotMatch(written, /(?<!\\)\\ud83d/i);
    for (const text of ['configured', 'Hm', 'I say', 'Go']) assert.ok(written.includes(`${text} \uFFFD`), text);
  });

  it('gives a provider back what it wants back, and to no other (T2)', async () => {
    const other = new ScriptedProvider('other');
    bench.others = [other];
    bench.provider.answer(
      [{ thinking: 'Hm.' }, 'I look.', { call: 'file_read', id: 'toolu_1' }, { thinking_data: { signature: 'abc' } }],
      ['Done.'],
    );
    other.answer(['Also done.']);
    const run = await bench.create();
    await turn(run);
    assert.deepEqual(bench.provider.requests[1]!.messages[2], {
      role: 'assistant',
      content: 'I look.',
      thinking: [{ text: 'Hm.', data: { provider: 'mock', signature: 'abc' } }],
      calls: [{ id: 'toolu_1', name: 'file_read', arguments: '{}', data: { provider: 'mock', id: 'toolu_1' } }],
    });
    await run.setModel('other/m');
    await turn(run);
    assert.doesNotMatch(JSON.stringify(other.requests[0]!.messages), /abc|toolu_1/);
  });

  describe('that does not end well', () => {
    const failure = new ProviderError('Unauthorized: check the key.', { kind: 'auth', status: 401 });
    const endings: Record<string, { answer: Step[]; status: string; parts: string[]; code: number; message: RegExp }> =
      {
        'an error at the start': { answer: [failure], status: 'error', parts: [], code: 401, message: /Unauthorized/ },
        'an error in mid-text': {
          answer: ['Half an ', 'ans', failure],
          status: 'error',
          parts: ['text: Half an ans'],
          code: 401,
          message: /Unauthorized/,
        },
        'an error in mid-thinking': {
          answer: [{ thinking: 'I th' }, failure],
          status: 'error',
          parts: ['thinking: I th'],
          code: 401,
          message: /Unauthorized/,
        },
        'an error in mid-call': {
          answer: ['I look.', { call: 'file_read' }, failure],
          status: 'error',
          parts: ['text: I look.'],
          code: 401,
          message: /Unauthorized/,
        },
        'an end without an end': {
          answer: ['Half', { cut: true }],
          status: 'error',
          parts: ['text: Half'],
          code: 0,
          message: /end/,
        },
        'a fault of ours': {
          answer: ['Half', new TypeError('x is not a function')],
          status: 'error',
          parts: ['text: Half'],
          code: 0,
          message: /x is not a function/,
        },
        'a cut-off text': {
          answer: ['Half', { finish: 'length' }],
          status: 'truncated',
          parts: ['text: Half'],
          code: 0,
          message: /output limit/,
        },
        'a cut-off thought': {
          answer: [{ thinking: 'I th' }, { finish: 'length' }],
          status: 'truncated',
          parts: ['thinking: I th'],
          code: 0,
          message: /output limit/,
        },
        'the content filter': {
          answer: ['Half', { finish: 'content_filter' }],
          status: 'error',
          parts: ['text: Half'],
          code: 0,
          message: /content filter/,
        },
        'nothing at all': { answer: [], status: 'empty', parts: [], code: 0, message: /nothing|empty/ },
        'a promise of calls without a call': {
          answer: [{ finish: 'tool_calls' }],
          status: 'empty',
          parts: [],
          code: 0,
          message: /nothing|empty/,
        },
        blanks: { answer: [' ', '\n\n'], status: 'empty', parts: [], code: 0, message: /nothing|empty/ },
        'thinking alone': {
          answer: [{ thinking: 'I think.' }],
          status: 'empty',
          parts: ['thinking: I think.'],
          code: 0,
          message: /nothing|empty/,
        },
      };
    for (const [what, { answer, status, parts, code, message }] of Object.entries(endings))
      it(`keeps all that came before ${what}, and says once what it was (R12, T10)`, async () => {
        bench.provider.answer(answer, ['Here I am again.']);
        const run = await bench.create();
        assert.equal(await turn(run), status);
        assert.deepEqual(await outline(run), ['user: Go.', ...parts]);
        const session = await bench.onDisk(run);
        assert.equal(session.errors.length, 1);
        assert.equal(session.errors[0]!.code, code);
        assert.match(session.errors[0]!.message, message);
        assert.deepEqual(faultsOf(session), []);
        assert.equal(bench.provider.requests.length, 1);
        // The next turn works, and what it sends is valid.
        assert.equal(await turn(run, 'Again.'), 'ok');
      });

    it('never runs a call that the output limit cut off, even one that looks whole (P1)', async () => {
      let ran = 0;
      bench.tools = [tool('file_write', () => `${++ran}`)];
      bench.provider.answer(
        [
          { call: 'file_write', arguments: { path: 'a', text: 'whole' } },
          { call: 'file_write', arguments: '{"path": "a", "te' },
          { finish: 'length' },
        ],
        ['ok'],
      );
      const run = await bench.create();
      assert.equal(await turn(run), 'truncated');
      const session = await bench.onDisk(run);
      assert.deepEqual(
        callsOf(session).map(({ input, is_error }) => ({ input, is_error })),
        [
          { input: { path: 'a', text: 'whole' }, is_error: true },
          { input: {}, is_error: true },
        ],
      );
      for (const { output } of callsOf(session)) assert.match(output!, /cut off/);
      assert.deepEqual([ran, bench.person.asks, session.permissions], [0, [], []]);
      assert.equal(await turn(run), 'ok');
    });

    it('runs no call of an answer that the content filter stopped', async () => {
      bench.provider.answer([{ call: 'file_write' }, { finish: 'content_filter' }], ['ok']);
      const run = await bench.create();
      assert.equal(await turn(run), 'error');
      assert.match(callsOf(run.session)[0]!.output!, /content filter/);
      assert.deepEqual(bench.person.asks, []);
      assert.equal(await turn(run), 'ok');
    });

    it('stops after the most rounds, with every call answered', async () => {
      bench.restart({ max_rounds: 3 });
      bench.provider.answer([{ call: 'file_read' }], [{ call: 'file_read' }], [{ call: 'file_read' }], ['Going on.']);
      const run = await bench.create();
      assert.equal(await turn(run), 'error');
      assert.equal(bench.provider.requests.length, 3);
      assert.deepEqual(
        callsOf(run.session).map(({ round, output }) => [round, output !== undefined]),
        [
          [1, true],
          [2, true],
          [3, true],
        ],
      );
      assert.match(run.session.errors[0]!.message, /3 rounds/);
      assert.equal(await turn(run), 'ok');
    });
  });
});
