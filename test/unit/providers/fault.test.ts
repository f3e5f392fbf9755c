import assert from 'node:assert/strict';
import fc from 'fast-check';

import { kindOf, readFault } from '../../../src/providers/fault.ts';
import type { ProviderErrorKind } from '../../../src/providers/provider.ts';

describe('providers/fault', () => {
  const envelopes: [unknown, { message: string; status: number }][] = [
    [{ error: { message: 'No.', type: 't', code: 'c' } }, { message: 'No.', status: 0 }],
    [
      { message: 'No.', code: 400 },
      { message: 'No.', status: 400 },
    ],
    [{ error: { message: 'No.', code: '429' } }, { message: 'No.', status: 429 }],
    [{ error: { message: 'No.', code: 'x', status_code: 503 } }, { message: 'No.', status: 503 }],
    [{ error: 'No.' }, { message: 'No.', status: 0 }],
    [
      { code: 'x', error: 'No.' },
      { message: 'No.', status: 0 },
    ],
    [{ detail: 'No.' }, { message: 'No.', status: 0 }],
    [{ detail: [{ loc: ['body'], msg: 'No.' }] }, { message: 'No.', status: 0 }],
    [
      { object: 'error', message: { detail: [{ msg: 'No.' }] } },
      { message: 'No.', status: 0 },
    ],
    [[{ error: { code: 400, message: 'No.', status: 'INVALID_ARGUMENT' } }], { message: 'No.', status: 400 }],
    [
      { error: { message: 'Provider returned error', metadata: { raw: 'No.' } } },
      { message: 'Provider returned error (No.)', status: 0 },
    ],
    ['No.', { message: 'No.', status: 0 }],
    ['two\r\n  lines\u0007', { message: 'two lines', status: 0 }],
    [
      '<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>b{}</style></head><body><h1>nginx</h1><script>x()</script></body></html>',
      { message: 'an HTML page: 502 Bad Gateway nginx', status: 0 },
    ],
    [{ error: { code: 3280, message: 'No.' } }, { message: 'No.', status: 0 }],
    [null, { message: '', status: 0 }],
    [{}, { message: '', status: 0 }],
    [7, { message: '', status: 0 }],
  ];

  for (const [body, { message, status }] of envelopes) {
    it(`reads ${JSON.stringify(body).slice(0, 80)}`, () => {
      const fault = readFault(body);
      assert.equal(fault.message, message);
      assert.equal(fault.status, status);
    });
  }

  it('reads any JSON, and a huge page quickly', () => {
    fc.assert(fc.property(fc.jsonValue(), (body) => assert.equal(typeof readFault(body).message, 'string')));
    assert.ok(readFault(`<html>${'<p>x'.repeat(2_000_000)}`).message.length < 50_000);
  });

  // Texts of real services, by the kind that they mean.
  const kinds: Partial<Record<ProviderErrorKind, [number, string, string?][]>> = {
    auth: [
      [401, 'whatever'],
      [403, 'You do not have access'],
      [400, 'Incorrect API key provided: xa***'],
      [400, 'API key not valid. Please pass a valid API key.'],
      [0, 'No such key', 'invalid_api_key'],
    ],
    quota: [
      [402, 'Insufficient Balance'],
      [429, 'You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota'],
      [0, 'You exceeded your current quota', 'insufficient_quota'],
      [400, 'Your credit balance is too low to access the API.'],
    ],
    rate_limit: [
      [429, 'slow down'],
      [429, 'You exceeded your current quota. Please retry in 34.2s.', 'RESOURCE_EXHAUSTED'],
      [0, 'Rate limit reached for requests', 'rate_limit_exceeded'],
      [429, 'Your requests have exceeded the token rate limit', 'RateLimitReached'],
    ],
    context_overflow: [
      [400, 'x', 'context_length_exceeded'],
      [400, 'Your input exceeds the context window of this model.'],
      [400, "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens."],
      [400, 'prompt too long; exceeded max context length by 12 tokens'],
      [400, 'the prompt is longer than the context length currently available'],
      [400, 'the request exceeds the available context size, try increasing it', 'exceed_context_size_error'],
      [400, 'the request exceeds the available context size. try increasing the context size or enable context shift'],
      [400, 'max_tokens must be at least 1, got -186.'],
      [
        400,
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
      ],
      [400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
      [400, 'Please reduce the length of the messages or completion.'],
      [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
      [400, 'The total length of all messages is too long.', 'too_many_prompt_tokens'],
      [400, 'prompt token count of 140000 exceeds the limit of 128000'],
      [400, 'Your request exceeded model token limit: 262144'],
      [400, 'invalid params, context window exceeds limit'],
      [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
      [413, ''],
      [
        429,
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.',
        'rate_limit_exceeded',
      ],
    ],
    model_not_found: [
      [404, "model 'llama3.2' not found"],
      [404, 'The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'],
      [400, "The requested model 'x' does not exist.", 'model_not_found'],
      [400, 'x/y is not a valid model ID'],
      [404, 'No endpoints found for x/y.'],
    ],
    bad_request: [
      [400, "Unsupported parameter: 'stop' is not supported with this model.", 'unsupported_parameter'],
      [404, 'Not Found'],
      [422, 'Extra inputs are not permitted'],
      [400, 'registry.ollama.ai/library/x does not support tools'],
      [403, 'Your input was flagged by moderation'],
      [0, 'Tool choice is required, but model did not call a tool', 'tool_use_failed invalid_request_error'],
    ],
    server: [
      [500, 'The server had an error'],
      [503, 'Loading model', 'unavailable_error'],
      [529, 'Overloaded', 'overloaded_error'],
      [408, 'timeout'],
      [500, 'model runner has unexpectedly stopped'],
      [0, 'Upstream connection lost'],
      [0, ''],
      [0, 'The service is overloaded', 'server_error'],
    ],
  };

  for (const [kind, texts] of Object.entries(kinds)) {
    it(`tells ${kind}`, () => {
      for (const [status, message, code = ''] of texts)
        assert.equal(kindOf(status, { message, code }), kind, `${status} ${message}`);
    });
  }
});
