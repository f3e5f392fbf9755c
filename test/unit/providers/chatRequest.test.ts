import assert from 'node:assert/strict';

import { chatRequest } from '../../../src/providers/chatRequest.ts';
import { request, TOOL } from './replay.ts';

const BASE = 'http://localhost:11434/v1';

function reasoning(value: string | boolean | undefined, base_url = BASE): Record<string, unknown> {
  const { model, messages, stream, stream_options, ...rest } = chatRequest(request({ reasoning: value }), base_url);
  return rest;
}

describe('providers/chatRequest', () => {
  it('sends the standard keys and no others', () => {
    assert.deepEqual(chatRequest(request(), BASE), {
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.deepEqual(chatRequest(request({ tools: [TOOL] }), BASE)['tools'], [{ type: 'function', function: TOOL }]);
  });

  it('gives the same bytes for the same request', () => {
    const one = request({ tools: [TOOL], reasoning: 'low', max_output_tokens: 5 });
    assert.equal(
      JSON.stringify(chatRequest(one, BASE)),
      JSON.stringify(chatRequest(structuredClone({ ...one, signal: undefined }), BASE)),
    );
  });

  it('limits the output by the key that the endpoint knows', () => {
    const limited = (base_url: string) => chatRequest(request({ max_output_tokens: 100 }), base_url);
    assert.equal(limited(BASE)['max_tokens'], 100);
    for (const strict of ['https://api.openai.com/v1', 'https://x.openai.azure.com/openai/v1']) {
      assert.equal(limited(strict)['max_completion_tokens'], 100);
      assert.ok(!('max_tokens' in limited(strict)));
    }
  });

  it('asks for usage where that is understood', () => {
    assert.ok(!('stream_options' in chatRequest(request(), 'https://api.mistral.ai/v1')));
  });

  it('sets the effort as each endpoint has it', () => {
    assert.deepEqual(reasoning(undefined), {});
    assert.deepEqual(reasoning('high'), { reasoning_effort: 'high' });
    for (const off of [false, 'off', 'none']) assert.deepEqual(reasoning(off), { reasoning_effort: 'none' });
    assert.deepEqual(reasoning(true), {});
    assert.deepEqual(reasoning('low', 'https://api.openai.com/v1'), { reasoning_effort: 'low' });
    assert.deepEqual(reasoning('high', 'https://openrouter.ai/api/v1'), { reasoning: { effort: 'high' } });
    assert.deepEqual(reasoning(false, 'https://openrouter.ai/api/v1'), { reasoning: { enabled: false } });
    assert.deepEqual(reasoning('max', 'https://api.deepseek.com'), {
      thinking: { type: 'enabled' },
      reasoning_effort: 'max',
    });
    assert.deepEqual(reasoning('off', 'https://api.deepseek.com'), { thinking: { type: 'disabled' } });
    assert.deepEqual(reasoning('off', 'https://api.z.ai/api/paas/v4'), { enable_thinking: false });
    assert.deepEqual(reasoning('high', 'https://api.moonshot.ai/v1'), {});
    assert.deepEqual(reasoning('high', 'https://api.x.ai/v1'), {});
  });

  it('is not fooled by an address that only looks like a known one', () => {
    assert.deepEqual(reasoning('high', 'https://openrouter.ai.example.com/v1'), { reasoning_effort: 'high' });
    assert.deepEqual(reasoning('high', 'https://max.ai/v1'), { reasoning_effort: 'high' });
  });
});
