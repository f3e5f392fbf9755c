import assert from 'node:assert/strict';
import OpenAI, { APIConnectionError, APIError, AuthenticationError } from 'openai';
import { MockProvider, type Reply, type RecordedRequest } from '../../support/mockProvider.ts';

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_content?: string };

describe('the mock provider', () => {
  let provider: MockProvider;
  const start = async (replies: Reply[], options: object = {}): Promise<void> => {
    provider = await MockProvider.start({ key: 'sk-right', replies, ...options });
  };
  afterEach(() => provider.stop());

  const ask = async (messages: object[], apiKey = 'sk-right'): Promise<OpenAI.ChatCompletionChunk[]> => {
    const client = new OpenAI({ baseURL: provider.url, apiKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'mock-model',
      messages: messages as OpenAI.ChatCompletionMessageParam[],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  const hello = [{ role: 'user', content: 'hello' }];
  const text = (chunks: OpenAI.ChatCompletionChunk[]): string =>
    chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');

  it('streams thinking, text, a call, the reason of its end and the usage', async () => {
    await start([
      [{ thinking: 'hm' }, { text: 'a b c', pace: 1 }, { call: 'file_read', arguments: { path: 'x' } }],
      (request: RecordedRequest) => [{ text: `you said ${String(request.body.messages[0]?.content)}` }],
    ]);
    const chunks = await ask(hello);
    assert.equal(text(chunks), 'a b c');
    assert.ok(chunks.some((chunk) => (chunk.choices[0]?.delta as Delta | undefined)?.reasoning_content === 'hm'));
    const call = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])[0];
    assert.deepEqual(call?.function, { name: 'file_read', arguments: '{"path":"x"}' });
    assert.deepEqual(chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter(Boolean), ['tool_calls']);
    assert.equal(chunks.at(-1)?.usage?.total_tokens, 15);
    assert.equal(text(await ask(hello)), 'you said hello');
    assert.equal(provider.requests[0]?.headers.authorization, 'Bearer sk-right');
  });

  it('refuses a wrong key with the error of OpenAI', async () => {
    await start([]);
    await assert.rejects(ask(hello, 'sk-wrong'), (error: unknown) => {
      assert.ok(error instanceof AuthenticationError);
      assert.equal(error.code, 'invalid_api_key');
      return true;
    });
    assert.equal(provider.requests.length, 0);
  });

  it('answers with errors, cut streams and raw bytes', async () => {
    await start([
      { status: 429, message: 'slow down', code: 'rate_limit_exceeded', headers: { 'retry-after': '7' } },
      [{ text: 'half' }, { cut: true }],
      [{ raw: 'data: {"error":{"message":"overloaded"}}\n\n' }],
    ]);
    await assert.rejects(ask(hello), (error: unknown) => {
      assert.ok(error instanceof APIError);
      assert.equal((error.headers as Headers).get('retry-after'), '7');
      return true;
    });
    await assert.rejects(
      ask(hello),
      (error: unknown) => error instanceof APIConnectionError || error instanceof TypeError,
    );
    await assert.rejects(ask(hello), /overloaded/);
  });

  const call = (id: string, args = '{}'): object => ({
    id,
    type: 'function',
    function: { name: 'x', arguments: args },
  });
  const refused: [why: string, messages: object[], complaint: RegExp][] = [
    ['no message', [], /must not be empty/],
    ['two prompts in a row', [...hello, ...hello], /two user messages in a row/],
    [
      'two answers in a row',
      [...hello, { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }],
      /two assistant messages in a row/,
    ],
    ['an empty answer', [...hello, { role: 'assistant', content: '' }], /neither text nor calls/],
    ['a call without a result', [...hello, { role: 'assistant', tool_calls: [call('a')] }], /no result .* a$/],
    [
      'a call whose result comes after another message',
      [
        ...hello,
        { role: 'assistant', tool_calls: [call('a')] },
        ...hello,
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
      /no result/,
    ],
    [
      'a second result',
      [
        ...hello,
        { role: 'assistant', tool_calls: [call('a')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
      /no unanswered call/,
    ],
    ['a result without a call', [...hello, { role: 'tool', tool_call_id: 'a', content: '1' }], /no unanswered call/],
    [
      'arguments that are no object',
      [
        ...hello,
        { role: 'assistant', tool_calls: [call('a', '[1]')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
      /not a JSON object/,
    ],
    ['a lone surrogate', [{ role: 'user', content: 'x\ud800y' }], /lone surrogate/],
    ['too much', [{ role: 'user', content: 'x'.repeat(4000) }], /maximum context length is 500 tokens/],
  ];
  for (const [why, messages, complaint] of refused) {
    it(`refuses ${why} in strict mode`, async () => {
      await start([[{ text: 'fine' }]], { strict: true, tokenLimit: 500 });
      await assert.rejects(ask(messages), complaint);
      assert.match(provider.refusals[0]!, complaint);
    });
  }

  it('takes a valid conversation in strict mode', async () => {
    await start([[{ text: 'fine' }]], { strict: true });
    const chunks = await ask([
      { role: 'system', content: 's' },
      ...hello,
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b', '{"x":1}')] },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'assistant', content: 'done' },
      ...hello,
    ]);
    assert.equal(text(chunks), 'fine');
    assert.deepEqual(provider.refusals, []);
  });

  it('says that its script has ended', async () => {
    await start([]);
    await assert.rejects(ask(hello), /no reply left/);
  });
});
