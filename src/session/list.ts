/** The list of a folder of sessions: what each file says, remembered by its size and time. */
import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { sentence } from '../text/sentence.ts';
import { assertOwnFolders } from './folders.ts';
import { Lock, ownerOf } from './lock.ts';
import { journalWithoutFile, onlyJournal } from './missing.ts';
import { checkName, parseName, type SessionKind } from './names.ts';
import { refused, SessionError } from './parse.ts';
import { timestampOf, type TurnStatus } from './schema.ts';
import { inJournalFolder, journalFolder, type Place } from './source.ts';
import { summarize } from './summary.ts';

export interface SessionSummary {
  name: string;
  kind: SessionKind | 'named';
  /** Empty for an explicit name. */
  id: string;
  /** The first words of the first prompt; empty when there is none. */
  title: string;
  created_at: string;
  updated_at: string;
  parent: string;
  role: string;
  /**
   * The last turn's number, 0 when there is none yet: another program's log may have fewer turns. Undefined when it cannot be told
   * without reading the whole file; so for `status`, which is that turn's.
   */
  last_turn: number | undefined;
  status: TurnStatus | undefined;
  /** Who has it open, in words, where the last turn is a running one: without anybody, that turn was interrupted. */
  held_by?: string;
  /** Why the file does not load; the other fields are then what the file name and its times say. */
  problem?: string;
}

/** A journal is held in memory while it is read; of longer ones (anybody may have put them there) one at a time. */
const LONG_JOURNAL_BYTES = 1024 * 1024;

export class SessionList {
  readonly #dir: string;
  readonly #cache = new Map<string, { key: string; summary: SessionSummary }>();

  /** `dir`: the folder of sessions. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Newest first. Throws SessionError when the folder cannot be read. */
  async read(): Promise<SessionSummary[]> {
    const journaled = await journaledNames(this.#dir);
    const files = new Map((await sessionFiles(this.#dir)).map((file) => [nameOf(file), file]));
    const names = [...new Set([...files.keys(), ...journaled.keys()])];
    const read = async (name: string) => {
      const file = files.get(name);
      return file === undefined ? lostSummary(this.#dir, name) : this.#summary(file, journaled);
    };
    const isLong = (name: string) => (journaled.get(name) ?? 0) > LONG_JOURNAL_BYTES;
    const summaries = [
      ...(await mapSome(
        names.filter((name) => !isLong(name)),
        read,
      )),
      ...(await mapSome(names.filter(isLong), read, 1)),
    ];
    const found = summaries.filter((summary) => summary !== undefined);
    const running = found.filter(({ status }) => status === 'running');
    const told = await mapSome(running, (summary) => withHolder(this.#dir, summary));
    return [...found.filter(({ status }) => status !== 'running'), ...told]
      .map((summary) => ({ summary, instant: instantOf(summary) }))
      .sort((a, b) => b.instant - a.instant || (a.summary.name < b.summary.name ? 1 : -1))
      .map(({ summary }) => summary);
  }

  async #summary(file: Dirent, journaled: ReadonlyMap<string, number>): Promise<SessionSummary | undefined> {
    const name = nameOf(file);
    const path = join(this.#dir, file.name);
    const live = journaled.has(name);
    const cached = live ? undefined : this.#cache.get(name);
    if (cached !== undefined && cached.key === (await keyOf(path))) return cached.summary;
    try {
      assertFile(name, file);
      const { summary: said, info } = await summarize(placeOf(this.#dir, name), live);
      const summary = { ...identity(name), ...said };
      if (!live) this.#cache.set(name, { key: keyFrom(info), summary });
      return summary;
    } catch (failure) {
      const error = problemOf(name, failure);
      const info = await lstat(path).catch(() => undefined);
      if (info === undefined) return undefined; // removed since the folder was read
      const summary = unreadable(name, info, sentence(error.message));
      // What was changed just now may not be what was read; what the system refused, it may allow the next time.
      if (!live && Date.now() - info.mtimeMs > 5000 && error.cause === undefined)
        this.#cache.set(name, { key: keyFrom(info), summary });
      return summary;
    }
  }
}

async function withHolder(dir: string, summary: SessionSummary): Promise<SessionSummary> {
  const held_by = await ownerOf(placeOf(dir, summary.name)).catch(() => undefined);
  return held_by === undefined ? summary : { ...summary, held_by };
}

/** The files in the folder that have the name of a session's file. Throws SessionError, also when a folder is a link. */
export async function sessionFiles(dir: string): Promise<Dirent[]> {
  await assertOwnFolders(dir);
  const files = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    return refused(`The folder ${dir} cannot be read`, error);
  });
  return files.filter(({ name }) => /.\.json$/s.test(name));
}

export function nameOf({ name }: Dirent): string {
  return name.slice(0, -'.json'.length);
}

/** The place of a session. Throws SessionError for a name that would lead out of the folder, or that none can have. */
export function placeOf(dir: string, name: string): Place {
  if (/[\\/\0]/.test(name) || name.startsWith('.'))
    throw new SessionError(checkName(name) ?? 'That is no session name.');
  return { dir, name };
}

/** A link into another place is never followed (R10). */
export function assertFile(name: string, info: Stats | Dirent): void {
  if (!info.isFile()) throw new SessionError(`${name}.json is not a regular file. It was left as it is.`);
}

/** A session of which there is only a journal; undefined when it is none, or an owner is at work on it. */
async function lostSummary(dir: string, name: string): Promise<SessionSummary | undefined> {
  if (checkName(name) !== undefined) return undefined;
  const place = { dir, name };
  const journal = await journalWithoutFile(place);
  const info = journal === undefined ? undefined : await lstat(journal).catch(() => undefined);
  if (journal === undefined || info === undefined) return undefined;
  if ((await Lock.holder(place).catch(() => undefined)) !== undefined) return undefined;
  return unreadable(name, info, onlyJournal(place, journal).message);
}

function identity(name: string): Pick<SessionSummary, 'name' | 'kind' | 'id'> {
  const parsed = parseName(name);
  return { name, kind: parsed?.kind ?? 'named', id: parsed?.id ?? '' };
}

function problemOf(name: string, failure: unknown): Error {
  try {
    return refused(`${name}.json cannot be read`, failure);
  } catch (error) {
    return error as Error;
  }
}

/** What a list shows of what does not load. */
function unreadable(name: string, info: Stats, problem: string): SessionSummary {
  const at = timestampOf(info.mtime);
  const unknown = { title: '', parent: '', role: '', last_turn: undefined, status: undefined };
  return { ...identity(name), created_at: at, updated_at: at, ...unknown, problem };
}

/** Undefined when there is no file. */
async function keyOf(path: string): Promise<string | undefined> {
  const info = await lstat(path).catch(() => undefined);
  return info === undefined ? undefined : keyFrom(info);
}

function keyFrom({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`;
}

/** Files of others write their times in other forms, which cannot be compared as text. */
function instantOf({ updated_at }: SessionSummary): number {
  return Date.parse(updated_at) || 0;
}

/** Sessions that have a journal (live ones, and those that a crash left) → the bytes of all it has. */
async function journaledNames(dir: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const journals = (await inJournalFolder(dir)).filter((file) => file.endsWith('.jsonl'));
  await mapSome(journals, async (file) => {
    const name = file.replace(/\.\d+\.jsonl$/, '');
    const info = await lstat(join(journalFolder(dir), file)).catch(() => undefined);
    sizes.set(name, (sizes.get(name) ?? 0) + (info?.size ?? 0));
  });
  return sizes;
}

/** `map`, with not more than `most` files open at a time. */
async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>, most = 32): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const position = next++;
      results[position] = await map(items[position] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
