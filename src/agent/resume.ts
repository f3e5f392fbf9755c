/**
 * What continuing a session does to a turn that a crash, a kill or a reload left running (R9): its calls without a result get
 * one that says so, a note is added, and the turn is closed as cancelled. Pure: events to append, nothing written here.
 */
import type { SessionEvent } from '../session/events.ts';
import { runningTurn } from '../session/reduce.ts';
import { isKind, type Session } from '../session/schema.ts';
import { unfinishedCalls } from './log.ts';

export interface Resumption {
  events: SessionEvent[];
  /** The prompt that was not answered, to be offered in the composer again. */
  interrupted: string | undefined;
}

export function resumption(session: Session, at: string): Resumption {
  const turn = runningTurn(session);
  if (turn === undefined) return { events: [], interrupted: undefined };
  const output = 'Interrupted: Polyglav was closed before this call finished. It may or may not have taken effect.';
  const prompts = turn.parts.filter((part) => isKind(part, 'user')).map((part) => part.text);
  return {
    events: [
      ...unfinishedCalls(turn.parts).map((part): SessionEvent => ({
        type: 'part_filled',
        at,
        part,
        fill: { output, is_error: true },
      })),
      {
        type: 'part_added',
        at,
        part: {
          type: 'system',
          kind: 'resume',
          text: 'Polyglav was closed while this turn ran; it was not finished. Check what was done before you go on.',
          timestamp: at,
        },
      },
      { type: 'turn_ended', at, status: 'cancelled' },
    ],
    interrupted: prompts.length === 0 ? undefined : prompts.join('\n\n'),
  };
}
