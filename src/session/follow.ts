/**
 * Reads along in a session that another program holds, and tells when it is free (R8). It looks at the disk twice a second, since
 * not every file system tells of changes, and reads the record only when something about it changed.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import type { Holder } from './lock.ts';
import type { Session } from './schema.ts';
import { inJournalFolder } from './source.ts';
import type { SessionStore } from './store.ts';

const LOOK_MS = 500;

export interface FollowListener {
  /** The record as it is now, read anew. */
  changed(session: Session): void;
  /** Nobody holds the session any more: it can be opened. */
  free(): void;
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

  #later(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    try {
      const holder = await this.#store.holder(this.name);
      const stamp = await stampOf(this.#store, this.name);
      if (stamp !== this.#stamp) {
        this.session = await this.#store.read(this.name);
        this.#stamp = stamp;
        if (!this.#closed) this.#listener.changed(this.session);
      }
      if (holder !== undefined) this.holder = holder;
      else if (!this.#closed) return this.#listener.free();
    } catch {
      // Between two states of the disk, or for a moment out of reach: look again.
    }
    this.#later();
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
