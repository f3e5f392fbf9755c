/** Exit codes, and the error of somebody who used the command wrongly. */
import { ForThePerson } from '../session/forThePerson.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const;

/** Wrong use or configuration: the message says what would be accepted. Nothing has happened. */
export class UsageError extends ForThePerson {
  override readonly name = 'UsageError';
}

/** What a person is told of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
