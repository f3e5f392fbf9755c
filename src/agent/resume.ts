/**
 * What continuing a session does to a turn that a crash, a kill or a reload left running (R9): its calls without a result get
 * one that says so, a note is added, and the turn is closed as cancelled. Events to append, nothing written here.
 */
import { realpath } from 'node:fs/promises';

import type { SessionEvent } from '../session/events.ts';
import { runningTurn } from '../session/reduce.ts';
import { isKind, type Session, type Turn } from '../session/schema.ts';
import { unfinishedCalls } from './log.ts';

const UNCERTAIN = 'Interrupted: Polyglav was closed before this call finished. It may or may not have taken effect.';
const NOT_RUN = 'Not run: Polyglav was closed before this call was allowed.';

export interface Resumption {
  events: SessionEvent[];
  /** The prompt that was not answered, to be offered in the composer again. */
  interrupted: string | undefined;
}

export function resumption(session: Session, at: string): Resumption {
  const turn = runningTurn(session);
  if (turn === undefined) return { events: [], interrupted: undefined };
  const calls = unfinishedCalls(turn.parts).map((part) => ({ part, begun: mayHaveBegun(session, turn, part) }));
  const check = turn.parts.some((part) => isKind(part, 'tool')) ? ' Check what was done before you go on.' : '';
  return {
    events: [
      ...calls.map(({ part, begun }): SessionEvent => ({
        type: 'part_filled',
        at,
        part,
        fill: { output: begun ? UNCERTAIN : NOT_RUN, is_error: true },
      })),
      {
        type: 'part_added',
        at,
        part: {
          type: 'system',
          kind: 'resume',
          text: `Polyglav was closed while this turn ran; it was not finished.${check}`,
          timestamp: at,
        },
      },
      { type: 'turn_ended', at, status: 'cancelled' },
    ],
    interrupted: promptOf(turn),
  };
}

/**
 * The prompt that was interrupted and to which nothing was said since: of the last turn, as long as it is the one that was closed
 * when the session was continued. It can be offered until another turn begins, however often the session is opened.
 */
export function interruptedPrompt({ turns }: Pick<Session, 'turns'>): string | undefined {
  const turn = turns.at(-1);
  const last = turn?.parts.at(-1);
  if (turn?.status !== 'cancelled' || last === undefined || !isKind(last, 'system') || last.kind !== 'resume')
    return undefined;
  return promptOf(turn);
}

/** Undefined for a turn without one, such as a command's. */
function promptOf({ parts }: Turn): string | undefined {
  const prompts = parts.filter((part) => isKind(part, 'user')).map((part) => part.text);
  return prompts.length === 0 ? undefined : prompts.join('\n\n');
}

/** A call runs only when its permission is recorded. What other programs wrote (they know no rounds) tells nothing of that. */
function mayHaveBegun({ permissions }: Session, { index, parts }: Turn, part: number): boolean {
  return (
    parts[part]?.['round'] === undefined ||
    permissions.some((entry) => entry.turn === index && entry.part === part + 1 && entry.decision === 'granted')
  );
}

const FOLDER = 'The folder of this session: ';

/**
 * What the model has to hear when a session goes on in another folder than before: both folders, as real paths. Undefined when
 * it knows already, or when the log does not say where the session began.
 */
export async function folderNote(session: Session, current: string): Promise<string | undefined> {
  const { workspace } = session;
  if (workspace === undefined || workspace === '') return undefined;
  const began = await realpath(workspace).catch(() => workspace);
  const text = `${FOLDER}it began in ${workspace} and goes on in ${current}. Relative paths start in the latter, and files may differ there.`;
  const told = session.turns
    .flatMap(({ parts }) => parts)
    .findLast((part) => isKind(part, 'system') && part.kind === 'resume' && part.text.startsWith(FOLDER));
  // Back where it began there is something to say only when it was elsewhere meanwhile.
  const known = told === undefined ? began === current : told['text'] === text;
  return known ? undefined : text;
}
