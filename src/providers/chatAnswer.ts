/**
 * Joins the chunks of one streamed chat completion into events. It believes no chunk: each key may be missing, null, of another
 * type or repeated, and every server does one of these. A whole answer of a server that does not stream reads as one chunk.
 */
import { CallMerge } from './callMerge.ts';
import { AnswerError, StreamedError } from './errors.ts';
import { isObject, listAt, numberAt, objectAt, textAt, type Json } from './json.ts';
import type { FinishReason, ProviderEvent, StreamedCall, TokenUsage } from './provider.ts';
import { ThinkingFields } from './thinking.ts';
import { Pieces } from './wellFormed.ts';

export class ChatAnswer {
  #chunks = 0;
  readonly #thinking = new ThinkingFields();
  readonly #calls = new CallMerge();
  readonly #pieces = { thinking: new Pieces(), text: new Pieces() };
  #hasText = false;
  #finish = '';
  #usage: Json | undefined;

  /** Whether anything arrived that was a chunk at all. */
  get empty(): boolean {
    return this.#chunks === 0;
  }

  /** Throws {@link StreamedError} for a chunk that is an error. */
  push(chunk: unknown): ProviderEvent[] {
    const data: unknown = Array.isArray(chunk) ? chunk[0] : chunk;
    if (!isObject(data)) return [];
    if (isError(data)) throw new StreamedError(data);
    this.#chunks++;
    const choice = objectAt(listAt(data['choices'])[0]);
    // Some servers put the usage into the choice, or into a key of their own.
    for (const usage of [data['usage'], choice['usage'], objectAt(data['x_groq'])['usage']]) {
      if (isObject(usage)) {
        this.#usage = usage;
        break;
      }
    }
    this.#finish = textAt(choice['finish_reason']) || this.#finish;
    const delta = isObject(choice['delta']) ? choice['delta'] : objectAt(choice['message']);
    this.#calls.push(delta['tool_calls']);
    return [
      ...this.#say('thinking', this.#thinking.push(delta)),
      ...this.#say('text', contentText(delta['content']) + textAt(delta['refusal'])),
    ];
  }

  /** The rest of the text, then `finished`. Throws {@link AnswerError} when what came is no answer. */
  end(): ProviderEvent[] {
    const calls = this.#calls.calls();
    const reason = this.#reason(calls);
    const usage = this.#usage === undefined ? undefined : tokenUsage(this.#usage);
    const thinking_data = this.#thinking.data();
    return [
      ...this.#rest('thinking'),
      ...this.#rest('text'),
      {
        type: 'finished',
        reason,
        calls,
        ...(usage === undefined ? {} : { usage }),
        ...(thinking_data === undefined ? {} : { thinking_data }),
      },
    ];
  }

  #say(type: 'thinking' | 'text', piece: string): ProviderEvent[] {
    if (type === 'text' && piece !== '') this.#hasText = true;
    const text = this.#pieces[type].push(piece);
    return text === '' ? [] : [{ type, text }];
  }

  #rest(type: 'thinking' | 'text'): ProviderEvent[] {
    const text = this.#pieces[type].end();
    return text === '' ? [] : [{ type, text }];
  }

  /** The last reason that was given counts; without one, what arrived tells how the answer ended. */
  #reason(calls: StreamedCall[]): FinishReason {
    if (calls.some((call) => call.name === ''))
      throw new AnswerError('the model sent a tool call without the name of a tool');
    switch (this.#finish) {
      case 'length':
      case 'max_tokens':
        return 'length';
      case 'content_filter':
        return 'content_filter';
      case 'model_context_window_exceeded':
        throw new AnswerError('the conversation has outgrown the context window of this model', 'context_overflow');
      case 'error':
      case 'insufficient_system_resource':
        throw new AnswerError(`the provider broke the answer off (${this.#finish})`, 'server');
      case 'tool_calls':
      case 'function_call':
        // A lost call must not pass for an answer (T2).
        if (calls.length === 0) throw new AnswerError('the model said that it calls a tool, but sent no call');
        return 'tool_calls';
      case '':
        if (calls.length === 0 && !this.#hasText) throw new AnswerError('the answer broke off before it said anything');
        return calls.length > 0 ? 'tool_calls' : 'stop';
      default:
        return calls.length > 0 ? 'tool_calls' : 'stop';
    }
  }
}

/** An `error` key is an error wherever it stands; a body without choices that has a message is one, too. */
function isError(data: Json): boolean {
  if (data['error'] != null && data['error'] !== false && data['error'] !== '') return true;
  if ('choices' in data) return false;
  return (
    data['object'] === 'error' ||
    data['type'] === 'error' ||
    typeof data['message'] === 'string' ||
    data['detail'] != null
  );
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listAt(content)
    .map((part) => (isObject(part) && part['type'] === 'text' ? textAt(part['text']) : ''))
    .join('');
}

/**
 * Cached tokens are among the input tokens everywhere. Reasoning tokens are among the completion tokens at most servers and beside
 * them at xAI, so the output is what the total leaves, where there is one.
 */
function tokenUsage(usage: Json): TokenUsage | undefined {
  const input = numberAt(usage['prompt_tokens']);
  const total = numberAt(usage['total_tokens']);
  const completion = numberAt(usage['completion_tokens']);
  const rest = input === undefined || total === undefined ? undefined : total - input;
  const output = rest === undefined || rest < (completion ?? 0) ? completion : rest;
  const cached =
    numberAt(objectAt(usage['prompt_tokens_details'])['cached_tokens']) ?? numberAt(usage['prompt_cache_hit_tokens']);
  const reasoning = numberAt(objectAt(usage['completion_tokens_details'])['reasoning_tokens']);
  const counts: TokenUsage = {
    ...(input === undefined ? {} : { input_tokens: input }),
    ...(output === undefined ? {} : { output_tokens: output }),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
  };
  return Object.keys(counts).length === 0 ? undefined : counts;
}
