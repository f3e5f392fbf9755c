/**
 * Any endpoint that speaks OpenAI chat completions (T1, T2), through the `openai` client's raw stream: its helpers refuse what
 * compatible servers send. One request is one attempt; whether it is worth another is said by the error, and decided elsewhere.
 */
import type OpenAI from 'openai';

import { headerSecrets, variable } from '../config/secretValues.ts';
import { ChatAnswer } from './chatAnswer.ts';
import { chatRequest } from './chatRequest.ts';
import { EmptyStreamError, noKey, providerError, type RequestContext } from './errors.ts';
import { EventLines } from './eventLines.ts';
import { isObject, listAt, textAt } from './json.ts';
import type { Provider, ProviderEvent, ProviderRequest } from './provider.ts';
import { openClient, type Endpoint } from './transport.ts';
import { Watch } from './watch.ts';

export interface ChatOptions {
  /** The name under `providers` in the configuration. */
  name: string;
  base_url: string;
  /** Name of the environment variable that holds the key; without it no Authorization header is sent. */
  api_key_env?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  env: NodeJS.ProcessEnv;
  fetch?: typeof fetch | undefined;
  /**
   * Milliseconds that the server may be silent, before its first event and between two. Only events count: a proxy can send
   * keep-alive comments for ever. Node's own fetch gives up after five minutes without a byte, so more has no effect.
   */
  idle_ms?: number | undefined;
}

const IDLE_MS = 120_000;

export function chatProvider(options: ChatOptions): Provider {
  return {
    name: options.name,
    stream: (request) => stream(options, request),
    models: (signal) => models(options, signal),
  };
}

async function* stream(options: ChatOptions, request: ProviderRequest): AsyncGenerator<ProviderEvent, void, undefined> {
  const { endpoint, context } = open(options, request.model);
  const watch = new Watch(request.signal, context.idle_ms);
  const lines = new EventLines();
  const answer = new ChatAnswer();
  try {
    const client = openClient(endpoint, lines);
    // The body is checked where it is built; the client's types know neither other servers' keys nor their values.
    const body = chatRequest(request, options.base_url) as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
    const chunks = await watch.step(() => client.chat.completions.create(body, { signal: watch.signal }));
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = await watch.step(() => iterator.next());
      if (next.done === true) break;
      yield* answer.push(next.value);
    }
    // The client ends an aborted stream without a word.
    request.signal.throwIfAborted();
    if (answer.empty) throw new EmptyStreamError();
    yield* answer.end();
  } catch (error) {
    request.signal.throwIfAborted();
    throw providerError(error, context, lines);
  } finally {
    watch.close();
  }
}

async function models(options: ChatOptions, signal: AbortSignal): Promise<string[]> {
  const { endpoint, context } = open(options, undefined);
  const watch = new Watch(signal, context.idle_ms);
  try {
    const client = openClient(endpoint, undefined);
    const list = await watch.step(() => client.get<unknown>('/models', { signal: watch.signal }));
    // Some servers answer with the bare list.
    const entries = isObject(list) ? listAt(list['data']) : listAt(list);
    return entries.flatMap((entry) => (isObject(entry) ? [textAt(entry['id'])] : [])).filter((id) => id !== '');
  } catch (error) {
    signal.throwIfAborted();
    throw providerError(error, context, { head: '', lastData: '' });
  } finally {
    watch.close();
  }
}

/** Reads the key at the time of the request, so that a changed environment counts at once. Throws when it should be there and is not. */
function open(options: ChatOptions, model: string | undefined): { endpoint: Endpoint; context: RequestContext } {
  const { name, base_url, api_key_env, env } = options;
  const headers = options.headers ?? {};
  const key = api_key_env === undefined ? undefined : (variable(env, api_key_env) ?? '');
  const context: RequestContext = {
    provider: name,
    ...(model === undefined ? {} : { model }),
    base_url,
    api_key_env,
    idle_ms: options.idle_ms ?? IDLE_MS,
    secrets: secretsIn(key, headers),
  };
  if (key === '') throw noKey(context, `there is no key: the environment variable ${api_key_env ?? ''} is not set.`);
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw noKey(
      context,
      `the key in ${api_key_env ?? ''} has characters that cannot be sent (spaces, line breaks or letters beyond ASCII).`,
    );
  return { endpoint: { base_url, key, headers, fetch: options.fetch ?? globalThis.fetch }, context };
}

/** The key, and what in a header may be one. Taking out shorter words would garble the message. */
function secretsIn(key: string | undefined, headers: Readonly<Record<string, string>>): string[] {
  const words = Object.values(headers).flatMap((value) => value.split(/\s+/));
  const known = headerSecrets(headers).map(({ value }) => value);
  return [...[key ?? '', ...known].filter((word) => word.length >= 8), ...words.filter((word) => word.length >= 16)];
}
