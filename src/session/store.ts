/** The folder of sessions: list, find, create, open, read, watch. */
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { keptAside, setAside } from './aside.ts';
import { claim, syncFolder } from './disk.ts';
import { SessionFile } from './file.ts';
import { assertOwnFolders, makeFolders } from './folders.ts';
import { json, renderHeader, renderSections, SECTIONS } from './layout.ts';
import { listJournals } from './journal.ts';
import { assertFile, nameOf, placeOf, SessionList, sessionFiles, type SessionSummary } from './list.ts';
import { HeldError, Lock, type Holder } from './lock.ts';
import { missingFile } from './missing.ts';
import { checkName, mintName, parseName, type SessionKind } from './names.ts';
import { refused, SessionError } from './parse.ts';
import { readAhead, readSession } from './record.ts';
import { timestampOf, type Session } from './schema.ts';
import { filePath, journalFolder, noSession, type Place } from './source.ts';
import { withStream, type SessionStream } from './stream.ts';
import { DEFAULT_TRANSFORMS, type Transforms } from './transforms.ts';
import { watchFolder } from './watch.ts';

export { HeldError, SessionError };
export type { SessionSummary };

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
  readonly #list: SessionList;

  constructor(workspace: string, options: StoreOptions) {
    this.workspace = workspace;
    this.dir = options.dir ?? join(workspace, '.polyglav', 'sessions');
    this.#version = options.version;
    this.#program = options.program ?? 'Polyglav';
    this.#transforms = options.transforms ?? (() => DEFAULT_TRANSFORMS);
    this.#list = new SessionList(this.dir);
  }

  /** Newest first. A file that does not load is listed with its reason and never hides another (R10). */
  list(): Promise<SessionSummary[]> {
    return this.#list.read();
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
      throw new SessionError(`There is no session #${id}. "polyglav sessions" (in the chat: /sessions) lists them.`);
    }
    const name = selector.startsWith('session:') ? selector.slice('session:'.length) : selector;
    if (names.includes(name)) return name;
    const reason = checkName(name);
    if (reason !== undefined) throw new SessionError(reason);
    const near = names.find((other) => fold(other) === fold(name));
    throw near === undefined
      ? await missingFile(placeOf(this.dir, name))
      : noSession(name, `Did you mean ${JSON.stringify(near)}?`);
  }

  /** Every name in the folder, in no order; only the folder is read. */
  async names(): Promise<ReadonlySet<string>> {
    return new Set(await this.#names());
  }

  /** Reads a session without changing anything on disk. Throws SessionError with the reason when it does not load. */
  async read(name: string): Promise<Session> {
    await this.#assertFile(name);
    return readSession(placeOf(this.dir, name));
  }

  /** The same for a session of any size, which `use` gets as a stream (E4). */
  async stream<T>(name: string, use: (stream: SessionStream) => Promise<T>): Promise<T> {
    await this.#assertFile(name);
    return withStream(placeOf(this.dir, name), use);
  }

  /** Who writes to the session now; undefined when nobody does. Throws SessionError when a folder is a link. */
  async holder(name: string): Promise<Holder | undefined> {
    await assertOwnFolders(this.dir);
    return Lock.holder(placeOf(this.dir, name));
  }

  /**
   * Opens a session to append to it, as its one writer. `notices` are for the person: what a crash or another program left.
   * Throws HeldError when another program holds it, SessionError when it does not load.
   */
  async open(name: string): Promise<{ file: SessionFile; notices: string[] }> {
    await this.#assertFile(name);
    const place = placeOf(this.dir, name);
    try {
      // What does not load is left as it is: not even a lock of it is made.
      const read = (await Lock.exists(place)) ? undefined : await readAhead(place);
      const lock = await Lock.acquire(place, this.#program);
      return await withLock(lock, () => SessionFile.open(place, lock, this.#transforms, read));
    } catch (error) {
      return refused(`${name}.json cannot be opened to be continued`, error);
    }
  }

  /**
   * Makes a session and its file. Never overwrites: throws SessionError when the name is refused or taken. `tell` hears what the
   * person must know: of what was left of an earlier session of that name.
   */
  async create(options: NewSession = {}, tell: (notice: string) => void = () => undefined): Promise<SessionFile> {
    const { name, id } =
      options.name === undefined ? mintName(options.kind ?? 'ses') : await this.#explicit(options.name);
    await makeFolders(this.dir).catch((error: unknown) => {
      refused(`The folder ${this.dir} could not be made`, error);
    });
    const place = placeOf(this.dir, name);
    try {
      const lock = await Lock.acquire(place, this.#program);
      return await withLock(lock, async () => {
        await this.#make(place, this.#header(name, id, options));
        if (await this.#setJournalsAside(place))
          tell(
            `A journal of an earlier session ${JSON.stringify(name)}, whose file is missing, is kept in .journal/aside.`,
          );
        return (await SessionFile.open(place, lock, this.#transforms)).file;
      });
    } catch (error) {
      if (error instanceof HeldError) throw taken(name);
      return refused(`The session ${JSON.stringify(name)} could not be made`, error);
    }
  }

  /**
   * Deletes a session for good, with its journals and what was set aside of it; its sub-sessions and the links to it stay.
   * `remove` takes a file away (to a trash where there is one). Throws HeldError when it is open anywhere, SessionError when there is none.
   */
  async delete(name: string, remove: (path: string) => Promise<void> = (path) => rm(path)): Promise<void> {
    const place = placeOf(this.dir, name);
    await assertOwnFolders(this.dir);
    const info = await lstat(filePath(place)).catch(() => undefined);
    if (info === undefined) throw await missingFile(placeOf(this.dir, name));
    if (info.isDirectory()) throw new SessionError(`${name}.json is a folder and no session. Remove it yourself.`);
    try {
      const lock = await Lock.acquire(place, this.#program);
      await withLock(lock, async () => {
        await remove(filePath(place));
        for (const { path } of await listJournals(journalFolder(this.dir), name)) await rm(path, { force: true });
        for (const path of await keptAside(place)) await remove(path);
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
    return (await sessionFiles(this.dir)).map(nameOf);
  }

  /** Whether there were any. */
  async #setJournalsAside(place: Place): Promise<boolean> {
    const journals = await listJournals(journalFolder(this.dir), place.name);
    // Oldest first: cut off in between, the newest is still the one that counts.
    for (const { path } of journals.toReversed()) await setAside(place, path, `${place.name}.jsonl`);
    return journals.length > 0;
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
    const info = await lstat(filePath(placeOf(this.dir, name))).catch(async (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw await missingFile(placeOf(this.dir, name));
      return refused(`${name}.json cannot be read`, error);
    });
    assertFile(name, info);
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

/** Names that a case-insensitive file system takes for the same. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function taken(name: string): SessionError {
  return new SessionError(`There is a session ${JSON.stringify(name)} already. Load it, or choose another name.`);
}
