/** Where a turn writes. */
import type { SessionEvent } from '../session/events.ts';
import { isKind, type Part, type Session } from '../session/schema.ts';

export interface Log {
  readonly session: Session;
  /**
   * Memory has the event at once, but for the end of a streamed text that may be the beginning of a key (R15). Settles when it is
   * durable, and rejects when it could not be written.
   */
  append(event: SessionEvent): Promise<void>;
}

/** Positions (from 0) of the tool parts that have no output yet. */
export function unfinishedCalls(parts: readonly Part[]): number[] {
  return parts.flatMap((part, position) => (isKind(part, 'tool') && part.output === undefined ? [position] : []));
}
