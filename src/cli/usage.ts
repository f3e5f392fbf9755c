/** Exit codes, and the error of somebody who used the command wrongly. */

export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const;

/** Wrong use or configuration: the message says what would be accepted. Nothing has happened. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
