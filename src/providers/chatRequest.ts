/** The body of a chat completions request. Only keys that the standard has, or that the endpoint is known to want. */
import { wireMessages } from './chatMessages.ts';
import { hostRules } from './hosts.ts';
import type { Json } from './json.ts';
import type { ProviderRequest } from './provider.ts';

export function chatRequest(request: Omit<ProviderRequest, 'signal'>, base_url: string): Json {
  const rules = hostRules(base_url);
  const effort = effortOf(request.reasoning);
  return {
    model: request.model,
    messages: wireMessages(request.messages, { base_url, model: request.model }),
    // An empty list is refused by some.
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
        }),
    ...(request.max_output_tokens === undefined ? {} : { [rules.max_tokens]: request.max_output_tokens }),
    ...(effort === undefined ? {} : rules.effort(effort)),
    stream: true,
    ...(rules.stream_options ? { stream_options: { include_usage: true } } : {}),
  };
}

function effortOf(reasoning: string | boolean | undefined): string | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning === false || reasoning === 'off' || reasoning === 'none') return 'off';
  return reasoning === true ? 'on' : reasoning;
}
