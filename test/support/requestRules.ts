/** The rules that strict chat-completions endpoints hold a request to; between them the providers enforce all of these. */

export interface Message {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface Complaint {
  message: string;
  code: string | null;
}

/**
 * What a strict provider would refuse about this request; undefined when nothing.
 *
 * @param tokenLimit counted as four characters of the body each
 */
export function complaintAbout(body: string, tokenLimit = Infinity): Complaint | undefined {
  const tokens = Math.ceil(body.length / 4);
  if (tokens > tokenLimit) {
    return {
      message: `This model's maximum context length is ${tokenLimit} tokens. However, your messages resulted in ${tokens} tokens.`,
      code: 'context_length_exceeded',
    };
  }
  const request = JSON.parse(body) as { messages?: Message[] };
  const message = wellFormedComplaint(request, 'body') ?? sequenceComplaint(request.messages ?? []);
  return message === undefined ? undefined : { message, code: null };
}

function sequenceComplaint(messages: Message[]): string | undefined {
  if (messages.length === 0) return 'messages must not be empty';
  /** Calls whose results have not come; results stand right behind the message that made the calls. */
  let open = new Set<string>();
  let previous = '';
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) {
        return `${at}: a tool result for '${message.tool_call_id ?? ''}', which is no unanswered call before it`;
      }
      previous = message.role;
      continue;
    }
    if (open.size > 0) return `${at}: no result for the tool calls ${[...open].join(', ')}`;
    if (message.role === previous && message.role !== 'system') return `${at}: two ${message.role} messages in a row`;
    const calls = message.tool_calls ?? [];
    if (message.role === 'assistant') {
      if (isEmpty(message.content) && calls.length === 0)
        return `${at}: an assistant message with neither text nor calls`;
      for (const call of calls) {
        if (!isJsonObject(call.function.arguments)) return `${at}: arguments of ${call.id} are not a JSON object`;
      }
      open = new Set(calls.map(({ id }) => id));
      if (open.size < calls.length) return `${at}: two tool calls with one id`;
    } else if (isEmpty(message.content)) {
      return `${at}: an empty ${message.role} message`;
    }
    previous = message.role;
  }
  return open.size > 0 ? `no result for the tool calls ${[...open].join(', ')}` : undefined;
}

/** A lone surrogate cannot be written as UTF-8, so it only survives inside JSON's escapes. */
function wellFormedComplaint(value: unknown, at: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : `${at}: a lone surrogate`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = wellFormedComplaint(key, `${at}: key`) ?? wellFormedComplaint(inner, `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEmpty(content: unknown): boolean {
  if (Array.isArray(content)) return content.length === 0;
  return content === undefined || content === null || content === '';
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
