/**
 * Reads along in a session that another program holds, and tells when it is free or gone (R8). It looks at the disk twice a second, since
 * not every file system tells of changes, and reads the record only when something about it changed.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import type { Holder } from './lock.ts';
import type { Session } from './schema.ts';
import { inJournalFolder } from './source.ts';
import type { SessionStore } from './store.ts';

const LOOK_MS = 500;
/** After a take-over that failed. */
const RETRY_MS = 3000;

export interface FollowListener {
  /** The record as it is now, read anew. */
  changed(session: Session): void;
  /** Nobody holds the session any more: it can be opened. When that fails, it is told again later. */
  free(): Promise<void>;
  /** Nobody holds the session, and its file is not there any more. It is the last that is told. */
  gone(): void;
}

export class Follower {
  readonly name: string;
  session: Session;
  holder: Holder;
  readonly #store: SessionStore;
  readonly #listener: FollowListener;
  #stamp: string;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(store: SessionStore, session: Session, holder: Holder, stamp: string, listener: FollowListener) {
    this.name = session.session_name;
    this.session = session;
    this.holder = holder;
    this.#store = store;
    this.#stamp = stamp;
    this.#listener = listener;
    this.#later();
  }

  /** Throws SessionError when the session does not load. */
  static async start(store: SessionStore, name: string, holder: Holder, listener: FollowListener): Promise<Follower> {
    const stamp = await stampOf(store, name);
    return new Follower(store, await store.read(name), holder, stamp, listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #later(ms = LOOK_MS): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), ms).unref();
  }

  async #look(): Promise<void> {
    try {
      const holder = await this.#store.holder(this.name);
      if (this.#closed) return;
      // First of all: whoever has deleted the session, or left a file that does not load, holds it no more.
      if (holder === undefined) return await this.#end();
      this.holder = holder;
      await this.#read();
    } catch {
      // Between two states of the disk, or for a moment out of reach: look again.
    }
    this.#later();
  }

  async #end(): Promise<void> {
    if (!(await this.#store.names()).has(this.name)) return this.#listener.gone();
    try {
      await this.#listener.free();
    } catch {
      this.#later(RETRY_MS); // the listener knows why
    }
  }

  async #read(): Promise<void> {
    const stamp = await stampOf(this.#store, this.name);
    if (stamp === this.#stamp) return;
    this.session = await this.#store.read(this.name);
    this.#stamp = stamp;
    if (!this.#closed) this.#listener.changed(this.session);
  }
}

/** Changes whenever the record may have: sizes and times of the file and its journals. */
async function stampOf(store: SessionStore, name: string): Promise<string> {
  const journal = join(store.dir, '.journal');
  const files = (await inJournalFolder(store.dir)).filter(
    (file) => file.startsWith(`${name}.`) && file.endsWith('.jsonl'),
  );
  const paths = [join(store.dir, `${name}.json`), ...files.map((file) => join(journal, file))];
  const infos = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.map((path, position) => `${path} ${infos[position]?.mtimeMs} ${infos[position]?.size}`).join('\n');
}
