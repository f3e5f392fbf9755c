/** The folder of sessions: list, find, create, open, read, watch. */
import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { claim, syncFolder } from './disk.ts';
import { SessionFile } from './file.ts';
import { assertOwnFolders, makeFolders } from './folders.ts';
import { json, renderHeader, renderSections, SECTIONS } from './layout.ts';
import { listJournals } from './journal.ts';
import { HeldError, Lock, type Holder } from './lock.ts';
import { checkName, mintName, parseName, type SessionKind } from './names.ts';
import { forThePerson, refused, SessionError } from './parse.ts';
import { readAhead, readSession } from './record.ts';
import { timestampOf, type Session, type TurnStatus } from './schema.ts';
import { filePath, journalFolder, type Place } from './source.ts';
import { withStream, type SessionStream } from './stream.ts';
import { summarize } from './summary.ts';
import { DEFAULT_TRANSFORMS, type Transforms } from './transforms.ts';
import { watchFolder } from './watch.ts';

export { HeldError, SessionError };

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
  /** Undefined when it cannot be told without reading the whole file; so for `status`, which is the last turn's. */
  turns: number | undefined;
  status: TurnStatus | undefined;
  /** Why the file does not load; the other fields are then what the file name and its times say. */
  problem?: string;
}

export interface NewSession {
  /** Explicit name; a generated one (`ses_…`) when absent. */
  name?: string | undefined;
  kind?: SessionKind;
  role?: string;
  parent_id?: string;
}

export interface StoreOptions {
  version: string;
  /** What others are told of who holds a session: `VS Code`, `polyglav run`. */
  program?: string;
  /** Asked at each output that is written. */
  transforms?: () => Transforms;
  /** Absolute real path of another folder of sessions than the workspace's own. */
  dir?: string;
}

export class SessionStore {
  /** Absolute real path of the workspace folder. */
  readonly workspace: string;
  readonly dir: string;
  readonly #version: string;
  readonly #program: string;
  readonly #transforms: () => Transforms;
  readonly #cache = new Map<string, { key: string; summary: SessionSummary }>();

  constructor(workspace: string, options: StoreOptions) {
    this.workspace = workspace;
    this.dir = options.dir ?? join(workspace, '.polyglav', 'sessions');
    this.#version = options.version;
    this.#program = options.program ?? 'Polyglav';
    this.#transforms = options.transforms ?? (() => DEFAULT_TRANSFORMS);
  }

  /** Newest first. A file that does not load is listed with its reason and never hides another (R10). */
  async list(): Promise<SessionSummary[]> {
    const journaled = await journaledNames(this.dir);
    const summaries = await mapSome(await this.#files(), (file) => this.#summary(file, journaled));
    return summaries
      .filter((summary) => summary !== undefined)
      .map((summary) => ({ summary, instant: instantOf(summary) }))
      .sort((a, b) => b.instant - a.instant || (a.summary.name < b.summary.name ? 1 : -1))
      .map(({ summary }) => summary);
  }

  /**
   * `#<id>`, `session:<name>` or a name → the name of a session on disk (R4). Only the folder is read for an id.
   * Throws SessionError when there is none.
   */
  async resolve(selector: string): Promise<string> {
    const names = await this.#names();
    if (selector.startsWith('#')) {
      const id = selector.slice(1);
      const found = names.filter((name) => parseName(name)?.id === id);
      if (found.length === 1) return found[0] as string;
      if (found.length > 1)
        throw new SessionError(`#${id} stands for ${found.length} sessions: ${found.join(', ')}. Use the whole name.`);
      throw new SessionError(`There is no session #${id}. "polyglav sessions" lists them.`);
    }
    const name = selector.startsWith('session:') ? selector.slice('session:'.length) : selector;
    if (names.includes(name)) return name;
    const reason = checkName(name);
    if (reason !== undefined) throw new SessionError(reason);
    const near = names.find((other) => fold(other) === fold(name));
    throw new SessionError(
      `There is no session ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`}`,
    );
  }

  /** Every name in the folder, in no order; only the folder is read. */
  async names(): Promise<ReadonlySet<string>> {
    return new Set(await this.#names());
  }

  /** Reads a session without changing anything on disk. Throws SessionError with the reason when it does not load. */
  async read(name: string): Promise<Session> {
    await this.#assertFile(name);
    return readSession(this.#place(name));
  }

  /** The same for a session of any size, which `use` gets as a stream (E4). */
  async stream<T>(name: string, use: (stream: SessionStream) => Promise<T>): Promise<T> {
    await this.#assertFile(name);
    return withStream(this.#place(name), use);
  }

  /** Who writes to the session now; undefined when nobody does. */
  holder(name: string): Promise<Holder | undefined> {
    return Lock.holder(this.#place(name));
  }

  /**
   * Opens a session to append to it, as its one writer. `notices` are for the person: what a crash or another program left.
   * Throws HeldError when another program holds it, SessionError when it does not load.
   */
  async open(name: string): Promise<{ file: SessionFile; notices: string[] }> {
    await this.#assertFile(name);
    const place = this.#place(name);
    try {
      // What does not load is left as it is: not even a lock of it is made.
      const read = (await Lock.exists(place)) ? undefined : await readAhead(place);
      const lock = await Lock.acquire(place, this.#program);
      return await withLock(lock, () => SessionFile.open(place, lock, this.#transforms, read));
    } catch (error) {
      return refused(`${name}.json cannot be opened to be continued`, error);
    }
  }

  /** Makes a session and its file. Never overwrites: throws SessionError when the name is refused or taken. */
  async create(options: NewSession = {}): Promise<SessionFile> {
    const { name, id } =
      options.name === undefined ? mintName(options.kind ?? 'ses') : await this.#explicit(options.name);
    await makeFolders(this.dir).catch((error: unknown) => {
      refused(`The folder ${this.dir} could not be made`, error);
    });
    const place = this.#place(name);
    try {
      const lock = await Lock.acquire(place, this.#program);
      return await withLock(lock, async () => {
        await this.#make(place, this.#header(name, id, options));
        return (await SessionFile.open(place, lock, this.#transforms)).file;
      });
    } catch (error) {
      if (error instanceof HeldError) throw taken(name);
      return refused(`The session ${JSON.stringify(name)} could not be made`, error);
    }
  }

  /**
   * Deletes a session for good; its sub-sessions and the links to it stay. `remove` takes the file away (to a trash where there
   * is one). Throws HeldError when it is open anywhere, SessionError when there is none.
   */
  async delete(name: string, remove: (path: string) => Promise<void> = (path) => rm(path)): Promise<void> {
    const place = this.#place(name);
    const info = await lstat(filePath(place)).catch(() => undefined);
    if (info === undefined) throw new SessionError(`There is no session ${JSON.stringify(name)}.`);
    if (info.isDirectory()) throw new SessionError(`${name}.json is a folder and no session. Remove it yourself.`);
    try {
      const lock = await Lock.acquire(place, this.#program);
      await withLock(lock, async () => {
        await remove(filePath(place));
        for (const { path } of await listJournals(journalFolder(this.dir), name)) await rm(path, { force: true });
      });
      await lock.release();
      await lock.forget();
      await syncFolder(this.dir);
    } catch (error) {
      refused(`${name}.json cannot be deleted`, error);
    }
  }

  /** Calls `listener` soon after the folder changed, several changes at once; returns how to stop. */
  watch(listener: () => void): () => void {
    return watchFolder(this.dir, listener);
  }

  async #explicit(name: string): Promise<{ name: string; id: string }> {
    const reason = checkName(name);
    if (reason !== undefined) throw new SessionError(reason);
    const near = (await this.#names()).find((other) => fold(other) === fold(name));
    if (near !== undefined) throw taken(near);
    return { name, id: parseName(name)?.id ?? '' };
  }

  async #names(): Promise<string[]> {
    return (await this.#files()).map(nameOf);
  }

  async #files(): Promise<Dirent[]> {
    const files = await readdir(this.dir, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      return refused(`${this.dir} cannot be read`, error);
    });
    return files.filter(({ name }) => /.\.json$/s.test(name));
  }

  async #summary(file: Dirent, journaled: ReadonlySet<string>): Promise<SessionSummary | undefined> {
    const name = nameOf(file);
    const place = this.#place(name);
    const live = journaled.has(name);
    const cached = live ? undefined : this.#cache.get(name);
    if (cached !== undefined && cached.key === (await keyOf(filePath(place)))) return cached.summary;
    const parsed = parseName(name);
    const base = { name, kind: parsed?.kind ?? ('named' as const), id: parsed?.id ?? '' };
    try {
      assertFile(name, file);
      const { summary: said, info } = await summarize(place, live);
      const summary = { ...base, ...said };
      if (!live) this.#cache.set(name, { key: keyFrom(info), summary });
      return summary;
    } catch (error) {
      const info = await lstat(filePath(place)).catch(() => undefined);
      if (info === undefined) return undefined; // removed since the folder was read
      const at = timestampOf(info.mtime);
      const times = { created_at: at, updated_at: at };
      const unknown = { title: '', parent: '', role: '', turns: undefined, status: undefined };
      const summary = {
        ...base,
        ...times,
        ...unknown,
        problem: forThePerson(`${name}.json cannot be read`, error).message,
      };
      // What was changed just now may not be what was read.
      if (!live && Date.now() - info.mtimeMs > 5000) this.#cache.set(name, { key: keyFrom(info), summary });
      return summary;
    }
  }

  async #make(place: Place, header: ReadonlyMap<string, string>): Promise<void> {
    const sections = new Map(SECTIONS.map((section) => [section, []]));
    const text =
      renderHeader(header) + renderSections(sections, JSON.parse(header.get('created_at') as string) as string);
    if (!(await claim(filePath(place), Buffer.from(text)))) throw taken(place.name);
    await syncFolder(this.dir);
  }

  #header(name: string, id: string, { parent_id, role }: NewSession): Map<string, string> {
    const header = {
      created_at: timestampOf(new Date()),
      parent_id: parent_id ?? '',
      role: role ?? '',
      session_id: id,
      session_name: name,
      version: this.#version,
      workspace: this.workspace,
    };
    return new Map(Object.entries(header).map(([key, value]) => [key, json(value)]));
  }

  async #assertFile(name: string): Promise<void> {
    await assertOwnFolders(this.dir);
    const info = await lstat(filePath(this.#place(name))).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new SessionError(`There is no session ${JSON.stringify(name)}.`);
      return refused(`${name}.json cannot be read`, error);
    });
    assertFile(name, info);
  }

  /** Names come from the folder itself or through `checkName`; whatever came, none leads out of the folder. */
  #place(name: string): Place {
    if (/[\\/\0]/.test(name) || name.startsWith('.'))
      throw new SessionError(checkName(name) ?? 'That is no session name.');
    return { dir: this.dir, name };
  }
}

/** Gives the lock back when `use` fails. */
async function withLock<T>(lock: Lock, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw error;
  }
}

/** A link into another place is never followed (R10). */
function assertFile(name: string, info: Stats | Dirent): void {
  if (!info.isFile()) throw new SessionError(`${name}.json is not a regular file. It was left as it is.`);
}

function nameOf({ name }: Dirent): string {
  return name.slice(0, -'.json'.length);
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

/** Names that a case-insensitive file system takes for the same. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function taken(name: string): SessionError {
  return new SessionError(`There is a session ${JSON.stringify(name)} already. Load it, or choose another name.`);
}

/** Sessions that have a journal: live ones, and those that a crash left. */
async function journaledNames(dir: string): Promise<Set<string>> {
  const files = await readdir(journalFolder(dir)).catch(() => []);
  return new Set(files.filter((file) => file.endsWith('.jsonl')).map((file) => file.replace(/\.\d+\.jsonl$/, '')));
}

/** `map`, with not more than some files open at a time. */
async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const position = next++;
      results[position] = await map(items[position] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(32, items.length) }, worker));
  return results;
}
