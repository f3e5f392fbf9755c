/** Which session a selector means (R4): `#id | #run | role | session:<name> | name`. */
import { parseName } from '../session/names.ts';
import { SessionError, type SessionStore } from '../session/store.ts';
import { streamOf, type SessionStream } from '../session/stream.ts';
import { nearest, question } from '../text/nearest.ts';
import type { Run } from './run.ts';

/** Where a selector is looked up: an engine, or a folder of sessions alone. */
export interface Sessions {
  readonly store: SessionStore;
  runs(): readonly Run[];
  numbered(number: number): string | undefined;
}

/** A folder in which nothing is live here. */
export function savedSessions(store: SessionStore): Sessions {
  return { store, runs: () => [], numbered: () => undefined };
}

/**
 * The session's name. A role stands before a name that is spelled like it, because `session:` can say the name; of a role's
 * sessions the live one counts, else the newest. Throws SessionError when there is none.
 */
export async function targetOf(sessions: Sessions, selector: string): Promise<string> {
  return (await ofRole(sessions, selector)) ?? namedTarget(sessions, selector);
}

/** The same without roles, for what must not hit a session that nobody named. */
export async function namedTarget(sessions: Sessions, selector: string): Promise<string> {
  if (!/^#\d+$/.test(selector)) return liveId(sessions, selector) ?? savedName(sessions.store, selector);
  const live = sessions.numbered(Number(selector.slice(1)));
  if (live !== undefined) return live;
  try {
    return await sessions.store.resolve(selector); // an id of digits alone, from another program
  } catch (error) {
    const there =
      sessions.numbered(1) === undefined ? 'No session is open here.' : `There are #1 to #${lastNumber(sessions)}.`;
    throw new SessionError(`There is no run ${selector}. ${there} A saved session goes by #<id> or its name.`, {
      cause: error,
    });
  }
}

/** Lets `use` read the session as it stands, live or saved and at any size; that changes nothing. Throws SessionError. */
export async function readTarget<T>(
  sessions: Sessions,
  selector: string,
  use: (stream: SessionStream) => Promise<T>,
): Promise<T> {
  const name = await targetOf(sessions, selector);
  const live = sessions.runs().find((run) => run.name === name);
  return live === undefined ? sessions.store.stream(name, use) : use(streamOf(live.session));
}

/** The store finds a name by its spelling alone; of one that is not there, the one that was meant is told. */
async function savedName(store: SessionStore, selector: string): Promise<string> {
  if (selector.startsWith('#')) return store.resolve(selector);
  const name = selector.replace(/^session:/, '');
  const names = await store.names();
  const meant = names.has(name) ? undefined : meantName(name, [...names].sort());
  if (meant !== undefined) throw new SessionError(`There is no session ${JSON.stringify(name)}.${question(meant)}`);
  return store.resolve(selector);
}

/** The only name that begins so, else the nearest of those that a person chose: generated names are all alike. */
function meantName(word: string, names: readonly string[]): string | undefined {
  const longer = word.length < 2 ? [] : names.filter((name) => name.startsWith(word));
  if (longer.length === 1) return longer[0];
  return nearest(
    word,
    names.filter((name) => parseName(name) === undefined),
  );
}

function liveId(sessions: Sessions, selector: string): string | undefined {
  if (!selector.startsWith('#')) return undefined;
  const id = selector.slice(1);
  return sessions.runs().find(({ session, name }) => session.session_id === id && name.endsWith(`_${id}`))?.name;
}

async function ofRole(sessions: Sessions, word: string): Promise<string | undefined> {
  // A generated name is no role, and need not be looked for in every session.
  if (word === '' || /^(#|session:)/.test(word) || parseName(word) !== undefined) return undefined;
  const live = sessions
    .runs()
    .filter(({ session }) => session.role === word)
    .sort((a, b) => Date.parse(b.session.updated_at) - Date.parse(a.session.updated_at))[0];
  if (live !== undefined) return live.name;
  return (await sessions.store.list()).find(({ role, problem }) => role === word && problem === undefined)?.name;
}

function lastNumber(sessions: Sessions): number {
  let number = 1;
  while (sessions.numbered(number + 1) !== undefined) number++;
  return number;
}
