/** Whether a thing from disk is what it must be (R2, R10), with the reason when it is not. */
import { z } from 'zod';

import { deeperThan, MOST_LEVELS } from './depth.ts';
import { diskFault } from './diskFault.ts';
import { ForThePerson } from './forThePerson.ts';
import { visible } from './visible.ts';
import {
  errorEntry,
  part as partSchema,
  partFill,
  permissionEntry,
  session as sessionSchema,
  turn as turnSchema,
  TURN_STATUSES,
  type Turn,
} from './schema.ts';

/** A session that cannot be used as asked; the message is for a person and says what would be accepted. */
export class SessionError extends ForThePerson {
  override readonly name = 'SessionError';
}

const LEFT = 'It was left as it is.';

/** A SessionError with the cause when the system refused, otherwise the error as it is. `what`: `notes.json cannot be read`. */
export function forThePerson(what: string, error: unknown): Error {
  const fault = diskFault(error);
  return fault === undefined ? (error as Error) : new SessionError(`${what}: ${fault}`, { cause: error });
}

/** Throws {@link forThePerson}. */
export function refused(what: string, error: unknown): never {
  throw forThePerson(what, error);
}

/** Checks the text of a whole file in any layout. Throws SessionError. */
export function assertSession(text: string, name: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SessionError(`${name}.json is not JSON: ${visible((error as Error).message)}. ${LEFT}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SessionError(`${name}.json holds no session object. ${LEFT}`);
  const keys = new Set(Object.keys(value));
  assertKeys(keys, name);
  if (deeperThan(value, MOST_LEVELS + 5))
    throw new SessionError(`${name}.json does not load: it is nested more than ${MOST_LEVELS} levels deep. ${LEFT}`);
  const result = sessionSchema.safeParse({ ...HEADER_DEFAULTS, created_at: '', updated_at: '', ...value });
  if (!result.success) throw new SessionError(`${name}.json is not a session: ${reason(result.error)}. ${LEFT}`);
}

/** What is taken for a header key that a file does not have (PG "File structure"); it stays absent in the file. */
export const HEADER_DEFAULTS = {
  version: '',
  role: '',
  parent_id: '',
  errors: [],
  permissions: [],
  sub_sessions: [],
} as const;

/** Throws SessionError when the keys of the top level are not those of the turn format. */
export function assertKeys(keys: ReadonlySet<string>, name: string): void {
  if (!keys.has('turns') && keys.has('messages'))
    throw new SessionError(`${name}.json was written before the turn format and does not load. ${LEFT}`);
  if (!keys.has('session_name') || !keys.has('session_id'))
    throw new SessionError(
      `${name}.json has no session_name or session_id: an older version wrote it, and it does not load. ${LEFT}`,
    );
}

const headerSchema = sessionSchema
  .pick({
    created_at: true,
    parent_id: true,
    role: true,
    session_id: true,
    session_name: true,
    version: true,
    workspace: true,
  })
  .partial();
const turnWithoutParts = turnSchema.omit({ parts: true });

const CHECKS = {
  header: headerSchema,
  turn: turnWithoutParts,
  part: partSchema,
  fill: partFill,
  errors: errorEntry,
  permissions: permissionEntry,
  sub_sessions: z.string(),
} satisfies Record<string, z.ZodType>;

/** Text and when: most of a session, told at a glance. */
function isPlainText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, text, timestamp } = value as Record<string, unknown>;
  return (
    (type === 'user' || type === 'text' || type === 'thinking') &&
    typeof text === 'string' &&
    typeof timestamp === 'string' &&
    Object.keys(value).length === 3
  );
}

/** A turn with the keys that most have, apart from its parts. */
function isPlainTurn(turn: Record<string, unknown>): boolean {
  const { index, status } = turn;
  if (!Number.isSafeInteger(index) || (index as number) < 1 || !STATUSES.has(status)) return false;
  for (const key in turn)
    if (typeof turn[key] !== 'string' ? key !== 'index' && key !== 'parts' : !TURN_TEXTS.has(key)) return false;
  return true;
}

const STATUSES = new Set<unknown>(TURN_STATUSES);
const TURN_TEXTS = new Set(['started_at', 'ended_at', 'status', 'model', 'provider', 'mode', 'reasoning']);

/** Throws SessionError naming `where` when `value` is not a `kind`. */
export function assertPiece(kind: keyof typeof CHECKS, value: unknown, name: string, where: () => string): void {
  const fault = pieceFault(kind, value);
  if (fault !== undefined) throw new SessionError(`${name}.json is not a session: ${where()}: ${fault}. ${LEFT}`);
}

/** The same for a whole turn. */
export function assertTurn(
  turn: Record<string, unknown> & { parts: unknown[] },
  name: string,
  where: () => string,
): asserts turn is Turn {
  if (!isPlainTurn(turn)) {
    const { parts: _, ...fields } = turn;
    assertPiece('turn', fields, name, where);
  }
  for (const [position, part] of turn.parts.entries())
    assertPiece('part', part, name, () => `${where()}, part ${position + 1}`);
}

/** Why `value` is not a `kind`; undefined when it is one. */
export function pieceFault(kind: keyof typeof CHECKS, value: unknown): string | undefined {
  if (kind === 'part' && isPlainText(value)) return undefined;
  if (deeperThan(value, MOST_LEVELS)) return `nested more than ${MOST_LEVELS} levels deep`;
  const result = CHECKS[kind].safeParse(value);
  return result.success ? undefined : reason(result.error);
}

/** In words, with the path to what is wrong. */
export function reason({ issues: [issue] }: Pick<z.ZodError, 'issues'>): string {
  if (issue === undefined) return 'unknown fault';
  // Of a union the first kind is the one that was meant: the others are for what is not known.
  const inner = issue.code === 'invalid_union' ? issue.errors[0] : undefined;
  const said = inner === undefined ? issue.message : reason({ issues: inner });
  return issue.path.length === 0 ? said : `${issue.path.join('.')}: ${said}`;
}
