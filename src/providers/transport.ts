/**
 * The `openai` client for one request, and the `fetch` beneath it. The client reads `OPENAI_*` variables and adds headers of its
 * own; here it gets every option, and what leaves carries the configured headers and the key, nothing else.
 */
import OpenAI from 'openai';

import type { EventLines } from './eventLines.ts';

export interface Endpoint {
  base_url: string;
  key: string | undefined;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
}

/** The longest time that a timer takes; {@link Watch} decides how long a request may be silent. */
const NEVER_MS = 2 ** 31 - 1;

/** `lines` is what a streamed answer's body goes through; undefined for a request whose answer is one JSON text. */
export function openClient(endpoint: Endpoint, lines: EventLines | undefined): OpenAI {
  return new OpenAI({
    baseURL: endpoint.base_url,
    // Never sent: the headers are set below.
    apiKey: 'unused',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: NEVER_MS,
    fetch: async (url, init) => {
      const response = await endpoint.fetch(url, {
        ...init,
        headers: headersOf(endpoint, init?.body != null),
        // A key goes to no other address than the configured one.
        redirect: 'manual',
      });
      return lines === undefined || !response.ok
        ? response
        : new Response(eventsOf(response, lines), { headers: response.headers });
    },
  });
}

function eventsOf(response: Response, lines: EventLines): ReadableStream {
  const body: ReadableStream<Uint8Array> =
    response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  return body.pipeThrough(lines.stream());
}

function headersOf(endpoint: Endpoint, hasBody: boolean): Headers {
  const headers = new Headers({ accept: 'application/json', 'user-agent': 'polyglav' });
  if (hasBody) headers.set('content-type', 'application/json');
  if (endpoint.key !== undefined) headers.set('authorization', `Bearer ${endpoint.key}`);
  for (const [name, value] of Object.entries(endpoint.headers)) headers.set(name, value);
  return headers;
}
