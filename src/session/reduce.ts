/**
 * The fold `(session, event) → session`, shared by the host, the CLI and the webview. It changes the session in place and
 * returns it: appending must cost the same at any length (R7), so nothing is copied.
 */
import type { SessionEvent } from './events.ts';
import { isFinal } from './finality.ts';
import type { Session, Turn } from './schema.ts';
import { wellFormed } from './wellFormed.ts';

/** The event cannot happen to the session as it is; nothing was changed. */
export class DoesNotFollow extends Error {
  override readonly name = 'DoesNotFollow';
}

/** Throws {@link DoesNotFollow}: a fault of the caller, or of the file that the event comes from. */
export function reduce(session: Session, given: SessionEvent): Session {
  // A copy: the caller keeps its event, and what is in the session changes only here.
  const event = wellFormed(given);
  switch (event.type) {
    case 'turn_started':
      if (runningTurn(session) !== undefined)
        throw new DoesNotFollow(`turn ${event.turn.index} cannot start while another one runs`);
      // By the last index, not by the length: the webview folds over the newest turns alone.
      if (event.turn.index !== nextIndex(session))
        throw new DoesNotFollow(`turn ${event.turn.index} cannot follow turn ${nextIndex(session) - 1}`);
      if (!Number.isSafeInteger(event.turn.index)) throw new DoesNotFollow('no number can follow the last turn');
      session.turns.push(event.turn);
      break;
    case 'part_added':
      running(session, event).parts.push(event.part);
      break;
    case 'part_extended': {
      const part = running(session, event).parts.at(-1);
      if (part?.type !== 'text' && part?.type !== 'thinking')
        throw new DoesNotFollow(`part_extended needs a text or thinking part at the end, not ${part?.type ?? 'none'}`);
      part['text'] = String(part['text']) + event.text;
      break;
    }
    case 'part_filled': {
      const { parts } = running(session, event);
      const part = parts[event.part];
      if (part === undefined) throw new DoesNotFollow(`no part ${event.part} in the running turn`);
      if (isFinal(parts, event.part)) throw new DoesNotFollow(`part ${event.part} can change no more`);
      // Of a call that is not finished, another program may have written `is_error` already.
      for (const key of Object.keys(event.fill))
        if (key in part && key !== 'is_error') throw new DoesNotFollow(`part ${event.part} has ${key} already`);
      Object.assign(part, event.fill);
      break;
    }
    case 'turn_ended': {
      const turn = running(session, event);
      turn.status = event.status;
      turn.ended_at = event.at;
      if (event.usage !== undefined) turn.usage = event.usage;
      break;
    }
    case 'error':
      session.errors.push(event.entry);
      break;
    case 'permission':
      session.permissions.push(event.entry);
      break;
    case 'sub_session':
      session.sub_sessions.push(event.name);
      break;
  }
  session.updated_at = event.at;
  return session;
}

/** The index that the next turn gets: 1-based position in the log. */
export function nextIndex(session: Session): number {
  return (session.turns.at(-1)?.index ?? 0) + 1;
}

/** The turn that is running, which is always the last one. */
export function runningTurn(session: Session): Turn | undefined {
  const last = session.turns.at(-1);
  return last?.status === 'running' ? last : undefined;
}

function running(session: Session, event: SessionEvent): Turn {
  const turn = runningTurn(session);
  if (turn === undefined) throw new DoesNotFollow(`${event.type} needs a running turn`);
  return turn;
}
