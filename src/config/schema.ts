/**
 * The shape of a configuration file, as zod schemas that are the types, the checks and the source of the JSON Schema for the
 * editor. Every object is strict: a key that means nothing here is a mistake to point at.
 */
import { posix, win32 } from 'node:path';

import { z } from 'zod';

import { ACTIONS, type Action } from '../session/schema.ts';
import { parseCommandPattern } from '../permissions/commandPattern.ts';
import { parsePathPattern } from './pathPattern.ts';
import { choice, expected, expectedKeys, expectedUnseen } from './explain.ts';

/** The modes and tools that a file may name. A test keeps them equal to what there is: this room knows neither. */
export const MODE_NAMES = ['build', 'plan'] as const;
export const TOOL_NAMES = [
  'file_read',
  'file_list',
  'file_search',
  'file_write',
  'file_edit',
  'run_command',
  'web_fetch',
  'todo_write',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];
/** What they do is told by no path: a rule can only be for all their calls. */
const WITHOUT_PATHS: readonly ToolName[] = ['web_fetch', 'todo_write'];

const EFFORTS = ['off', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const PROVIDER_TYPES = ['openai-chat', 'demo'] as const;

const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** The provider is what stands before the first slash; model names have slashes of their own. */
export const SELECTOR = /^[A-Za-z0-9][A-Za-z0-9._-]*\/\S(?:.*\S)?$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, { error: expectedKeys(Object.keys(shape)) });
}

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: expected(choice(values), values) });
}

function text(pattern: RegExp, accepted: string, words = expected) {
  const error = words(accepted);
  return z.string({ error }).regex(pattern, { error });
}

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

const action = oneOf(ACTIONS);

/** A text in which `parse` finds no error; `what` is what it must be. */
function patternText(what: string, parse: (text: string) => { error: string } | object) {
  return z.string({ error: expected(what) }).superRefine((value, context) => {
    const parsed = parse(value);
    if ('error' in parsed) context.addIssue({ code: 'custom', message: `is no ${what}: ${parsed.error}` });
  });
}

const paths = z
  .record(patternText('path pattern', parsePathPattern), action, {
    error: expected('an object of path patterns and actions, such as { "src/**": "allow" }'),
  })
  .optional()
  .describe(
    'By path: patterns such as "src/**", relative to the folder that is open and with "/"; others begin with "/".',
  );

const commands = z
  .record(patternText('command pattern', parseCommandPattern), action, {
    error: expected('an object of command patterns and actions, such as { "git status": "allow" }'),
  })
  .optional()
  .describe('By command: "git status" is that alone, "git status *" also with more words.');

/** What a file says of one tool: an action for all its calls, or rules of their own for some. */
export type ToolRule =
  | Action
  | {
      action?: Action | undefined;
      paths?: Readonly<Record<string, Action>> | undefined;
      commands?: Readonly<Record<string, Action>> | undefined;
    };

const oneAction = action.optional().describe('For the calls that no rule beside it matches.');

function toolRule(name: ToolName): z.ZodType<ToolRule> {
  const rules =
    name === 'run_command'
      ? section({ action: oneAction, paths, commands })
      : WITHOUT_PATHS.includes(name)
        ? section({ action: oneAction })
        : section({ action: oneAction, paths });
  return z
    .union([action, rules], { error: expected(`${choice(ACTIONS)}, or an object of rules: { … }`, ACTIONS) })
    .describe('What happens when the model calls this tool.');
}

const toolRules = Object.fromEntries(TOOL_NAMES.map((name) => [name, toolRule(name).optional()])) as Record<
  ToolName,
  z.ZodOptional<z.ZodType<ToolRule>>
>;

const permissions = section({
  default: action.optional().describe('For the calls that no rule matches.'),
  tools: z.strictObject(toolRules, { error: expectedKeys(TOOL_NAMES, 'an object of tool names and rules') }).optional(),
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
export type PermissionRules = z.infer<typeof permissions>;
/** `false` or `"off"`, or an effort value. */
export type Reasoning = z.infer<typeof reasoning>;

/** Where a file stands: beside the project's sessions, or in the user's own folder. */
export type Layer = 'project' | 'user';

/** `folder`: under `folders` in the user's file, and there for the folder that is open. */
export type PermissionLayer = Layer | 'folder';

/** Permissions are not merged: each rule counts, in whatever layer it stands, and a decision names its layer (P2). */
export type PermissionConfig = readonly { readonly layer: PermissionLayer; readonly rules: PermissionRules }[];

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

/**
 * The value of a variable that a file names, without the white space around it: the line break at the end of a key file is no part
 * of the key. Undefined when it is not set; a name such as `constructor` is a name like any other.
 */
export function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
}

export interface HeaderSecret {
  /** The header's name as it is written. */
  header: string;
  value: string;
}

const SECRET_HEADER = /auth|cookie|credential|key|password|secret|signature|token/i;
/** The first word of `Authorization: Bearer …` is none. */
const SCHEME = /^(?:apikey|basic|bearer|digest|negotiate|token)$/i;

/**
 * What in the headers of a provider is as secret as a key (R15): the words of the values that headers such as `Authorization` and
 * `X-Api-Key` have.
 */
export function headerSecrets(headers: Readonly<Record<string, string>>): HeaderSecret[] {
  return Object.entries(headers)
    .filter(([header]) => SECRET_HEADER.test(header))
    .flatMap(([header, value]) => secretWords(value).map((word) => ({ header, value: word })));
}

/** Of `session=a1b2; id=c3` the values alone. */
function secretWords(value: string): string[] {
  return value
    .split(/[\s;,]+/)
    .map((word) => word.replace(/^[\w-]+=(?=[^=])/, ''))
    .filter((word) => word !== '' && !SCHEME.test(word));
}
