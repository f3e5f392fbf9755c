/**
 * Where well-known endpoints differ in what they accept. An address that is not in the table is treated as an ordinary
 * OpenAI-compatible server, which is right for Ollama, llama.cpp, vLLM, LM Studio and most others.
 */

/** `off`, `on` (think, in the model's own measure) or an effort value. */
type Effort = string;

export interface HostRules {
  max_tokens: 'max_tokens' | 'max_completion_tokens';
  /** Takes `stream_options`; where it is refused, usage comes unasked. */
  stream_options: boolean;
  /** Accepts thinking on an assistant message; a strict server refuses a request that carries it. */
  thinking_back: boolean;
  /** What the id of a call must look like; undefined: any text. */
  call_id: RegExp | undefined;
  /** Keys of the request body that set the effort. */
  effort(effort: Effort): Record<string, unknown>;
}

const ORDINARY: HostRules = {
  max_tokens: 'max_tokens',
  stream_options: true,
  thinking_back: true,
  call_id: undefined,
  effort: (effort) => (effort === 'on' ? {} : { reasoning_effort: effort === 'off' ? 'none' : effort }),
};

const HOSTS: { name: RegExp; rules: Partial<HostRules> }[] = [
  { name: /(^|\.)openai\.com$|\.azure\.com$/, rules: { max_tokens: 'max_completion_tokens', thinking_back: false } },
  { name: /(^|\.)groq\.com$/, rules: { thinking_back: false } },
  { name: /(^|\.)mistral\.ai$/, rules: { stream_options: false, call_id: /^[A-Za-z0-9]{9}$/ } },
  {
    name: /(^|\.)openrouter\.ai$/,
    rules: {
      effort: (effort) => ({
        reasoning: effort === 'off' || effort === 'on' ? { enabled: effort === 'on' } : { effort },
      }),
    },
  },
  {
    name: /(^|\.)deepseek\.com$/,
    rules: {
      effort: (effort) => ({
        thinking: { type: effort === 'off' ? 'disabled' : 'enabled' },
        ...(effort === 'off' || effort === 'on' ? {} : { reasoning_effort: effort }),
      }),
    },
  },
  {
    name: /(^|\.)z\.ai$|(^|\.)bigmodel\.cn$|(^|\.)aliyuncs\.com$/,
    rules: { effort: (effort) => ({ enable_thinking: effort !== 'off' }) },
  },
  // Their models think or not by their name, and the parameter is refused.
  { name: /(^|\.)moonshot\.(ai|cn)$|(^|\.)x\.ai$/, rules: { effort: () => ({}) } },
];

export function hostRules(base_url: string): HostRules {
  const host = hostOf(base_url);
  return { ...ORDINARY, ...HOSTS.find(({ name }) => name.test(host))?.rules };
}

/**
 * DeepSeek refuses an assistant message with tool calls and no `reasoning_content`, even where the model did not think. It is known
 * by its address or, behind other addresses, by the name of the model.
 */
export function demandsReasoning(base_url: string, model: string): boolean {
  return (
    hostRules(base_url).thinking_back && (/(^|\.)deepseek\.com$/.test(hostOf(base_url)) || /deepseek/i.test(model))
  );
}

function hostOf(base_url: string): string {
  return URL.canParse(base_url) ? new URL(base_url).hostname.toLowerCase() : '';
}
