/**
 * A session file as the documents describe it, key by key: written from their tables and not from our code, so that the two
 * can be held against each other. Strict on purpose: a key that no document names is a fault.
 */
import { z } from 'zod';

/** R1: UTC with milliseconds and an explicit offset. */
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
const providerData = z.record(z.string(), z.unknown());
const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** Every part has `type` and `timestamp`; the other keys depend on the type. Our additions are the optional ones of R2. */
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('user'), text: z.string(), timestamp }),
  z.strictObject({ type: z.literal('text'), text: z.string(), timestamp, provider_data: providerData.optional() }),
  z.strictObject({ type: z.literal('thinking'), text: z.string(), timestamp, provider_data: providerData.optional() }),
  z.strictObject({
    type: z.literal('tool'),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    output: z.string(),
    is_error: z.boolean(),
    analysis: z.string().optional(),
    timestamp,
    round: z.int().positive().optional(),
    files: z.array(z.strictObject({ path: z.string(), before: hash.nullable(), after: hash.nullable() })).optional(),
    provider_data: providerData.optional(),
  }),
  z.strictObject({
    type: z.literal('command'),
    text: z.string().startsWith('/'),
    timestamp,
    summary: z.string().optional(),
    compact_from: z.int().positive().optional(),
  }),
  z.strictObject({
    type: z.literal('system'),
    text: z.string(),
    timestamp,
    kind: z.enum(['reminder', 'instruction', 'guard', 'resume', 'notice']).optional(),
  }),
]);

const turn = z.strictObject({
  index: z.int().positive(),
  started_at: timestamp,
  ended_at: timestamp,
  status: z.enum(['ok', 'error', 'truncated', 'empty', 'cancelled']),
  model: z.string().min(1).optional(),
  provider: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
  reasoning: z.union([z.literal(false), z.string()]).optional(),
  parts: z.array(part),
  usage: z.record(z.string(), z.number()).optional(),
});

const permission = z.strictObject({
  tool: z.string(),
  action: z.enum(['allow', 'ask', 'deny']),
  decision: z.enum(['granted', 'declined', 'denied']),
  path: z.string().startsWith('/').optional(),
  timestamp,
  turn: z.int().positive(),
  part: z.int().positive(),
  by: z.union([
    z.enum(['default', 'session', 'once', 'always', 'refused', 'dismissed', 'withdrawn', '--yes', 'no terminal']),
    z.string().regex(/^[a-z]+: \S/),
  ]),
});

const record = z.strictObject({
  created_at: timestamp,
  errors: z.array(z.strictObject({ code: z.int().nonnegative(), message: z.string().min(1), timestamp })),
  parent_id: z.string(),
  permissions: z.array(permission),
  role: z.string(),
  session_id: z.string().regex(/^([0-9a-z]{6})?$/),
  session_name: z.string().min(1),
  sub_sessions: z.array(z.string()),
  turns: z.array(turn),
  updated_at: timestamp,
  version: z.string(),
  workspace: z.string().startsWith('/'),
});

type Turn = z.infer<typeof turn>;

/** What in a file of an idle session is not as documented, each with its place; empty when all is. */
export function faultsOf(file: unknown): string[] {
  const { success, data, error } = record.safeParse(file);
  if (!success) return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const faults = data.turns.flatMap((turn, position) => turnFaults(turn, position, data.errors));
  const id = /^(?:ses|sub|job)_\d{8}_\d{6}_([0-9a-z]{6})$/.exec(data.session_name)?.[1] ?? '';
  if (data.session_id !== id) faults.push(`session_id: "${data.session_id}" for the name ${data.session_name}`);
  for (const entry of data.permissions) {
    const call = data.turns[entry.turn - 1]?.parts[entry.part - 1];
    if (call?.type !== 'tool' || call.name !== entry.tool)
      faults.push(`permissions: no call of ${entry.tool} at ${entry.turn}.${entry.part}`);
    if ((entry.action === 'deny') !== (entry.decision === 'denied'))
      faults.push(`permissions: ${entry.action} was ${entry.decision}`);
    if (entry.action === 'allow' && entry.decision !== 'granted')
      faults.push(`permissions: allow was ${entry.decision}`);
  }
  return faults;
}

function turnFaults(turn: Turn, position: number, errors: readonly { timestamp: string }[]): string[] {
  const faults: string[] = [];
  const at = `turns.${position}`;
  if (turn.index !== position + 1) faults.push(`${at}.index: ${turn.index}`);
  const command = turn.parts.some(({ type }) => type === 'command');
  const context = [turn.model, turn.provider, turn.mode];
  if (!command && context.includes(undefined)) faults.push(`${at}: model, provider or mode is missing`);
  // R12: one entry for each turn that failed, was cut off or came out empty.
  if (
    ['error', 'truncated', 'empty'].includes(turn.status) &&
    !errors.some((error) => error.timestamp === turn.ended_at)
  )
    faults.push(`${at}: ended as ${turn.status} without an entry in errors`);
  return faults;
}
