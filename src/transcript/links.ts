/** A session's links to its parent and its sub-agents, in the same words wherever a session is read (R14). */
import type { Session } from '../session/schema.ts';

export interface Link {
  name: string;
  /** What is to be said of it beside the name; empty where its session is there. */
  note: string;
}

/** `saved`: the names of all sessions in the folder. Undefined for a session that no other one started. */
export function parentOf({ parent_id: name }: Session, saved: ReadonlySet<string>): Link | undefined {
  return name === '' ? undefined : { name, note: saved.has(name) ? '' : ' (not in this folder)' };
}

/** A link is made before the session's file is: without a file it was never started. */
export function subSessionsOf({ sub_sessions }: Session, saved: ReadonlySet<string>): Link[] {
  return sub_sessions.map((name) => ({ name, note: saved.has(name) ? '' : ' (never started)' }));
}
