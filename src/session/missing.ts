/** A session that has no file: whether there is a journal of it, and what to tell the person. */
import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';

import { readNewestJournal } from './journal.ts';
import { ownerOf } from './lock.ts';
import { SessionError } from './parse.ts';
import { besideOwner, filePath, journalFolder, noSession, type Place } from './source.ts';

/** The path of the newest whole journal; undefined when there is none, or the file is there. */
export async function journalWithoutFile(place: Place): Promise<string | undefined> {
  const file = await lstat(filePath(place)).catch(() => undefined);
  if (file !== undefined) return undefined;
  const newest = await readNewestJournal(journalFolder(place.dir), place.name).catch(() => undefined);
  return newest?.content?.path;
}

/** Why it cannot be used. Throws SessionError when that cannot be told. */
export async function missingFile(place: Place): Promise<SessionError> {
  const owner = await ownerOf(place);
  if (owner !== undefined) return besideOwner(place, 'removed', owner);
  const journal = await journalWithoutFile(place);
  return journal === undefined ? noSession(place.name) : onlyJournal(place, journal);
}

export function onlyJournal({ name }: Place, journal: string): SessionError {
  return new SessionError(
    `The file ${name}.json is missing, but its journal .journal/${basename(journal)} is there and holds the newest entries. Put the file back to go on; a new session of that name keeps the journal in .journal/aside.`,
  );
}
