/** Which errors are answers to a person, and which are faults of ours. */
import { ForThePerson } from '../session/forThePerson.ts';
import { SessionError } from '../session/store.ts';

/** Whether an error is an answer to a person, who can do something about it. */
export function isForThePerson(error: unknown): boolean {
  return error instanceof ForThePerson || error instanceof SessionError;
}
