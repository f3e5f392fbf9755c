/**
 * What the turn needs of a provider: one request in, a stream of what arrives out. Each dialect is one file that implements
 * {@link Provider}; nothing outside it knows how the provider speaks.
 */

/** Role order and the pairing of calls and results are already valid for a strict provider (X1). */
export type Message =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; thinking?: Thinking[]; calls?: ToolCall[] }
  | { role: 'tool'; call_id: string; name: string; content: string };

export interface Thinking {
  text: string;
  /** `provider_data` of the thinking part, only when this provider wrote it. */
  data?: Record<string, unknown>;
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text of an object. */
  arguments: string;
  data?: Record<string, unknown>;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the argument object. */
  parameters: Record<string, unknown>;
}

export interface ProviderRequest {
  /** The provider's own model name, without the `<provider>/` prefix. */
  model: string;
  messages: Message[];
  tools: ToolDefinition[];
  /** `false`/`"off"`, or an effort value; undefined = not configured, send nothing. */
  reasoning?: string | boolean | undefined;
  max_output_tokens?: number | undefined;
  signal: AbortSignal;
}

export interface TokenUsage {
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  reasoning_tokens?: number;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** A call as the stream gave it: `arguments` is the text as it came, which may be no JSON. */
export interface StreamedCall {
  /** The provider's id, or null when it sent none. */
  id: string | null;
  name: string;
  arguments: string;
  data?: Record<string, unknown>;
}

/**
 * In stream order. `thinking`/`text` carry pieces, never cut inside a code point. `finished` comes exactly once, last, and holds
 * the whole calls in the stream's order.
 */
export type ProviderEvent =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string }
  | {
      type: 'finished';
      reason: FinishReason;
      calls: StreamedCall[];
      usage?: TokenUsage;
      /** To store on the thinking part of this answer and give back verbatim. */
      thinking_data?: Record<string, unknown>;
    };

export type ProviderErrorKind =
  | 'auth'
  | 'rate_limit'
  | 'quota'
  | 'context_overflow'
  | 'model_not_found'
  | 'bad_request'
  | 'server'
  | 'network'
  | 'idle'
  | 'malformed';

/** The only error that `stream` throws, apart from the abort reason after `signal` fired. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** HTTP status, or 0 where there is none; an entry in `errors` records it (R12). */
  readonly status: number;
  /** Worth the same request again, after `retry_after_ms` if given. */
  readonly retryable: boolean;
  readonly retry_after_ms: number | undefined;

  /** `message` is for a person: what happened, in the provider's words where it gave any, and what to do. */
  constructor(
    message: string,
    detail: {
      kind: ProviderErrorKind;
      status?: number;
      retryable?: boolean;
      retry_after_ms?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = detail.kind;
    this.status = detail.status ?? 0;
    this.retryable = detail.retryable ?? false;
    this.retry_after_ms = detail.retry_after_ms;
  }
}

export interface Provider {
  /** The name under `providers` in the configuration; `provider_data` written under one name goes back to that name alone. */
  readonly name: string;
  /** One attempt, no retries. Aborting ends the stream within moments and throws `signal.reason`. */
  stream(request: ProviderRequest): AsyncIterable<ProviderEvent>;
  /** Model names that the endpoint lists; may throw {@link ProviderError}. */
  models(signal: AbortSignal): Promise<string[]>;
}
