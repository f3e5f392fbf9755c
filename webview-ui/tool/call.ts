/** How far a tool call has come, as the record, the running turn and the pending asks tell it together. */
import type { RunState } from '../../src/protocol/messages.ts';
import type { PermissionEntry, ToolPart, Turn } from '../../src/session/schema.ts';
import { isKind } from '../../src/session/kind.ts';
import { notRun } from '../../src/session/notRun.ts';

export type CallState = 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'declined' | 'denied' | 'stopped';

/** `run` is the state of the run when `turn` is the running one. */
export function callState(
  part: ToolPart,
  turn: Turn,
  permission: PermissionEntry | undefined,
  run: RunState,
): CallState {
  if (part.output === undefined) return turn.status === 'running' ? pending(part, turn, permission, run) : 'stopped';
  if (part.is_error !== true) return 'done';
  return notRun(permission) ?? (turn.status === 'cancelled' && isInLastRound(part, turn) ? 'stopped' : 'failed');
}

/** The calls of a round stand in the record before the first of them runs. */
function pending(part: ToolPart, turn: Turn, permission: PermissionEntry | undefined, run: RunState): CallState {
  if (permission !== undefined) return 'running';
  const first = turn.parts.find((other) => isKind(other, 'tool') && other.output === undefined);
  if (part !== first) return 'waiting';
  return run === 'asking' ? 'asking' : 'running';
}

/** Stop hits the calls after which the model said nothing more. */
function isInLastRound(part: ToolPart, turn: Turn): boolean {
  return !turn.parts
    .slice(turn.parts.indexOf(part))
    .some((later) => later.type === 'text' || later.type === 'thinking');
}

const DECIDED = { granted: 'Allowed', declined: 'Declined', denied: 'Denied' };

/** Who decided, in words; undefined when nobody was asked and no rule refused. */
export function decisionWords(permission: PermissionEntry | undefined): string | undefined {
  if (permission?.by === undefined) return undefined;
  switch (permission.by) {
    case 'default':
      return undefined;
    case 'once':
      return 'You allowed this once.';
    case 'session':
      return 'You allowed this for the session.';
    case 'always':
      return 'You allowed this, and always from then on, in this folder.';
    case 'refused':
      return 'You declined this.';
    case 'dismissed':
      return 'The question was closed without an answer, so this was declined.';
    case 'withdrawn':
      return 'The turn was stopped while you were asked.';
    case 'no terminal':
      return 'Nobody could be asked, so this was declined.';
    case '--yes':
      return 'Allowed by --yes.';
    default:
      return `${DECIDED[permission.decision]} by ${permission.by}.`;
  }
}
