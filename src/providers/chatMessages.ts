/** {@link Message}s as chat completions wants them. A pure function, so that the same message always gives the same bytes (X1). */
import { createHash } from 'node:crypto';

import { demandsReasoning, hostRules, type HostRules } from './hosts.ts';
import type { Json } from './json.ts';
import type { Message, ToolCall } from './provider.ts';
import { withThinking } from './thinking.ts';

/**
 * `content` is null, not "", beside calls without text: the standard allows it and most servers expect it (T2). An assistant
 * message with calls for a server that demands reasoning carries `reasoning_content`, "" when there is none to give (T2).
 */
export function wireMessages(messages: readonly Message[], to: { base_url: string; model: string }): Json[] {
  const rules = hostRules(to.base_url);
  const demanded = demandsReasoning(to.base_url, to.model);
  return messages.map((message) => {
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content: message.content };
      case 'tool':
        return { role: 'tool', tool_call_id: callId(message.call_id, rules), content: message.content };
      case 'assistant': {
        const body = withThinking(message.content, rules.thinking_back ? (message.thinking ?? []) : []);
        const calls = message.calls ?? [];
        if (calls.length === 0) return { role: 'assistant', ...body, content: body.content ?? '' };
        const unthought =
          demanded && !('reasoning_content' in body) && !('reasoning_details' in body) ? { reasoning_content: '' } : {};
        return { role: 'assistant', ...body, ...unthought, tool_calls: calls.map((call) => wireCall(call, rules)) };
      }
    }
  });
}

function wireCall(call: ToolCall, rules: HostRules): Json {
  const extra = call.data?.['extra_content'];
  return {
    id: callId(call.id, rules),
    type: 'function',
    function: { name: toolName(call.name), arguments: call.arguments },
    ...(extra == null ? {} : { extra_content: extra }),
  };
}

/** An id of another provider's making, in the form that this one accepts; the same id always becomes the same. */
function callId(id: string, rules: HostRules): string {
  if (rules.call_id === undefined || rules.call_id.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** A model may have called a tool by a name that no tool can have; strict servers then refuse the whole conversation. */
function toolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}
