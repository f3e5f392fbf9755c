/** Bytes of a session file → session, or the reason why it does not load (R2, R10). */
import { session as sessionSchema, type Session } from './schema.ts';
import { visible } from './visible.ts';
import { wellFormed } from './wellFormed.ts';

/** A session that cannot be used as asked; the message is for a person and says what would be accepted. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

export interface ParsedSession {
  session: Session;
  /** Header keys that the file has not; in memory they are empty. */
  absent: ReadonlySet<string>;
}

/** `name` is the file's name without `.json`: a session loads under it, whatever its header says. Throws {@link SessionError}. */
export function parseSession(bytes: Uint8Array, name: string): ParsedSession {
  const value = jsonOf(textOf(bytes, name), name);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SessionError(`${name}.json holds no session object. The file was left as it is.`);
  if (!('turns' in value) && 'messages' in value)
    throw new SessionError(
      `${name}.json was written before the turn format and does not load. The file was left as it is.`,
    );
  if (!('session_name' in value) || !('session_id' in value))
    throw new SessionError(
      `${name}.json has no session_name or session_id: it was written by an older version and does not load. The file was left as it is.`,
    );
  const session = { ...emptyHeader(value), ...value, session_name: name };
  const result = sessionSchema.safeParse(session);
  if (!result.success) {
    const issue = result.error.issues[0];
    const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
    throw new SessionError(`${name}.json is not a session: ${where}. The file was left as it is.`);
  }
  return {
    // What was read and not zod's copy of it, which leaves out a key such as `__proto__`.
    session: session as Session,
    absent: new Set(Object.keys(emptyHeader(value)).filter((key) => !(key in value))),
  };
}

/** Takes a byte order mark off. Bytes that are no UTF-8 would be lost with the next write, so they are refused. */
function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SessionError(`${name}.json is not UTF-8 text. The file was left as it is.`);
  }
}

function jsonOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Only an escape can bring a lone surrogate in.
    return /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value;
  } catch (error) {
    throw new SessionError(
      `${name}.json is not JSON: ${visible((error as Error).message)}. The file was left as it is.`,
    );
  }
}

/** Files written before a header field existed load with it empty (PG "Where sessions live"). */
function emptyHeader(value: object): Partial<Session> {
  return {
    version: '',
    role: '',
    parent_id: '',
    errors: [],
    permissions: [],
    sub_sessions: [],
    ...('created_at' in value && typeof value.created_at === 'string' ? { updated_at: value.created_at } : {}),
  };
}
