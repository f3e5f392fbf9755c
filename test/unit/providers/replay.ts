/** A provider over bytes instead of a network, for the tests of this folder and of test/conformance. */
import { chatProvider, type ChatOptions } from '../../../src/providers/chat.ts';
import type { Message, ProviderEvent, ProviderRequest, ToolDefinition } from '../../../src/providers/provider.ts';

export type Finished = Extract<ProviderEvent, { type: 'finished' }>;

/** One request as it left, with its body parsed. */
export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  redirect: string | undefined;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Network chunks, in order. */
  chunks: Iterable<Uint8Array>;
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function reply(text: string, more: Omit<Reply, 'chunks'> = {}): Reply {
  return { headers: { 'content-type': 'text/event-stream' }, ...more, chunks: [bytes(text)] };
}

/** Each value as one event, then `[DONE]`. */
export function sse(...chunks: unknown[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

/** A chunk with this delta. */
export function delta(delta: Record<string, unknown>, finish_reason: string | null = null): Record<string, unknown> {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
}

/** A `fetch` that answers with `answer` and notes what was sent. */
export function replayFetch(answer: Reply, sent: Sent[] = []): typeof fetch {
  return async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
    sent.push({ url: input instanceof Request ? input.url : String(input), headers, body, redirect: init?.redirect });
    const source = answer.chunks[Symbol.iterator]();
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = source.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    });
    return new Response(stream, { status: answer.status ?? 200, headers: answer.headers ?? {} });
  };
}

export function replaying(answer: Reply, options: Partial<ChatOptions> = {}, sent: Sent[] = []) {
  return chatProvider({
    name: 'test',
    base_url: 'http://localhost:1/v1',
    env: {},
    fetch: replayFetch(answer, sent),
    ...options,
  });
}

export const TOOL: ToolDefinition = {
  name: 'file_read',
  description: 'Reads a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
};

export function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  const messages: Message[] = [{ role: 'user', content: 'Hello' }];
  return { model: 'm', messages, tools: [], signal: new AbortController().signal, ...more };
}

/** What an answer came to. */
export interface Collected {
  events: ProviderEvent[];
  text: string;
  thinking: string;
  finished: Finished;
}

export async function collect(stream: AsyncIterable<ProviderEvent>): Promise<Collected> {
  const events: ProviderEvent[] = [];
  for await (const event of stream) events.push(event);
  const last = events.at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return { events, text: textOf(events, 'text'), thinking: textOf(events, 'thinking'), finished: last };
}

export function textOf(events: readonly ProviderEvent[], type: 'text' | 'thinking'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

/** Answers the text given as one reply. */
export async function answerTo(text: string, options: Partial<ChatOptions> = {}): Promise<Collected> {
  return collect(replaying(reply(text), options).stream(request()));
}
