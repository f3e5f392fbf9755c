/** The folder of sessions: list, find, create, open, read, watch. */
import { link, lstat, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';

import { SessionFile, syncFolder, writeSynced } from './file.ts';
import { renderSession } from './layout.ts';
import { checkName, mintName, parseName, type SessionKind } from './names.ts';
import { parseSession, SessionError, type ParsedSession } from './parse.ts';
import { timestampOf, type Session, type TurnStatus } from './schema.ts';
import { titleOf } from './state.ts';
import { watchFolder } from './watch.ts';

export { SessionError };

/** Files in layouts of others are read whole, up to this size (R10). */
const MAX_BYTES = 500 * 1024 * 1024;

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
  turns: number;
  /** Of the last turn. */
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

/** What the folder keeps private: everything but what a team shares (R15). */
const GITIGNORE = '*\n!config.json\n!roles/\n!roles/**\n';

export class SessionStore {
  /** Absolute real path of the workspace folder. */
  readonly workspace: string;
  readonly dir: string;
  readonly #version: string;
  readonly #cache = new Map<string, { key: string; summary: SessionSummary }>();

  constructor(workspace: string, options: { version: string }) {
    this.workspace = workspace;
    this.dir = join(workspace, '.polyglav', 'sessions');
    this.#version = options.version;
  }

  /** Newest first. A file that does not load is listed with its reason and never hides another (R10). */
  async list(): Promise<SessionSummary[]> {
    const summaries = await Promise.all((await this.#names()).map((name) => this.#summary(name)));
    return summaries
      .filter((summary) => summary !== undefined)
      .sort((a, b) => instantOf(b) - instantOf(a) || (a.name < b.name ? 1 : -1));
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
    const refused = checkName(name);
    if (refused !== undefined) throw new SessionError(refused);
    const near = names.find((other) => fold(other) === fold(name));
    throw new SessionError(
      `There is no session ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`}`,
    );
  }

  /** Reads a session without changing anything on disk. Throws SessionError with the reason when it does not load. */
  async read(name: string): Promise<Session> {
    return (await this.#load(name)).session;
  }

  /** Opens a session to append to it. */
  async open(name: string): Promise<SessionFile> {
    const { session, absent } = await this.#load(name);
    return new SessionFile(this.#path(name), session, absent);
  }

  async #load(name: string): Promise<ParsedSession> {
    const path = this.#path(name);
    const info = await lstat(path).catch((error: unknown) => {
      throw new SessionError(`${name}.json cannot be read: ${(error as Error).message}`);
    });
    if (!info.isFile())
      throw new SessionError(`${name}.json is not a regular file (a link into another place is never followed).`);
    if (info.size > MAX_BYTES) throw new SessionError(`${name}.json is larger than 500 MB and does not load.`);
    const bytes = await readFile(path).catch((error: unknown) => {
      throw new SessionError(`${name}.json cannot be read: ${(error as Error).message}`);
    });
    return parseSession(bytes, name);
  }

  /** Makes a session and its file. Never overwrites: throws SessionError when the name is refused or taken. */
  async create(options: NewSession = {}): Promise<SessionFile> {
    const { name, id } =
      options.name === undefined ? mintName(options.kind ?? 'ses') : await this.#explicit(options.name);
    const at = timestampOf(new Date());
    const session: Session = {
      created_at: at,
      parent_id: options.parent_id ?? '',
      role: options.role ?? '',
      session_id: id,
      session_name: name,
      version: this.#version,
      workspace: this.workspace,
      turns: [],
      errors: [],
      permissions: [],
      sub_sessions: [],
      updated_at: at,
    };
    const path = this.#path(name);
    try {
      await this.#makeFolders();
      await this.#link(path, renderSession(session));
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await this.#names()).includes(name)) throw taken(name);
      throw new SessionError(`The session ${JSON.stringify(name)} could not be made: ${(error as Error).message}.`);
    }
    return new SessionFile(path, session);
  }

  /** Calls `listener` soon after the folder changed, several changes at once; returns how to stop. */
  watch(listener: () => void): () => void {
    return watchFolder(this.dir, listener);
  }

  async #explicit(name: string): Promise<{ name: string; id: string }> {
    const refused = checkName(name);
    if (refused !== undefined) throw new SessionError(refused);
    const near = (await this.#names()).find((other) => fold(other) === fold(name));
    if (near !== undefined) throw taken(near);
    return { name, id: parseName(name)?.id ?? '' };
  }

  async #makeFolders(): Promise<void> {
    const root = join(this.workspace, '.polyglav');
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await writeFile(join(root, '.gitignore'), GITIGNORE, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }

  /** Puts a file there whole, or rejects with EEXIST: link fails when the name is taken, where rename would replace it. */
  async #link(path: string, text: string): Promise<void> {
    // Its own name: of several that make the same session at once, each must link what it wrote.
    const temporary = `${path}.${nanoid()}.new`;
    try {
      await writeSynced(temporary, text);
      await link(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(this.dir);
  }

  async #names(): Promise<string[]> {
    const files = await readdir(this.dir).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw new SessionError(`${this.dir} cannot be read: ${(error as Error).message}`);
    });
    return files.filter((file) => /.\.json$/s.test(file)).map((file) => file.slice(0, -'.json'.length));
  }

  async #summary(name: string): Promise<SessionSummary | undefined> {
    const info = await lstat(this.#path(name)).catch(() => undefined);
    if (info === undefined) return undefined; // removed since the folder was read
    const key = `${info.mtimeMs} ${info.size} ${info.ino}`;
    const cached = this.#cache.get(name);
    if (cached?.key === key) return cached.summary;
    const parsed = parseName(name);
    const times = { created_at: timestampOf(info.birthtime), updated_at: timestampOf(info.mtime) };
    const summary: SessionSummary = {
      name,
      kind: parsed?.kind ?? 'named',
      id: parsed?.id ?? '',
      title: '',
      ...times,
      parent: '',
      role: '',
      turns: 0,
      status: undefined,
    };
    try {
      const session = await this.read(name);
      summary.title = titleOf(session);
      summary.created_at = session.created_at;
      summary.updated_at = session.updated_at;
      summary.parent = session.parent_id;
      summary.role = session.role;
      summary.turns = session.turns.length;
      summary.status = session.turns.at(-1)?.status;
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      summary.problem = error.message;
    }
    this.#cache.set(name, { key, summary });
    return summary;
  }

  /** Names reach this only from the folder itself or through `checkName`: they cannot leave it. */
  #path(name: string): string {
    const refused = name.includes('/') || name.includes('\\') || name.includes('\0');
    if (refused) throw new SessionError(checkName(name) ?? 'bad session name');
    return join(this.dir, `${name}.json`);
  }
}

/** Files of others write their times in other forms, which cannot be compared as text. */
function instantOf({ updated_at }: SessionSummary): number {
  return Date.parse(updated_at) || 0;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Names that a case-insensitive file system takes for the same. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function taken(name: string): SessionError {
  return new SessionError(`There is a session ${JSON.stringify(name)} already. Load it, or choose another name.`);
}
