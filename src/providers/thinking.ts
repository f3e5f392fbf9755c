/**
 * The dialects of thinking: where a server puts it in its deltas, and how it wants it back. One answer uses one dialect; what is
 * stored for it (`thinking_data`) is only what the text of the thinking does not already say.
 */
import { isObject, listAt, textAt, type Json } from './json.ts';
import type { Thinking } from './provider.ts';

/** Plain text beside the content. */
type TextField = 'reasoning_content' | 'reasoning';

/** Joined from the deltas of one answer. */
export class ThinkingFields {
  #field: TextField | 'content' | undefined;
  /** OpenRouter's entries, one for each type and index, in the order of their first delta. */
  readonly #details: Json[] = [];
  /** Keys of Mistral's thinking parts beside the text. */
  #part: Json = {};

  /**
   * The thinking in one delta. A server that sends two fields sends the same text in both, so the first one that is not empty
   * counts.
   */
  push(delta: Json): string {
    const details = listAt(delta['reasoning_details']).filter(isObject);
    for (const detail of details) this.#merge(detail);
    for (const field of ['reasoning_content', 'reasoning'] as const) {
      const text = textAt(delta[field]);
      if (text !== '') {
        this.#field ??= field;
        return text;
      }
    }
    const detailed = details.map((detail) => textAt(detail['text']) || textAt(detail['summary'])).join('');
    return detailed !== '' ? detailed : this.#thinkingParts(delta['content']);
  }

  /** What must be kept to send this thinking back; undefined when there was none. */
  data(): Json | undefined {
    if (this.#details.length > 0) return { field: 'reasoning_details', details: this.#details };
    if (this.#field === 'content') return { field: 'content', part: this.#part };
    return this.#field === undefined ? undefined : { field: this.#field };
  }

  #thinkingParts(content: unknown): string {
    let text = '';
    for (const part of listAt(content)) {
      if (!isObject(part) || part['type'] !== 'thinking') continue;
      const { thinking, ...rest } = part;
      text +=
        typeof thinking === 'string'
          ? thinking
          : listAt(thinking)
              .map((piece) => (isObject(piece) ? textAt(piece['text']) : ''))
              .join('');
      this.#field ??= 'content';
      this.#part = { ...this.#part, ...rest };
    }
    return text;
  }

  #merge(detail: Json): void {
    const encrypted = detail['type'] === 'reasoning.encrypted';
    const known = this.#details.find((other) => other['type'] === detail['type'] && other['index'] === detail['index']);
    if (known === undefined || encrypted) {
      this.#details.push({ ...detail });
      return;
    }
    for (const [key, value] of Object.entries(detail)) {
      if (key === 'text' || key === 'summary') known[key] = textAt(known[key]) + textAt(value);
      // A signature comes alone in a late delta, and later deltas may carry an empty one.
      else if (value !== null && value !== '') known[key] = value;
    }
  }
}

/** Content of an assistant message: null where there is no text, a list where the dialect wants its thinking there. */
type AssistantContent = string | null | Json[];

/**
 * An assistant message's content and thinking as the server that wrote it wants them back: in the field it came by, verbatim.
 * Thinking without data was written by somebody else and is left out.
 */
export function withThinking(content: string, thinking: readonly Thinking[]): { content: AssistantContent } & Json {
  const plain = { content: content === '' ? null : content };
  const data = thinking.findLast((entry) => entry.data?.['field'] !== undefined)?.data;
  if (data === undefined) return plain;
  const text = thinking.map((entry) => entry.text).join('');
  switch (data['field']) {
    case 'reasoning_content':
      return { ...plain, reasoning_content: text };
    case 'reasoning':
      return { ...plain, reasoning: text };
    case 'reasoning_details':
      return { ...plain, reasoning_details: data['details'] };
    case 'content': {
      const part = {
        ...(isObject(data['part']) ? data['part'] : {}),
        type: 'thinking',
        thinking: [{ type: 'text', text }],
      };
      return { content: content === '' ? [part] : [part, { type: 'text', text: content }] };
    }
    default:
      return plain;
  }
}
