/**
 * The record's shapes: the tables of docs/record.md, one to one (R1, R2). Every object is loose, because unknown keys that another
 * program or a newer version wrote must survive a load and a later write. Our additions are optional keys only.
 */
import { z } from 'zod';

/** `2026-08-17T12:00:00.123+00:00` from us; any ISO 8601 instant from others. */
const timestamp = z.string();

export const TURN_STATUSES = ['running', 'ok', 'error', 'truncated', 'empty', 'cancelled'] as const;
export const turnStatus = z.enum(TURN_STATUSES);
export type TurnStatus = z.infer<typeof turnStatus>;

/** What a provider wants back verbatim on a later request; only the provider module that wrote it looks inside. */
const providerData = z.record(z.string(), z.unknown());

const userPart = z.looseObject({
  type: z.literal('user'),
  text: z.string(),
  timestamp,
});

const textPart = z.looseObject({
  type: z.literal('text'),
  text: z.string(),
  timestamp,
  provider_data: providerData.optional(),
});

const thinkingPart = z.looseObject({
  type: z.literal('thinking'),
  text: z.string(),
  timestamp,
  provider_data: providerData.optional(),
});

/** Content hashes (`sha256:…`, or null for "no such file") of one file that a call changed. */
const fileChange = z.looseObject({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

const toolPart = z.looseObject({
  type: z.literal('tool'),
  name: z.string(),
  /** The parsed argument object; `{}` when the model's arguments were no JSON object. */
  input: z.record(z.string(), z.unknown()),
  /** Absent until the call is finished. */
  output: z.string().optional(),
  is_error: z.boolean().optional(),
  analysis: z.string().optional(),
  timestamp,
  /** Counts the tool rounds of a turn from 1, so that two rounds never merge into one assistant message. */
  round: z.number().int().optional(),
  files: z.array(fileChange).optional(),
  provider_data: providerData.optional(),
});

/** What fills in on a part after it was added; no other key, because it is laid over the part. */
export const partFill = toolPart
  .pick({ output: true, is_error: true, analysis: true, files: true, provider_data: true })
  .strict();

const commandPart = z.looseObject({
  type: z.literal('command'),
  text: z.string(),
  timestamp,
  summary: z.string().optional(),
  compact_from: z.number().int().optional(),
});

const systemPart = z.looseObject({
  type: z.literal('system'),
  text: z.string(),
  timestamp,
  /** `reminder`, `instruction`, `guard`, `resume`, or `notice`, which is for the person and is never sent to the model. */
  kind: z.string().optional(),
});

const knownPart = z.discriminatedUnion('type', [userPart, textPart, thinkingPart, toolPart, commandPart, systemPart]);
const KNOWN_TYPES: ReadonlySet<string> = new Set(['user', 'text', 'thinking', 'tool', 'command', 'system']);

/** A part whose type we do not know: kept as it is, shown as data, never sent. */
const unknownPart = z.looseObject({
  // `abort`, so that the reason of a refusal is what the known kind lacks.
  type: z.string().refine((type) => !KNOWN_TYPES.has(type), { abort: true }),
});

export const part = z.union([knownPart, unknownPart]);

export type UserPart = z.infer<typeof userPart>;
export type TextPart = z.infer<typeof textPart>;
export type ThinkingPart = z.infer<typeof thinkingPart>;
export type ToolPart = z.infer<typeof toolPart>;
export type CommandPart = z.infer<typeof commandPart>;
export type SystemPart = z.infer<typeof systemPart>;
export type FileChange = z.infer<typeof fileChange>;
export type KnownPart = UserPart | TextPart | ThinkingPart | ToolPart | CommandPart | SystemPart;
export interface UnknownPart {
  type: string;
  [key: string]: unknown;
}
export type Part = KnownPart | UnknownPart;

export { isKind } from './kind.ts';

/** Token counts as the provider reported them; absent keys were not reported. */
export const usage = z.looseObject({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cached_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;

export const turn = z.looseObject({
  index: z.number().int().positive(),
  started_at: timestamp.optional(),
  ended_at: timestamp.optional(),
  status: turnStatus,
  model: z.string().optional(),
  provider: z.string().optional(),
  mode: z.string().optional(),
  reasoning: z.union([z.string(), z.boolean()]).optional(),
  parts: z.array(part),
  usage: usage.optional(),
});
export interface Turn {
  index: number;
  started_at?: string | undefined;
  ended_at?: string | undefined;
  status: TurnStatus;
  model?: string | undefined;
  provider?: string | undefined;
  mode?: string | undefined;
  reasoning?: string | boolean | undefined;
  parts: Part[];
  usage?: Usage | undefined;
  [key: string]: unknown;
}

/** `code` is the HTTP status where one exists, otherwise 0 (R12). */
export const errorEntry = z.looseObject({ code: z.number(), message: z.string(), timestamp });
export type ErrorEntry = z.infer<typeof errorEntry>;

export const ACTIONS = ['allow', 'ask', 'deny'] as const;
export type Action = (typeof ACTIONS)[number];
export const DECISIONS = ['granted', 'declined', 'denied'] as const;
export type Decision = (typeof DECISIONS)[number];

/** One tool permission resolution (R13). `turn`/`part` name the call: turn index, and position in `parts` from 1. */
export const permissionEntry = z.looseObject({
  tool: z.string(),
  action: z.enum(ACTIONS),
  decision: z.enum(DECISIONS),
  path: z.string().optional(),
  timestamp,
  turn: z.number().int().optional(),
  part: z.number().int().optional(),
  by: z.string().optional(),
});
export type PermissionEntry = z.infer<typeof permissionEntry>;

export const session = z.looseObject({
  created_at: timestamp,
  parent_id: z.string(),
  role: z.string(),
  session_id: z.string(),
  session_name: z.string(),
  version: z.string(),
  workspace: z.string().optional(),
  turns: z.array(turn),
  errors: z.array(errorEntry),
  permissions: z.array(permissionEntry),
  sub_sessions: z.array(z.string()),
  updated_at: timestamp,
});
export interface Session {
  created_at: string;
  parent_id: string;
  role: string;
  session_id: string;
  session_name: string;
  version: string;
  workspace?: string | undefined;
  turns: Turn[];
  errors: ErrorEntry[];
  permissions: PermissionEntry[];
  sub_sessions: string[];
  updated_at: string;
  [key: string]: unknown;
}

/** R1's form: milliseconds and an explicit `+00:00`. */
export function timestampOf(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}
