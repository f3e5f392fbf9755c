/**
 * An OpenAI-compatible server on 127.0.0.1 that answers as a test's script says, over real HTTP: for the states that a real
 * model cannot be asked for (an error in mid-stream, a cut line, a wrong key), and for what was really sent.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { complaintAbout, type Message } from './requestRules.ts';

/** One thing that a streamed answer does. */
export type Step =
  /** `pace`: sent word by word, this many ms apart. */
  | { text: string; pace?: number }
  /** `field`: the dialect; `reasoning_content` unless told. */
  | { thinking: string; field?: string }
  /** Arguments that are a string are sent as they are, valid or not. Without an id: `call_<n>`. */
  | { call: string; arguments?: string | Record<string, unknown>; id?: string }
  | { delay: number }
  /** Bytes of the stream, `data:` and line ends included. */
  | { raw: string }
  /** Without one: `tool_calls` after a call, else `stop`. */
  | { finish: string }
  | { usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } }
  /** The connection breaks here. */
  | { cut: true }
  /** Nothing more comes, and the connection stays open. */
  | { hang: true };

/** A streamed answer, an HTTP error, or either of them worked out from the request. */
export type Reply =
  | Step[]
  | { status: number; message: string; code?: string; headers?: Record<string, string> }
  | ((request: RecordedRequest) => Step[]);

export interface RecordedRequest {
  path: string;
  headers: http.IncomingHttpHeaders;
  /** As it came over the wire. */
  text: string;
  body: { model: string; messages: Message[]; stream?: boolean; tools?: unknown[] } & Record<string, unknown>;
}

interface Options {
  /** Other keys are answered with 401. */
  key?: string;
  /** Refuse with 400 what any strict provider would refuse; see requestRules.ts. */
  strict?: boolean;
  /** In strict mode. */
  tokenLimit?: number;
  replies?: Reply[];
}

export class MockProvider {
  /** Every chat request, those that were refused included. */
  readonly requests: RecordedRequest[] = [];
  /** What strict mode refused: a test that expects a valid conversation asserts that this is empty. */
  readonly refusals: string[] = [];
  private readonly replies: Reply[];
  private readonly options: Options;
  private readonly server: http.Server;
  private calls = 0;

  private constructor(options: Options) {
    this.options = options;
    this.replies = [...(options.replies ?? [])];
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(options: Options = {}): Promise<MockProvider> {
    const provider = new MockProvider(options);
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  /** The `base_url` of a configuration. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Adds replies behind those that are left; each request takes one. */
  reply(...replies: Reply[]): void {
    this.replies.push(...replies);
  }

  /** Breaks open streams off and stops listening. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const { key, strict, tokenLimit } = this.options;
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      return refuse(response, 401, 'Incorrect API key provided.', 'invalid_api_key');
    }
    if (request.method === 'GET' && request.url === '/v1/models') {
      return json(response, 200, { object: 'list', data: [{ id: 'mock-model', object: 'model', owned_by: 'mock' }] });
    }
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      return refuse(response, 404, `Unknown request URL: ${request.method ?? ''} ${request.url ?? ''}`, 'unknown_url');
    }
    const recorded: RecordedRequest = {
      path: request.url,
      headers: request.headers,
      text,
      body: JSON.parse(text) as RecordedRequest['body'],
    };
    this.requests.push(recorded);
    const complaint = strict ? complaintAbout(text, tokenLimit) : undefined;
    if (complaint) {
      this.refusals.push(complaint.message);
      return refuse(response, 400, complaint.message, complaint.code);
    }
    const reply = this.replies.shift();
    if (reply === undefined) return refuse(response, 400, 'The mock provider has no reply left.', 'no_reply');
    if ('status' in reply) {
      return refuse(response, reply.status, reply.message, reply.code ?? null, reply.headers);
    }
    await this.stream(response, recorded, typeof reply === 'function' ? reply(recorded) : reply);
  }

  private async stream(response: http.ServerResponse, { body }: RecordedRequest, steps: Step[]): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const about = { id: 'chatcmpl-mock', object: 'chat.completion.chunk', created: 1, model: body.model };
    const send = (more: object): void => void response.write(`data: ${JSON.stringify({ ...about, ...more })}\n\n`);
    const delta = (part: object, finish: string | null = null): void =>
      send({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

    let calls = 0;
    let finish: string | undefined;
    const wantsUsage = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true;
    let usage: object = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

    delta({ role: 'assistant', content: '' });
    for (const step of steps) {
      if (response.destroyed) return;
      if ('text' in step) {
        const pieces = step.pace === undefined ? [step.text] : step.text.split(/(?<=\s)/);
        for (const [index, content] of pieces.entries()) {
          if (index > 0) await wait(step.pace);
          delta({ content });
        }
      } else if ('thinking' in step) delta({ [step.field ?? 'reasoning_content']: step.thinking });
      else if ('call' in step) {
        this.calls += 1;
        const given = step.arguments ?? {};
        const call = { name: step.call, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
        const id = step.id ?? `call_${this.calls}`;
        delta({ tool_calls: [{ index: calls, id, type: 'function', function: call }] });
        calls += 1;
      } else if ('delay' in step) await wait(step.delay);
      else if ('raw' in step) response.write(step.raw);
      else if ('finish' in step) delta({}, (finish = step.finish));
      else if ('usage' in step) usage = step.usage;
      else if ('hang' in step) return;
      else {
        // Give what was written the time to leave, or the other side sees less than the script says.
        await wait(20);
        response.destroy();
        return;
      }
    }
    if (finish === undefined) delta({}, calls > 0 ? 'tool_calls' : 'stop');
    if (wantsUsage) send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  }
}

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

/** OpenAI's error envelope. */
function refuse(
  response: http.ServerResponse,
  status: number,
  message: string,
  code: string | null,
  headers: Record<string, string> = {},
): void {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  json(response, status, { error: { message, type, param: null, code } }, headers);
}

function json(
  response: http.ServerResponse,
  status: number,
  value: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
