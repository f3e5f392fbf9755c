import assert from 'node:assert/strict';

import { wireMessages } from '../../../src/providers/chatMessages.ts';
import type { Message, ToolCall } from '../../../src/providers/provider.ts';

const LOCAL = { base_url: 'http://localhost:11434/v1', model: 'llama3.2' };
const CALL: ToolCall = { id: 'call_1', name: 'file_read', arguments: '{"path":"a"}' };

function assistant(more: Partial<Extract<Message, { role: 'assistant' }>>, to = LOCAL): Record<string, unknown> {
  return wireMessages([{ role: 'assistant', content: '', ...more }], to)[0]!;
}

describe('providers/chatMessages', () => {
  it('sends the four roles in the standard form', () => {
    const messages: Message[] = [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'A', calls: [CALL] },
      { role: 'tool', call_id: 'call_1', name: 'file_read', content: 'T' },
      { role: 'assistant', content: 'B' },
    ];
    assert.deepEqual(wireMessages(messages, LOCAL), [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
      {
        role: 'assistant',
        content: 'A',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'file_read', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'T' },
      { role: 'assistant', content: 'B' },
    ]);
  });

  it('has null beside calls without text, and text elsewhere (T2)', () => {
    assert.equal(assistant({ calls: [CALL] })['content'], null);
    assert.equal(assistant({ content: 'x', calls: [CALL] })['content'], 'x');
    assert.equal(assistant({})['content'], '');
  });

  describe('thinking goes back to who wrote it, in the field it came by (T2)', () => {
    const details = [{ type: 'reasoning.text', index: 0, text: 'Hm.', signature: 'sig' }];
    const cases: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ field: 'reasoning_content' }, { content: 'x', reasoning_content: 'Hm.' }],
      [{ field: 'reasoning' }, { content: 'x', reasoning: 'Hm.' }],
      [
        { field: 'reasoning_details', details },
        { content: 'x', reasoning_details: details },
      ],
      [
        { field: 'content', part: { type: 'thinking', closed: true } },
        {
          content: [
            { type: 'thinking', closed: true, thinking: [{ type: 'text', text: 'Hm.' }] },
            { type: 'text', text: 'x' },
          ],
        },
      ],
    ];
    for (const [data, expected] of cases) {
      it(String(data['field']), () => {
        const thinking = [{ text: 'Hm.', data: { provider: 'test', ...data } }];
        assert.deepEqual(assistant({ content: 'x', thinking }), { role: 'assistant', ...expected });
      });
    }

    it('as one text when the answer thought more than once', () => {
      const thinking = [{ text: 'One. ' }, { text: 'Two.', data: { field: 'reasoning' } }];
      assert.equal(assistant({ content: 'x', thinking })['reasoning'], 'One. Two.');
    });

    it('and to nobody else', () => {
      assert.deepEqual(assistant({ content: 'x', thinking: [{ text: 'Hm.' }] }), { role: 'assistant', content: 'x' });
    });

    it('and not to a server that refuses it', () => {
      const thinking = [{ text: 'Hm.', data: { field: 'reasoning' } }];
      for (const base_url of [
        'https://api.groq.com/openai/v1',
        'https://api.openai.com/v1',
        'https://x.openai.azure.com/openai/v1',
      ])
        assert.deepEqual(assistant({ content: 'x', thinking }, { base_url, model: 'deepseek-r1' }), {
          role: 'assistant',
          content: 'x',
        });
    });
  });

  describe('DeepSeek', () => {
    const to = { base_url: 'https://api.deepseek.com', model: 'deepseek-v4' };

    it('gets reasoning_content with every call, "" when there is none of its own (T2)', () => {
      assert.equal(assistant({ calls: [CALL] }, to)['reasoning_content'], '');
      assert.equal(assistant({ calls: [CALL], thinking: [{ text: 'foreign' }] }, to)['reasoning_content'], '');
      const own = [{ text: 'Hm.', data: { field: 'reasoning_content' } }];
      assert.equal(assistant({ calls: [CALL], thinking: own }, to)['reasoning_content'], 'Hm.');
    });

    it('gets none added to a message without calls', () => {
      assert.ok(!('reasoning_content' in assistant({ content: 'x' }, to)));
    });

    it('is known by the name of the model behind other addresses, and sent its entries there', () => {
      const behind = { base_url: 'https://openrouter.ai/api/v1', model: 'deepseek/deepseek-v4' };
      assert.equal(assistant({ calls: [CALL] }, behind)['reasoning_content'], '');
      const thinking = [
        { text: 'Hm.', data: { field: 'reasoning_details', details: [{ type: 'reasoning.text', text: 'Hm.' }] } },
      ];
      assert.ok(!('reasoning_content' in assistant({ calls: [CALL], thinking }, behind)));
      assert.ok(!('reasoning_content' in assistant({ calls: [CALL] })));
    });
  });

  it('gives Mistral ids that it accepts, the same for call and result', () => {
    const messages: Message[] = [
      { role: 'assistant', content: '', calls: [CALL, { ...CALL, id: 'qDEcl0n92' }] },
      { role: 'tool', call_id: 'call_1', name: 'file_read', content: 'T' },
    ];
    const [made, result] = wireMessages(messages, { base_url: 'https://api.mistral.ai/v1', model: 'm' });
    const ids = (made?.['tool_calls'] as { id: string }[]).map(({ id }) => id);
    assert.match(ids[0]!, /^[A-Za-z0-9]{9}$/);
    assert.equal(ids[1], 'qDEcl0n92');
    assert.equal(result?.['tool_call_id'], ids[0]);
  });

  it('gives back what came with a call', () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    const [call] = assistant({ calls: [{ ...CALL, data: { provider: 'test', id: 'call_1', extra_content } }] })[
      'tool_calls'
    ] as unknown[];
    assert.deepEqual(call, {
      id: 'call_1',
      type: 'function',
      function: { name: 'file_read', arguments: '{"path":"a"}' },
      extra_content,
    });
  });

  it('makes a name that strict servers accept of one that a model invented', () => {
    for (const [name, sent] of [
      ['functions.read file', 'functions_read_file'],
      ['', '_'],
      ['x'.repeat(99), 'x'.repeat(64)],
    ] as const) {
      const [call] = assistant({ calls: [{ ...CALL, name }] })['tool_calls'] as { function: { name: string } }[];
      assert.equal(call?.function.name, sent);
    }
  });
});
