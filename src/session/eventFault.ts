/** Whether what a journal holds is an event: it is no more to be trusted than the file, whatever its checksum says (R15). */
import { z } from 'zod';

import { deeperThan, MOST_LEVELS } from './depth.ts';
import type { SessionEvent } from './events.ts';
import { pieceFault, reason } from './parse.ts';
import { turnStatus } from './schema.ts';

/** The levels in which the deepest piece stands: a part in the list of a turn that starts. */
const AROUND = 3;
const at = z.string();
/** Around the pieces. */
const shape = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('turn_started'), at, turn: z.looseObject({ parts: z.array(z.unknown()) }) }),
  z.looseObject({ type: z.literal('part_added'), at, part: z.unknown() }),
  z.looseObject({ type: z.literal('part_extended'), at, text: z.string() }),
  z.looseObject({ type: z.literal('part_filled'), at, part: z.number().int().nonnegative(), fill: z.unknown() }),
  z.looseObject({ type: z.literal('turn_ended'), at, status: turnStatus.exclude(['running']) }),
  z.looseObject({ type: z.literal('error'), at, entry: z.unknown() }),
  z.looseObject({ type: z.literal('permission'), at, entry: z.unknown() }),
  z.looseObject({ type: z.literal('sub_session'), at, name: z.unknown() }),
]);

/** Why `value` is no event with pieces that a session's file may hold; undefined when it is one. */
export function eventFault(value: unknown): string | undefined {
  if (deeperThan(value, MOST_LEVELS + AROUND)) return `nested more than ${MOST_LEVELS} levels deep`;
  const result = shape.safeParse(value);
  return result.success ? piecesFault(value as SessionEvent) : reason(result.error);
}

function piecesFault(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'turn_started': {
      const { parts, ...turn } = event.turn;
      return parts.reduce((fault, part) => fault ?? pieceFault('part', part), pieceFault('turn', turn));
    }
    case 'part_added':
      return pieceFault('part', event.part);
    case 'part_filled':
      return pieceFault('fill', event.fill);
    case 'turn_ended':
      // As it will stand in the turn.
      return pieceFault('turn', { index: 1, status: event.status, usage: event.usage });
    case 'error':
      return pieceFault('errors', event.entry);
    case 'permission':
      return pieceFault('permissions', event.entry);
    case 'sub_session':
      return pieceFault('sub_sessions', event.name);
    case 'part_extended':
      return undefined;
  }
}
