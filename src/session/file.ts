/**
 * One session's file behind open, append, flush and close. Memory is changed at once, by the same fold as everywhere; the
 * promise of `append` settles when the event is on the disk (R6). The file is written whole, to a temporary file that is
 * synced and renamed, one write for all events that wait.
 */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { SessionEvent } from './events.ts';
import { renderSession } from './layout.ts';
import { reduce } from './reduce.ts';
import type { Session } from './schema.ts';

/** Of a streaming answer at most this much is lost in a crash (R6). */
const STREAM_DELAY_MS = 500;

export class SessionFile {
  readonly path: string;
  readonly session: Session;
  readonly #absent: ReadonlySet<string>;
  #dirty = false;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failed: ((error: Error) => void) | undefined;

  /** `absent`: header keys that the file has not, and that stay so while they are empty (R2). */
  constructor(path: string, session: Session, absent: ReadonlySet<string> = new Set()) {
    this.path = path;
    this.session = session;
    this.#absent = absent;
  }

  /** Called when text that streams could not be written: nobody waits for that. */
  onFailure(listener: (error: Error) => void): void {
    this.#failed = listener;
  }

  /** Rejects when the event could not be written; it stays in memory and goes with the next write. */
  append(event: SessionEvent): Promise<void> {
    reduce(this.session, event);
    this.#dirty = true;
    if (event.type !== 'part_extended') return this.flush();
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error: unknown) => this.#failed?.(error as Error));
    }, STREAM_DELAY_MS);
    return Promise.resolve();
  }

  /** Settles when everything appended so far is on the disk. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A write that runs may have begun before the newest event: wait for it, then for one that began after.
    await this.#writing?.catch(() => undefined);
    if (this.#dirty)
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
    // Another caller that waited may have begun it.
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
  }

  async #write(): Promise<void> {
    this.#dirty = false;
    try {
      await replaceFile(this.path, renderSession(this.session, this.#absent));
    } catch (error) {
      this.#dirty = true;
      throw error;
    }
  }
}

/** Temp, sync, rename, folder sync: after a crash the file is the old one or the new one, whole. Owner-only (R15). */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  try {
    await writeSynced(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows cannot sync a folder
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
