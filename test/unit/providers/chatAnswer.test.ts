import assert from 'node:assert/strict';
import fc from 'fast-check';

import { ChatAnswer } from '../../../src/providers/chatAnswer.ts';
import { AnswerError, StreamedError } from '../../../src/providers/errors.ts';
import type { ProviderEvent } from '../../../src/providers/provider.ts';
import { delta, textOf, type Finished } from './replay.ts';

function answer(...chunks: unknown[]): { events: ProviderEvent[]; text: string; thinking: string; finished: Finished } {
  const joined = new ChatAnswer();
  const events = [...chunks.flatMap((chunk) => joined.push(chunk)), ...joined.end()];
  const finished = events.at(-1) as Finished;
  return { events, text: textOf(events, 'text'), thinking: textOf(events, 'thinking'), finished };
}

function reasonOf(finish: string | null, body: Record<string, unknown>): string {
  return answer(delta(body, finish)).finished.reason;
}

const CALL = { tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }] };

describe('providers/chatAnswer', () => {
  describe('thinking', () => {
    const dialects: [string, Record<string, unknown>[], Record<string, unknown>][] = [
      [
        'reasoning_content',
        [{ reasoning_content: 'Let me ' }, { reasoning_content: 'see.', content: '' }],
        { field: 'reasoning_content' },
      ],
      ['reasoning', [{ reasoning: 'Let me ' }, { reasoning: 'see.' }], { field: 'reasoning' }],
      [
        'reasoning beside reasoning_details with the same text',
        [
          { reasoning: 'Let me ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Let me ' }] },
          {
            reasoning: 'see.',
            reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'see.', signature: null }],
          },
          { reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'sig', format: 'f' }] },
        ],
        {
          field: 'reasoning_details',
          details: [{ type: 'reasoning.text', index: 0, text: 'Let me see.', signature: 'sig', format: 'f' }],
        },
      ],
      [
        'reasoning_details alone',
        [
          { reasoning_details: [{ type: 'reasoning.summary', summary: 'Let me ' }] },
          { reasoning_details: [{ type: 'reasoning.summary', summary: 'see.' }] },
        ],
        { field: 'reasoning_details', details: [{ type: 'reasoning.summary', summary: 'Let me see.' }] },
      ],
      [
        'thinking parts in the content',
        [
          { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me ' }] }] },
          {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'see.' }], closed: true },
              { type: 'text', text: '' },
            ],
          },
        ],
        { field: 'content', part: { type: 'thinking', closed: true } },
      ],
    ];

    for (const [name, deltas, data] of dialects) {
      it(`comes as ${name}`, () => {
        const { thinking, text, finished } = answer(
          ...deltas.map((body) => delta(body)),
          delta({ content: 'Done.' }, 'stop'),
        );
        assert.equal(thinking, 'Let me see.');
        assert.equal(text, 'Done.');
        assert.deepEqual(finished.thinking_data, data);
      });
    }

    it('takes thinking and text out of one delta, thinking first', () => {
      const content = [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'text', text: 'Yes.' },
      ];
      const { events } = answer(delta({ content }, 'stop'));
      assert.deepEqual(events.slice(0, 2), [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ]);
    });

    it('keeps encrypted entries apart and whole, also when nothing can be read', () => {
      const details = [
        { type: 'reasoning.encrypted', index: 0, id: 'call-1', data: 'AAA' },
        { type: 'reasoning.encrypted', index: 0, id: 'call-2', data: 'BBB' },
      ];
      const { thinking, finished } = answer(
        delta({ reasoning: null, reasoning_details: details, content: 'Ok' }, 'stop'),
      );
      assert.equal(thinking, '');
      assert.deepEqual(finished.thinking_data, { field: 'reasoning_details', details });
    });

    it('has no data when there was none', () => {
      assert.equal(
        answer(delta({ reasoning_content: null, reasoning: '', reasoning_details: [], content: 'Ok' }, 'stop')).finished
          .thinking_data,
        undefined,
      );
    });
  });

  describe('the end', () => {
    it('is what the last reason says', () => {
      assert.equal(reasonOf('stop', { content: 'x' }), 'stop');
      assert.equal(reasonOf('length', { content: 'x' }), 'length');
      assert.equal(reasonOf('length', CALL), 'length');
      assert.equal(reasonOf('content_filter', {}), 'content_filter');
      assert.equal(reasonOf('tool_calls', CALL), 'tool_calls');
      assert.equal(reasonOf('stop', CALL), 'tool_calls');
      assert.equal(reasonOf('eos', { content: 'x' }), 'stop');
      assert.equal(
        answer(delta({ content: 'x' }, 'stop'), delta({}, 'length'), delta({}, null)).finished.reason,
        'length',
      );
    });

    it('is told by what arrived when no reason did', () => {
      assert.equal(reasonOf(null, { content: 'x' }), 'stop');
      assert.equal(reasonOf(null, CALL), 'tool_calls');
      assert.throws(() => reasonOf(null, {}), AnswerError);
      assert.throws(() => reasonOf(null, { reasoning: 'I was just' }), AnswerError);
    });

    it('is an error when a call was announced and none came (T2)', () => {
      assert.throws(() => reasonOf('tool_calls', {}), /said that it calls a tool, but sent no call/);
      assert.throws(() => reasonOf('tool_calls', { content: 'I read the file:' }), AnswerError);
    });

    it('is an error when a call has no name', () => {
      assert.throws(
        () => reasonOf('tool_calls', { tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
        /without the name/,
      );
    });

    it('is an error when the provider says so', () => {
      assert.throws(() => reasonOf('error', { content: 'x' }), { kind: 'server' });
      assert.throws(() => reasonOf('insufficient_system_resource', { content: 'x' }), { kind: 'server' });
      assert.throws(() => reasonOf('model_context_window_exceeded', { content: 'x' }), { kind: 'context_overflow' });
    });

    it('comes once, last', () => {
      const { events } = answer(delta({ content: 'a' }), delta({}, 'stop'), delta({}, 'stop'));
      assert.equal(events.filter(({ type }) => type === 'finished').length, 1);
      assert.equal(events.at(-1)?.type, 'finished');
    });
  });

  it('says a refusal as text', () => {
    const { text } = answer(delta({ refusal: 'I cannot ' }), delta({ refusal: 'do that.', content: null }, 'stop'));
    assert.equal(text, 'I cannot do that.');
  });

  it('reads a whole answer of a server that does not stream', () => {
    const message = { role: 'assistant', content: 'Hello', reasoning_content: 'Hm.', ...CALL };
    const { text, thinking, finished } = answer({
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    });
    assert.deepEqual([text, thinking, finished.calls.length], ['Hello', 'Hm.', 1]);
  });

  it('does not read a whole message that stands beside the delta twice', () => {
    const chunk = {
      choices: [{ index: 0, delta: { content: 'Hi' }, message: { content: 'Hi' }, finish_reason: 'stop' }],
    };
    assert.equal(answer(chunk).text, 'Hi');
  });

  describe('usage', () => {
    const usage = (value: unknown, where: 'chunk' | 'choice' | 'x_groq' = 'chunk') => {
      const end = delta({ content: 'x' }, 'stop');
      if (where === 'chunk') return answer(end, { choices: [], usage: value }).finished.usage;
      if (where === 'x_groq') return answer({ ...end, x_groq: { usage: value } }).finished.usage;
      return answer({ choices: [{ delta: { content: 'x' }, finish_reason: 'stop', usage: value }] }).finished.usage;
    };

    it('comes from any chunk, the last that has any', () => {
      const all = {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      };
      const counts = { input_tokens: 10, output_tokens: 5, cached_tokens: 4, reasoning_tokens: 2 };
      assert.deepEqual(usage(all), counts);
      assert.deepEqual(usage(all, 'choice'), counts);
      assert.deepEqual(usage(all, 'x_groq'), counts);
      const last = answer({ ...delta({ content: 'x' }), usage: all }, { ...delta({}, 'stop'), usage: null }).finished
        .usage;
      assert.deepEqual(last, counts);
    });

    it('counts reasoning that stands beside the completion as output', () => {
      assert.equal(usage({ prompt_tokens: 390, completion_tokens: 26, total_tokens: 493 })?.output_tokens, 103);
    });

    it('is not made up', () => {
      assert.equal(usage(null), undefined);
      assert.equal(usage({}), undefined);
      assert.deepEqual(usage({ prompt_tokens: 'many', completion_tokens: 5, prompt_cache_hit_tokens: 3 }), {
        output_tokens: 5,
        cached_tokens: 3,
      });
      assert.deepEqual(usage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 0 }), {
        input_tokens: 10,
        output_tokens: 5,
      });
    });
  });

  it('takes an error for one in any shape, also after the end was announced (T2)', () => {
    const shapes: unknown[] = [
      { error: { message: 'x', code: 400 } },
      { error: 'x' },
      { ...delta({}, null), error: { message: 'x' } },
      { object: 'error', message: 'x', code: 400 },
      { type: 'error', message: 'x' },
      { message: 'x' },
      { detail: 'x' },
      [{ error: { message: 'x' } }],
    ];
    for (const shape of shapes) {
      const joined = new ChatAnswer();
      joined.push(delta({ content: 'x' }, 'stop'));
      assert.throws(() => joined.push(shape), StreamedError, JSON.stringify(shape));
    }
    for (const none of [null, false, ''])
      assert.equal(answer({ ...delta({ content: 'x' }, 'stop'), error: none }).text, 'x');
  });

  it('never cuts a code point: only a half whose other one never came stays alone', () => {
    const { text, thinking, finished } = answer(
      delta({ content: 'a\uD83D', reasoning: '\uD83C' }),
      delta({ content: '\uDE00b\uD83D', reasoning: '\uDF0D' }),
      delta({ tool_calls: [{ index: 0, id: 'i\uD83D', function: { name: 'read', arguments: '{"p":"\uD83D' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '\uDE00\uD83D"}' } }] }, 'tool_calls'),
    );
    assert.equal(text, 'a😀b\uD83D');
    assert.equal(thinking, '🌍');
    assert.deepEqual(finished.calls, [{ id: 'i\uD83D', name: 'read', arguments: '{"p":"😀\uD83D"}' }]);
  });

  it('survives chunks of any shape', () => {
    const odd = fc.jsonValue();
    const shaped = fc.record(
      {
        choices: fc.oneof(
          odd,
          fc.array(
            fc.record(
              {
                delta: fc.oneof(
                  odd,
                  fc.record(
                    { content: odd, reasoning_details: odd, tool_calls: odd, refusal: odd },
                    { requiredKeys: [] },
                  ),
                ),
                finish_reason: odd,
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        usage: odd,
      },
      { requiredKeys: ['choices'] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, shaped)), (chunks) => {
        try {
          answer(...chunks);
        } catch (error) {
          assert.ok(error instanceof AnswerError || error instanceof StreamedError, String(error));
        }
      }),
    );
  });
});
