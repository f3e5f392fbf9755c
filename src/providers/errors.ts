/**
 * Whatever goes wrong with one request, as a {@link ProviderError} for a person: what happened, in the provider's words where it
 * gave any, which provider and model, and what to do. Keys never stand in it (R15), and nothing foreign is attached as its cause.
 */
import { APIConnectionError, APIError } from 'openai';

import { kindOf, readFault, type Fault } from './fault.ts';
import { isObject } from './json.ts';
import { ProviderError, type ProviderErrorKind } from './provider.ts';
import { retryAfter } from './retryAfter.ts';
import { SilenceError } from './watch.ts';
import { shorten } from './wellFormed.ts';

/** What an error message needs to know of the request. */
export interface RequestContext {
  provider: string;
  /** Absent for a request that lists models; its error then leaves it to the caller to name the provider. */
  model?: string;
  base_url: string;
  api_key_env: string | undefined;
  idle_ms: number;
  /** Key and header values, which are taken out of every text. */
  secrets: readonly string[];
}

/** An answer that arrived and is no valid one. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly kind: ProviderErrorKind;

  constructor(message: string, kind: ProviderErrorKind = 'malformed') {
    super(message);
    this.kind = kind;
  }
}

/** A stream without a single event. */
export class EmptyStreamError extends Error {
  override readonly name = 'EmptyStreamError';
}

/** An error that the server put into a stream that had begun with status 200 (T2). */
export class StreamedError extends Error {
  override readonly name = 'StreamedError';
  readonly body: unknown;

  constructor(body: unknown) {
    super('the server sent an error');
    this.body = body;
  }
}

/** `received` is how the answer's body began, and the data of its last event, as far as there was any. */
export function providerError(
  error: unknown,
  context: RequestContext,
  received: { head: string; lastData: string },
): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof SilenceError) return silence(context);
  if (error instanceof AnswerError) return failure(context, error.kind, `${error.message}.`);
  if (error instanceof EmptyStreamError) return noEvents(received.head, context);
  if (error instanceof StreamedError) return refusal(readFault(error.body), undefined, context);
  if (error instanceof APIConnectionError) return unreachable(error, context);
  if (error instanceof APIError) {
    const { status, headers } = error as APIError;
    // The headers of an answer that began well say nothing of the error in it: some send retry-after with status 200.
    const response = status === undefined || headers === undefined ? undefined : { status, headers };
    return refusal(faultOf(error as APIError), response, context);
  }
  if (error instanceof SyntaxError) return unreadable(received.lastData, context);
  const code = codeOf(error);
  if (code === 'UND_ERR_BODY_TIMEOUT') return silence(context);
  const words = code || excerpt(error instanceof Error ? error.message : String(error), context);
  return failure(context, 'network', `the request broke off (${words}). Try again.`);
}

/** No key where the configuration names one: said before anything is sent. */
export function noKey(context: RequestContext, problem: string): ProviderError {
  return failure(context, 'auth', `${problem} ${ADVICE.auth(context)}`);
}

function refusal(
  fault: Fault,
  response: { status: number; headers: Headers } | undefined,
  context: RequestContext,
): ProviderError {
  const location = response?.headers.get('location') ?? undefined;
  if (response !== undefined && response.status < 400 && location !== undefined) {
    const text =
      `${response.status} the address leads on to ${excerpt(location, context)}, and nothing is sent there by itself. ` +
      `Set base_url under providers.${context.provider} to the new address.`;
    return failure(context, 'bad_request', text, { status: response.status });
  }
  const status = response?.status ?? fault.status;
  const kind = kindOf(status, fault);
  const words = fault.message === '' ? 'the server gave no reason' : excerpt(fault.message, context, LONGEST_REASON);
  const said = `${status === 0 ? '' : `${status} `}${/[.!?…)]$/.test(words) ? words : `${words}.`}`;
  const advice = status === 404 && kind === 'bad_request' ? notThere(context) : ADVICE[kind](context);
  return failure(context, kind, `${said} ${advice}`, {
    status,
    retry_after_ms: retryAfter(response?.headers, Date.now()),
  });
}

/** The body of an error response or of an error event; text that is no JSON stands in the message, behind the status. */
function faultOf(error: APIError): Fault {
  if (error.error !== undefined) return readFault(error.error);
  const text = error.message.replace(/^\d+ /, '');
  return readFault(text === 'status code (no body)' ? '' : text);
}

function unreachable(error: APIConnectionError, context: RequestContext): ProviderError {
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return silence(context);
  const untrusted = /CERT|SELF_SIGNED|TLS|SSL/.test(code);
  const why = code || excerpt(causes(error).at(-1)?.message ?? '', context);
  const advice = untrusted
    ? 'Its certificate is not trusted on this machine.'
    : `Check that it is running and that base_url under providers.${context.provider} is right.`;
  const text = `cannot reach ${context.base_url} (${why}). ${advice}`;
  return failure(context, 'network', text, { retryable: !untrusted });
}

function silence(context: RequestContext): ProviderError {
  const seconds = Math.round(context.idle_ms / 1000);
  const text = `nothing came for ${seconds} s, so the request was given up. Try again, or choose another model.`;
  return failure(context, 'idle', text);
}

function noEvents(head: string, context: RequestContext): ProviderError {
  const start = excerpt(readFault(head).message, context);
  if (start === '')
    return failure(
      context,
      'malformed',
      'the answer was empty: the server closed it without sending anything. Try again.',
    );
  const text = `the answer was no event stream; it begins with: ${start}`;
  // A web page: the address is that of something else.
  return /^\s*</.test(head)
    ? failure(context, 'bad_request', `${text}\n${notThere(context)}`)
    : failure(context, 'malformed', text);
}

function unreadable(lastData: string, context: RequestContext): ProviderError {
  const at = lastData === '' ? '' : ` It broke off or is no JSON at: ${excerpt(lastData, context)}`;
  return failure(context, 'malformed', `the answer could not be read.${at}`);
}

function notThere(context: RequestContext): string {
  return `Check base_url under providers.${context.provider} (${context.base_url}); it usually ends in /v1.`;
}

const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set(['rate_limit', 'server', 'network', 'idle', 'malformed']);

const ADVICE: Record<ProviderErrorKind, (context: RequestContext) => string> = {
  auth: ({ api_key_env, provider }) =>
    api_key_env === undefined
      ? `Name the environment variable that holds the key in api_key_env under providers.${provider}.`
      : `Check the key in the environment variable ${api_key_env}, and restart the editor or terminal after you change it.`,
  quota: () => 'The account has no credit or quota left: add some at the provider, or choose another model.',
  rate_limit: () => 'Too much was asked in a short time: try again in a moment.',
  context_overflow: () =>
    'The conversation is too long for this model: start a new session, or choose a model with a larger window.',
  model_not_found: ({ base_url, model }) =>
    /^https?:\/\/[^/]+:11434\b/.test(base_url) && model !== undefined
      ? `Get it with: ollama pull ${model}`
      : 'Choose one of its models with /model.',
  bad_request: () => '',
  server: () => 'The fault is on the side of the provider: try again in a moment.',
  network: () => '',
  idle: () => '',
  malformed: () => '',
};

function failure(
  context: RequestContext,
  kind: ProviderErrorKind,
  text: string,
  more: { status?: number; retry_after_ms?: number | undefined; retryable?: boolean } = {},
): ProviderError {
  const subject = context.model === undefined ? '' : `${context.provider}/${context.model}: `;
  const retryable = more.retryable ?? RETRYABLE.has(kind);
  return new ProviderError(withoutSecrets(`${subject}${text.trim()}`, context), {
    kind,
    status: more.status ?? 0,
    retryable,
    retry_after_ms: retryable ? more.retry_after_ms : undefined,
  });
}

const LONGEST_REASON = 500;

/** Foreign words, shortened after the keys were taken out: half a key would not be found any more. */
function excerpt(text: string, context: RequestContext, most = 200): string {
  return shorten(withoutSecrets(text.replace(/\s+/g, ' ').trim(), context), most);
}

function withoutSecrets(text: string, { secrets }: RequestContext): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[key]'), text).toWellFormed();
}

/** The error and what it was caused by, outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}

/** `ECONNREFUSED` and the like, wherever in the chain it stands; where several addresses were tried, that of the first. */
function codeOf(error: unknown): string {
  for (const cause of causes(error)) {
    const tried: unknown = cause instanceof AggregateError ? cause.errors[0] : undefined;
    for (const candidate of [cause, tried])
      if (isObject(candidate) && typeof candidate['code'] === 'string') return candidate['code'];
  }
  return '';
}
