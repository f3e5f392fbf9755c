/** What became of a call that a decision kept from running: one word, the same wherever the call is shown. */
import type { PermissionEntry } from './schema.ts';

/** Undefined for a call that ran. */
export function notRun(decision: PermissionEntry | undefined): 'declined' | 'denied' | 'stopped' | undefined {
  if (decision === undefined || decision.decision === 'granted') return undefined;
  return decision.by === 'withdrawn' ? 'stopped' : decision.decision;
}
