/**
 * Replays recorded answers of real providers through the chat provider: what comes out, whole and one byte per network chunk;
 * and what goes back in the next request, against what the provider accepted when it was recorded.
 */
import assert from 'node:assert/strict';

import { wireMessages } from '../../src/providers/chatMessages.ts';
import { ProviderError, type Message } from '../../src/providers/provider.ts';
import { collect, replaying, request, textOf, type Collected, type Reply } from '../unit/providers/replay.ts';
import { bytesOf, EXPECTED_RECORDINGS, folder, recordings, sha256, type Recording } from './recordings.ts';

/** Where each provider of the recordings lives: some rules go by the address. */
const BASE_URLS: Record<string, string> = {
  openai: 'https://api.openai.com/v1',
  azure: 'https://example.openai.azure.com/openai/v1',
  'azure-foundry': 'https://example.services.ai.azure.com/openai/v1',
  deepseek: 'https://api.deepseek.com',
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  ollama: 'http://localhost:11434/v1',
  'ollama-cloud': 'https://ollama.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  xai: 'https://api.x.ai/v1',
  zai: 'https://api.z.ai/api/paas/v4',
};

describe('conformance: recorded answers of chat completions', () => {
  if (folder === undefined) {
    it(`skipped: set POLYGLAV_RECORDINGS to the folder of the ${EXPECTED_RECORDINGS} recordings`, function () {
      this.skip();
    });
    return;
  }
  const from = folder;
  const all = recordings(from);
  const chat = all.filter(({ api, kind }) => api === 'chat' && kind !== 'error');
  const errors = all.filter(({ kind }) => kind === 'error');
  const others = all.filter((recording) => !chat.includes(recording) && !errors.includes(recording));

  for (const recording of chat) {
    describe(recording.file, () => {
      const whole = bytesOf(from, recording);
      it('comes out as it was meant', async () => check(recording, await replay(recording, [whole])));
      it('comes out the same in chunks of one byte', async () =>
        check(recording, await replay(recording, oneByOne(whole))));
      if (recording.accepted_followup !== undefined) {
        it('goes back as the provider accepted it', async () =>
          checkFollowup(recording, await replay(recording, [whole])));
      }
    });
  }

  for (const recording of errors) {
    it(`${recording.file} is an error of the right kind`, async () => {
      const reply: Reply = {
        status: recording.status,
        headers: { ...recording.headers },
        chunks: [bytesOf(from, recording)],
      };
      const error = await failureOf(replay(recording, reply.chunks, reply));
      assert.equal(error.kind, recording.expect.error?.class);
      assert.equal(error.status, recording.status);
      const words = recording.expect.error?.message.slice(0, 300) ?? '';
      assert.ok(error.message.includes(words), `${error.message}\n\nshould hold\n\n${words}`);
      const { retry_after } = recording.expect;
      assert.equal(error.retry_after_ms, retry_after == null ? undefined : Number(retry_after) * 1000);
    });
  }

  for (const api of new Set(others.map((recording) => recording.api))) {
    const count = others.filter((recording) => recording.api === api).length;
    it(`${count} of the ${api} API: skipped, no provider speaks it yet`, function () {
      this.skip();
    });
  }
});

interface Result extends Collected {
  error?: ProviderError;
}

function providerFor(recording: Recording, reply: Reply) {
  const base_url = BASE_URLS[recording.provider] ?? `https://${recording.provider}.example/v1`;
  return replaying(reply, { name: recording.provider, base_url });
}

async function replay(recording: Recording, chunks: Iterable<Uint8Array>, more: Partial<Reply> = {}): Promise<Result> {
  const provider = providerFor(recording, { headers: { 'content-type': 'text/event-stream' }, ...more, chunks });
  const events: Collected['events'] = [];
  const stream = provider.stream(request({ model: recording.request?.model ?? 'model' }));
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    assert.ok(error instanceof ProviderError, String(error));
    return {
      events,
      text: textOf(events, 'text'),
      thinking: textOf(events, 'thinking'),
      finished: { type: 'finished', reason: 'stop', calls: [] },
      error,
    };
  }
  return collect(replayed(events));
}

async function* replayed(events: Collected['events']) {
  yield* events;
}

async function failureOf(result: Promise<Result>): Promise<ProviderError> {
  const { error } = await result;
  assert.ok(error !== undefined, 'no error');
  return error;
}

function* oneByOne(whole: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; at++) yield whole.subarray(at, at + 1);
}

function check(recording: Recording, result: Result): void {
  const { expect } = recording;
  // A refusal is also said as text.
  if (expect.refusal === null) assert.equal(sha256(result.text), expect.text.sha256, 'text');
  else assert.equal(result.text, expect.refusal);
  assert.equal(sha256(result.thinking), expect.reasoning.sha256, 'thinking');
  if (expect.error !== null) {
    assert.ok(result.error !== undefined, 'no error');
    assert.ok(result.error.message.includes(expect.error.message), result.error.message);
    assert.equal(result.error.status, expect.error.status_code ?? expect.error.code, 'status of the error');
    return;
  }
  assert.equal(result.error, undefined);
  const { finished } = result;
  assert.deepEqual(
    finished.calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    expect.tool_calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments_raw })),
  );
  assert.equal(finished.reason, expect.finish_reason ?? (expect.tool_calls.length > 0 ? 'tool_calls' : 'stop'));
  checkUsage(recording, result);
  if (expect.reasoning_details_merged !== undefined) {
    const details = finished.thinking_data?.['details'] as Record<string, unknown>[];
    assert.deepEqual(details.map(hashed), expect.reasoning_details_merged);
  }
}

function checkUsage({ expect: { usage } }: Recording, { finished }: Result): void {
  if (usage === null) return assert.equal(finished.usage, undefined);
  const known = (value: number | null | undefined) => value ?? undefined;
  assert.equal(finished.usage?.input_tokens, known(usage['prompt_tokens']));
  assert.equal(finished.usage?.cached_tokens, known(usage['cached_tokens']));
  assert.equal(finished.usage?.reasoning_tokens, known(usage['reasoning_tokens']));
  // Output is what the total leaves: xAI counts reasoning beside the completion.
  const { total_tokens, prompt_tokens, completion_tokens } = usage;
  assert.equal(
    finished.usage?.output_tokens,
    total_tokens == null ? completion_tokens : total_tokens - (prompt_tokens ?? 0),
  );
}

/** The index holds long values as a length and a hash. */
function hashed(detail: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(detail).flatMap(([key, value]): [string, unknown][] => {
    if (typeof value !== 'string' || !['text', 'data', 'signature'].includes(key)) return [[key, value]];
    const hash: [string, unknown] = [`${key}_sha256`, sha256(value)];
    return key === 'signature' ? [hash] : [hash, [`${key}_length`, value.length]];
  });
  return Object.fromEntries(entries);
}

/** Where what we send differs from what the recording client sent, and why that is right. */
const DIFFERENCES: Record<string, { ours?: Record<string, unknown>; theirs?: Record<string, unknown>; why: string }> = {
  'deepseek-tool-split.sse': {
    ours: { reasoning_content: '' },
    why: 'newer models of the same endpoint refuse a message with calls and no reasoning_content; older ones ignore it',
  },
  'ollama-qwen3-reasoning-tool.sse': {
    theirs: { reasoning_content: 'any' },
    why: 'the server reads reasoning; the client sent both',
  },
  'ollama-cloud-gptoss-tool.sse': {
    theirs: { reasoning_content: 'any' },
    why: 'the server reads reasoning; the client sent both',
  },
  'groq-gptoss-reasoning-tool.sse': {
    theirs: { content: 'any' },
    why: 'the client made text of the thinking; Groq wants none back',
  },
  'openrouter-kimi-tools-parallel.sse': {
    theirs: { reasoning_details: 'any' },
    ours: { reasoning_details: 'any' },
    why: 'the client lost the first piece of the text; ours is the whole text, checked against reasoning_details_merged',
  },
};

function checkFollowup(recording: Recording, { text, thinking, finished }: Result): void {
  const data = finished.thinking_data;
  const message: Message = {
    role: 'assistant',
    content: text,
    ...(thinking === '' && data === undefined
      ? {}
      : { thinking: [data === undefined ? { text: thinking } : { text: thinking, data }] }),
    calls: finished.calls.map((call) => ({ ...call, id: call.id ?? 'minted' })),
  };
  const to = {
    base_url: BASE_URLS[recording.provider] ?? 'https://host.example/v1',
    model: recording.request?.model ?? 'model',
  };
  const [sent] = wireMessages([message], to);
  const accepted = recording.accepted_followup?.appended.find((candidate) => 'tool_calls' in candidate);
  assert.ok(sent !== undefined && accepted !== undefined);
  const { ours = {}, theirs = {} } = DIFFERENCES[recording.file] ?? {};
  assert.deepEqual(without(normal(sent), ours), without(normal(accepted), theirs));
}

function without(message: Record<string, unknown>, keys: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !(key in keys)));
}

/** No text is null, "" or an absent key; arguments are equal as JSON. */
function normal(message: Record<string, unknown>): Record<string, unknown> {
  const { content, tool_calls, ...rest } = message;
  const calls = (tool_calls as { function: { arguments: string } }[]).map((call) => ({
    ...call,
    function: { ...call.function, arguments: JSON.parse(call.function.arguments) as unknown },
  }));
  return { ...rest, ...(content == null || content === '' ? {} : { content }), tool_calls: calls };
}
