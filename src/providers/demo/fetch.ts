/** An endpoint without a network: chat completions as server-sent events, and the list of its one model. */
import { setTimeout as pause } from 'node:timers/promises';

import { isObject, listAt, textAt, type Json } from '../json.ts';
import { demoStep, type Conversation, type Outcome, type Step } from './script.ts';

export function demoFetch(pace_ms: number): typeof fetch {
  return async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const signal = init?.signal ?? undefined;
    signal?.throwIfAborted();
    if (pathname.endsWith('/models')) return Response.json({ object: 'list', data: [{ id: 'demo', object: 'model' }] });
    const request: unknown = JSON.parse(textAt(init?.body));
    const step = demoStep(conversationOf(request));
    return new Response(paced(events(step, textAt(init?.body).length), pace_ms, signal), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
}

/** The last prompt, and what became of the calls made for it since. */
function conversationOf(request: unknown): Conversation {
  const body = isObject(request) ? request : {};
  const messages = listAt(body['messages']).filter(isObject);
  const at = messages.findLastIndex((message) => message['role'] === 'user');
  const since = messages.slice(at + 1);
  const calls = new Map(
    since.flatMap((message) => listAt(message['tool_calls']).filter(isObject)).map((call) => [call['id'], call]),
  );
  const outcomes = since
    .filter((message) => message['role'] === 'tool')
    .map((message): Outcome => {
      const fn = calls.get(message['tool_call_id'])?.['function'];
      return { tool: isObject(fn) ? textAt(fn['name']) : '', output: textAt(message['content']) };
    });
  const tools = listAt(body['tools']).map((tool) =>
    isObject(tool) && isObject(tool['function']) ? textAt(tool['function']['name']) : '',
  );
  return { prompt: textAt(messages[at]?.['content']), outcomes, tools: new Set(tools) };
}

/** The step as events of the wire. */
function* events(step: Step, requestLength: number): Generator<string> {
  const base = {
    id: 'chatcmpl-demo',
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model: 'demo',
  };
  const event = (delta: Json, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  yield event({ role: 'assistant', content: '' });
  for (const piece of piecesOf(step.thinking)) yield event({ reasoning_content: piece });
  for (const piece of piecesOf(step.text)) yield event({ content: piece });
  for (const [index, call] of step.calls.entries()) {
    // Ids must differ between the rounds of a conversation: it gives them back.
    const id = `call_demo_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
    yield event({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] });
    for (const piece of piecesOf(JSON.stringify(call.arguments)))
      yield event({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield event({}, step.calls.length > 0 ? 'tool_calls' : 'stop');
  yield `data: ${JSON.stringify({ ...base, choices: [], usage: usageOf(step, requestLength) })}\n\n`;
  yield 'data: [DONE]\n\n';
}

/** About four characters make a token. */
function usageOf(step: Step, requestLength: number): Json {
  const tokens = (characters: number) => Math.ceil(characters / 4);
  const prompt_tokens = tokens(requestLength);
  const reasoning_tokens = tokens(step.thinking.length);
  const completion_tokens = reasoning_tokens + tokens(step.text.length) + tokens(JSON.stringify(step.calls).length);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    completion_tokens_details: { reasoning_tokens },
  };
}

/** A few words at a time, as models stream. */
function piecesOf(text: string): string[] {
  return text.match(/\S{0,24}\s*(?:\S{1,12}\s*)?/gu)?.filter((piece) => piece !== '') ?? [];
}

function paced(pieces: Iterator<string>, pace_ms: number, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      if (pace_ms > 0) await pause(pace_ms, undefined, { signal });
      signal?.throwIfAborted();
      const next = pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}
