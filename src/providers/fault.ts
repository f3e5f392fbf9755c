/** What a server says when it refuses: one reading for every envelope in use, and what kind of fault it is. */
import { isObject, textAt, type Json } from './json.ts';
import type { ProviderErrorKind } from './provider.ts';

export interface Fault {
  /** In the server's words, on one line; empty when it gave none. */
  message: string;
  /** Its `code` and `type`, for {@link kindOf}. */
  code: string;
  /** An HTTP status that the body names, as errors inside a stream do; else 0. */
  status: number;
}

/** Nobody reads further. */
const LONGEST_BODY = 20_000;

/**
 * Reads `{error: {message, code, type}}`, `{error: "text"}`, `{detail: "text"}`, `{detail: [{msg}]}`, `{message, code}`, each of
 * them also inside a list, plain text, and a proxy's HTML page.
 */
export function readFault(body: unknown): Fault {
  const { message, codes } = read(body, 0);
  const status = codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code <= 599) ?? 0;
  return { message: oneLine(message), code: codes.join(' '), status };
}

function read(body: unknown, depth: number): { message: string; codes: string[] } {
  if (typeof body === 'string') return { message: body, codes: [] };
  if (Array.isArray(body)) return read(body[0], depth);
  if (!isObject(body) || depth > 4) return { message: '', codes: [] };
  const inner = body['error'] ?? body['message'] ?? body['detail'] ?? body['msg'];
  const below = read(inner, depth + 1);
  return {
    message: below.message + upstream(body),
    codes: [...codesOf(body), ...below.codes],
  };
}

function codesOf(body: Json): string[] {
  return ['status_code', 'code', 'type', 'status']
    .map((key) => body[key])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String);
}

/** OpenRouter's own words are often just "Provider returned error"; the reason stands in the metadata. */
function upstream(body: Json): string {
  const raw = isObject(body['metadata']) ? textAt(body['metadata']['raw']) : '';
  return raw === '' ? '' : ` (${raw})`;
}

function oneLine(text: string): string {
  const start = text.slice(0, LONGEST_BODY);
  const words = /<(!doctype|html|head|body)\b/i.test(start) ? textOfPage(start) : start;
  return words.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function textOfPage(html: string): string {
  const title = /<title[^>]*>([^<]+)/i.exec(html)?.[1] ?? '';
  const body = html.replace(/<(script|style|title)\b[\s\S]*?(<\/\1>|$)/gi, ' ').replace(/<[^>]*(>|$)/g, ' ');
  return `an HTML page: ${title} ${body}`;
}

/** Patterns of providers' texts, codes and types. An overflow is told by words alone at most of them. */
const WORDS = {
  rate_limit: /rate.?limit|too many requests|throttl|resource.?exhausted/i,
  // One request that is larger than a minute's allowance: waiting does not help, a shorter one does.
  too_large: /request too large|request_too_large|tokens must be reduced/i,
  overflow: new RegExp(
    [
      'context.?length.?exceeded|context.?window.?exceeded|exceed_context_size|too_many_prompt_tokens|string_above_max_length',
      'maximum context length|maximum prompt length|maximum allowed input length|maximum input length|max_model_len',
      'context (window|size|length)( size| limit)?( currently)? ?(is |was |has been )?(exceeded|exceeds|too small|available)',
      'exceeds? (the |this |your )?(model.?s |available )?(max(imum)? )?(context|input)',
      'exceed(s|ed) (the )?(model )?(token limit|limit of \\d|max(imum)? context)',
      '(prompt|input|conversation|request|messages?) (is |are )?(too long|too large|longer than)|total length of all messages is too long',
      'reduce the length of the (messages|prompt|input)|greater than the context length|too many (input )?tokens|maximum number of (input )?tokens',
      'max_tokens must be at least 1, got -',
    ].join('|'),
    'i',
  ),
  auth: /(incorrect|invalid|wrong|missing|no|expired|revoked) (api.?key|credentials?|authentication|auth token)|api.?key (is )?(not valid|invalid|expired|missing|required)|invalid_api_key|authentication_error|unauthori[sz]ed|unauthenticated/i,
  quota:
    /insufficient.?(quota|balance|credit|funds)|exceeded your current quota|billing|out of credits|payment required|credit balance|quota_exceeded/i,
  retry_in: /(retry|try again) in \d/i,
  model:
    /model.?not.?found|unknown.?model|invalid.?model|no such model|not a valid model|no endpoints found|model\b.{0,120}?(not found|does ?n.t exist|does not exist|not exist|is not available|not supported by any provider|no longer available)/i,
  moderation: /moderation|flagged|guardrail|content.?policy/i,
  server:
    /server_error|overloaded|internal.?(server )?error|service.?unavailable|unavailable|bad gateway|timed? ?out|timeout|upstream|insufficient_system_resource|api_error/i,
  request: /invalid_request|bad.?request|invalid.?argument|unprocessable|tool_use_failed|unsupported/i,
};

/** `status` is the response's, or the one that an error inside a stream names, or 0. */
export function kindOf(status: number, fault: Pick<Fault, 'message' | 'code'>): ProviderErrorKind {
  const words = `${fault.code} ${fault.message}`;
  if (status === 402) return 'quota';
  if (status === 413 || WORDS.too_large.test(words)) return 'context_overflow';
  if (status === 429 || (status !== 401 && WORDS.rate_limit.test(words)))
    return WORDS.quota.test(words) && !WORDS.retry_in.test(words) ? 'quota' : 'rate_limit';
  if (status === 401) return 'auth';
  if (WORDS.overflow.test(words)) return 'context_overflow';
  if (status === 403) return WORDS.moderation.test(words) ? 'bad_request' : 'auth';
  if (WORDS.auth.test(words)) return 'auth';
  if (WORDS.quota.test(words)) return 'quota';
  if (status < 500 && WORDS.model.test(words)) return 'model_not_found';
  if (status >= 500 || status === 408 || status === 409 || status === 425) return 'server';
  if (status >= 300) return 'bad_request';
  // Inside a stream, without a status: what the words say, and a fault of the server when they say nothing.
  return WORDS.request.test(words) && !WORDS.server.test(words) ? 'bad_request' : 'server';
}
