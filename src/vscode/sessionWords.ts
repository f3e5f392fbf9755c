/** How a session is named and described in lists: its state as an icon and in words, and when it was last written. */
import type { RunState } from '../agent/events.ts';
import { age } from '../commands/age.ts';
import type { SessionSummary } from '../session/store.ts';

/** Name of a codicon. `live` is the state of the session's run in this window, if it has one. */
export function stateIcon({ problem, status }: SessionSummary, live: RunState | undefined): string {
  if (live === 'asking') return 'question';
  if (live === 'running' || live === 'stopping') return 'sync~spin';
  if (problem !== undefined) return 'warning';
  switch (status) {
    case 'error':
      return 'error';
    case 'truncated':
    case 'empty':
    case 'running':
      return 'info';
    case 'cancelled':
      return 'circle-slash';
    case 'ok':
    case undefined:
      return 'comment-discussion';
  }
}

/** `5 min ago · stopped` */
export function whenAndHow(summary: SessionSummary, live: RunState | undefined, now = Date.now()): string {
  const how = stateWords(summary, live);
  const when = Number.isNaN(Date.parse(summary.updated_at)) ? '' : age(summary.updated_at, now);
  return [when, how].filter((word) => word !== '').join(' · ');
}

/** Empty when there is nothing to say: the last turn ended well. */
export function stateWords({ problem, status, held_by }: SessionSummary, live: RunState | undefined): string {
  if (live === 'asking') return 'waiting for you';
  if (live === 'running') return 'working';
  if (live === 'stopping') return 'stopping';
  if (problem !== undefined) return 'cannot be read';
  switch (status) {
    case 'error':
      return 'ended with an error';
    case 'truncated':
      return 'answer cut off';
    case 'empty':
      return 'no answer';
    case 'cancelled':
      return 'stopped';
    // A log alone never says that something works: a turn that its owner did not end was interrupted.
    case 'running':
      return held_by === undefined ? 'interrupted' : 'working elsewhere';
    case 'ok':
    case undefined:
      return '';
  }
}

/** Empty when it is not known. */
export function turnWords({ last_turn }: SessionSummary): string {
  if (last_turn === undefined) return '';
  return last_turn === 0 ? 'No turns yet' : `Last turn: #${last_turn}`;
}
