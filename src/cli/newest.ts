/** The newest session: what `continue` takes, and what an error names where a session has to be named. */
import type { SessionStore } from '../session/store.ts';
import { UsageError } from './usage.ts';

/** Of those that a person began and that load; undefined when there is none. */
export async function newestSession(store: SessionStore): Promise<string | undefined> {
  return (await store.list()).find(
    ({ kind, parent, problem }) => problem === undefined && parent === '' && kind !== 'sub' && kind !== 'job',
  )?.name;
}

/** What was named. Throws UsageError, which offers the newest, when nothing was. */
export async function namedSession(store: SessionStore, selector: string | undefined): Promise<string> {
  if (selector !== undefined) return selector;
  const newest = await newestSession(store);
  if (newest === undefined)
    throw new UsageError('There is no session in this folder yet. "polyglav run <prompt>" begins one.');
  throw new UsageError(
    `Name a session, such as ${JSON.stringify(newest)} (the newest). "polyglav sessions" lists them.`,
  );
}
