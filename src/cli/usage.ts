/** Exit codes, and the error of somebody who used the command wrongly. */
import { ForThePerson } from '../session/forThePerson.ts';
import { sentence } from '../text/sentence.ts';
import { systemFault } from '../text/systemFault.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const;

/** Wrong use or configuration: the message says what would be accepted. Nothing has happened. */
export class UsageError extends ForThePerson {
  override readonly name = 'UsageError';
}

/** What a person is told of an error. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return 'The current directory does not exist any more. Change to one that does.';
  if (path !== undefined) return `${path} cannot be used: ${sentence(systemFault(error))}`;
  return syscall === undefined ? error.message : `The system refused it: ${sentence(systemFault(error))}`;
}
