/**
 * The shape of a configuration file, as zod schemas that are the types, the checks and the source of the JSON Schema for the
 * editor. Every object is strict: a key that means nothing here is a mistake to point at.
 */
import { posix, win32 } from 'node:path';

import { z } from 'zod';

import { choice, expected, expectedUnseen } from './explain.ts';
import { permissions, type PermissionConfig } from './permissionSchema.ts';
import type { HeaderSecret } from './secretValues.ts';
import { oneOf, section, text } from './shapes.ts';

/** The modes that a file may name. A test keeps them equal to what there is: this room does not know them. */
export const MODE_NAMES = ['build', 'plan'] as const;
const EFFORTS = ['off', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const PROVIDER_TYPES = ['openai-chat', 'demo'] as const;

const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** The provider is what stands before the first slash; model names have slashes of their own. */
export const SELECTOR = /^[A-Za-z0-9][A-Za-z0-9._-]*\/\S(?:.*\S)?$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

function tokens() {
  const error = expected('a whole number of tokens above 0');
  return z.number({ error }).int({ error }).positive({ error });
}

function characters() {
  const error = expected('a whole number of characters, or 0 for no limit');
  return z.number({ error }).int({ error }).nonnegative({ error });
}

const selector = () => text(SELECTOR, '"<provider>/<model>", such as "ollama/llama3.2"');

const reasoning = z
  .union([z.literal(false), z.enum(EFFORTS)], { error: expected(`false, ${choice(EFFORTS)}`, EFFORTS) })
  .describe('How much the model thinks before it answers: false or "off", or an effort that the model knows.');

const BASE_URL = 'an http or https address, such as "http://localhost:11434/v1"';
const baseUrl = z
  .string({ error: expected(BASE_URL) })
  .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), { error: expected(BASE_URL), abort: true })
  .refine((value) => new URL(value).username === '' && new URL(value).password === '', {
    error: expectedUnseen('an address without a name and password; api_key_env is the way to give a key'),
  })
  .describe('Address of an OpenAI-compatible endpoint, /v1 included.');

const openaiChat = section({
  type: z.literal('openai-chat'),
  base_url: baseUrl,
  api_key_env: text(
    ENV_NAME,
    'the name of an environment variable that holds the key, such as "OPENAI_API_KEY", never the key itself',
    expectedUnseen,
  )
    .optional()
    .describe('Name of the environment variable that holds the key. The key itself does not belong in a file.'),
  headers: z
    .record(
      text(HEADER_NAME, 'the name of an HTTP header, such as "X-Title"'),
      text(HEADER_VALUE, 'one line of printable ASCII', expectedUnseen),
      { error: expected('an object of header names and values') },
    )
    .optional()
    .describe('HTTP headers that go with each request.'),
}).describe(
  'An endpoint that speaks OpenAI chat completions: Ollama, LM Studio, vLLM, OpenRouter, OpenAI and many more.',
);

const demo = section({ type: z.literal('demo') }).describe('The built-in demo model: no network, no key.');

const provider = z.discriminatedUnion('type', [openaiChat, demo], {
  error: (issue) => {
    const { input } = issue;
    if (typeof input !== 'object' || input === null) return expected('an object with a "type": { … }')(issue);
    return expected(choice(PROVIDER_TYPES), PROVIDER_TYPES)({ ...issue, input: (input as { type?: unknown }).type });
  },
});

const model = section({
  context_window: tokens().optional().describe('Size of the context window in tokens; goes before every other source.'),
  max_output_tokens: tokens().optional().describe('Most tokens of one answer.'),
  reasoning: reasoning.optional(),
});

const FOLDER = 'the absolute path of a folder, such as "/home/me/shop"';
const folderKey = z
  .string({ error: expected(FOLDER) })
  .refine((value) => posix.isAbsolute(value) || win32.isAbsolute(value), { error: expected(FOLDER) });

export const configFile = section({
  $schema: z.string({ error: expected('the address of a JSON schema') }).optional(),
  model: selector().optional().describe('The model that new sessions begin with: "<provider>/<model>".'),
  providers: z
    .record(text(PROVIDER_NAME, 'a name of letters, digits, ".", "_" and "-"'), provider, {
      error: expected('an object of provider names and their settings'),
    })
    .refine(({ demo: own }) => own === undefined || own.type === 'demo', {
      path: ['demo', 'type'],
      error: 'must be "demo": this name belongs to the built-in demo model.',
    })
    .optional()
    .describe('Where models are served, by a name of your own.'),
  models: z
    .record(selector(), model, { error: expected('an object of "<provider>/<model>" and their settings') })
    .optional()
    .describe('Settings of single models, by "<provider>/<model>".'),
  mode: oneOf(MODE_NAMES).optional().describe('The mode that new sessions begin with.'),
  permissions: permissions
    .optional()
    .describe('What the agent may do: allow, ask or deny. Deny beats ask beats allow.'),
  folders: z
    .record(folderKey, section({ permissions: permissions.optional() }), {
      error: expected('an object of folders and what holds in them'),
    })
    .optional()
    .describe('What holds in single folders, by their absolute path; in your own file only.'),
  system_prompt: z
    .string({ error: expected('text') })
    .optional()
    .describe('Takes the place of the built-in instructions to the model.'),
  reasoning: reasoning.optional(),
  noise_tools: z
    .array(text(/./s, 'the name of a tool'), { error: expected('a list of tool names') })
    .optional()
    .describe('Tools whose output is left out of the session file; by default "web_fetch", "open" and "fetch_page".'),
  session_tool_max_chars: characters()
    .optional()
    .describe('Most characters of one tool output in the session file; 0 (default) for no limit.'),
  print_max_chars: characters()
    .optional()
    .describe('Most characters of each part that /print shows; 4000 by default, 0 for no limit.'),
});

/** One file, checked. */
export type ConfigFile = z.infer<typeof configFile>;
export type ProviderConfig = z.infer<typeof provider>;
export type ModelConfig = z.infer<typeof model>;
/** `false` or `"off"`, or an effort value. */
export type Reasoning = z.infer<typeof reasoning>;

/** All layers together. What no layer sets is absent: its reader knows the default. */
export interface Config {
  model?: string;
  /** By name; a provider of the project takes the whole place of the user's one of that name. */
  providers: Readonly<Record<string, ProviderConfig>>;
  /** By `<provider>/<model>`, in the same way. */
  models: Readonly<Record<string, ModelConfig>>;
  mode?: string;
  permissions: PermissionConfig;
  system_prompt?: string;
  reasoning?: Reasoning;
  /** Tools whose output is left out of the session file (R11). */
  noise_tools?: readonly string[];
  /** Most characters of a tool's output in the session file; 0 = no limit. */
  session_tool_max_chars?: number;
  /** Most characters of each part that `/print` shows; 0 = no limit. */
  print_max_chars?: number;
  /** The `api_key_env` of every provider in every layer, also of one that another layer replaced. */
  key_envs: readonly string[];
  /** What in the headers of every provider in every layer is as secret as a key. */
  header_secrets: readonly HeaderSecret[];
}

/** What holds without any configuration. */
export const EMPTY_CONFIG: Config = { providers: {}, models: {}, permissions: [], key_envs: [], header_secrets: [] };

/** What ships: there without configuration, unless an entry of the same name takes its place. */
export const SHIPPED_PROVIDERS: Readonly<Record<string, ProviderConfig>> = {
  ollama: { type: 'openai-chat', base_url: 'http://localhost:11434/v1' },
  openai: { type: 'openai-chat', base_url: 'https://api.openai.com/v1', api_key_env: 'OPENAI_API_KEY' },
  demo: { type: 'demo' },
};

export function providerNames(config: Config): string[] {
  return [...new Set([...Object.keys(config.providers), ...Object.keys(SHIPPED_PROVIDERS)])];
}

/** Variables that hold a provider's key and are therefore removed from every child process (R15). */
export function secretEnvNames(config: Config): string[] {
  return [...new Set([...keyEnvs(SHIPPED_PROVIDERS), ...config.key_envs])];
}

/** The names of key variables in some providers. */
export function keyEnvs(providers: Readonly<Record<string, ProviderConfig>>): string[] {
  return Object.values(providers).flatMap((provider) =>
    'api_key_env' in provider && provider.api_key_env !== undefined ? [provider.api_key_env] : [],
  );
}
