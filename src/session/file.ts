/**
 * One session's file behind open, append, flush and close (design: The record on disk). Memory is changed at once, by the same
 * fold as everywhere. The promise of `append` settles when the event is durable in the journal; putting the end of the file in
 * order comes behind that and never in its way.
 */
import { rm } from 'node:fs/promises';

import { syncFolder } from './disk.ts';
import type { SessionEvent } from './events.ts';
import { makeFolders } from './folders.ts';
import { Journal, journalPath, listJournals } from './journal.ts';
import { json, renderFront } from './layout.ts';
import type { Lock } from './lock.ts';
import { SessionError } from './parse.ts';
import { readForOwner, type Opened } from './record.ts';
import { recover } from './recovery.ts';
import { reduce } from './reduce.ts';
import type { Session } from './schema.ts';
import { filePath, journalFolder, type Place } from './source.ts';
import type { Advance, Tail } from './tail.ts';
import { transform, type Transforms } from './transforms.ts';
import { unsavedWords } from './unsaved.ts';
import { wellFormed } from './wellFormed.ts';
import { WrittenFile } from './writtenFile.ts';

/** Of a streaming answer at most this much is lost in a crash (R6). */
const STREAM_DELAY_MS = 500;
/** A checkpoint comes when the journal is as long as the end, but not before this. */
const CHECKPOINT_BYTES = 64 * 1024;
const IDLE_MS = 1000;
/** To put a long end in order costs more, so it waits longer. */
const LONG_END_BYTES = 1024 * 1024;
const LONG_IDLE_MS = 30_000;
/** How often it is looked whether another program changed the file while nothing happened. */
const LOOK_MS = 5000;

interface Waiting {
  text: string;
  resolve(): void;
  reject(error: unknown): void;
}

export class SessionFile {
  readonly session: Session;
  readonly #place: Place;
  readonly #lock: Lock;
  readonly #tail: Tail;
  readonly #transforms: () => Transforms;
  readonly #file: WrittenFile;
  #journal: Journal | undefined;
  /** Of the journal made last; recovery left none. */
  #number = 0;
  #endLength = 0;
  #waiting: Waiting[] = [];
  /** Text that streams, not yet in the journal. */
  #streamed: { at: string; text: string } | undefined;
  #streamTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #looking: NodeJS.Timeout;
  #pump: Promise<void> | undefined;
  #checkpoint: Promise<void> | undefined;
  #wantCheckpoint = false;
  /** Memory holds events that could not be written. */
  #unsaved = false;
  #onFailure: (error: Error) => void = () => undefined;
  #onNotice: (text: string) => void = () => undefined;

  private constructor(
    place: Place,
    lock: Lock,
    transforms: () => Transforms,
    { session, tail }: Opened,
    file: WrittenFile,
  ) {
    this.#place = place;
    this.#lock = lock;
    this.#transforms = transforms;
    this.session = session;
    this.#tail = tail;
    this.#file = file;
    this.#looking = setInterval(() => {
      this.#look().catch(() => undefined); // the next write tells
    }, LOOK_MS).unref();
  }

  /**
   * For the holder of the lock alone. What a crash left is put together and written whole; a file in another layout is written
   * in ours. `notices` say what the person must know; `transforms` is asked at each output. Throws SessionError.
   */
  static async open(
    place: Place,
    lock: Lock,
    transforms: () => Transforms,
  ): Promise<{ file: SessionFile; notices: string[] }> {
    const opened = await readForOwner(place);
    const notices = await recover(place, opened, lock.taken_from_elsewhere);
    const file = await WrittenFile.open(place, opened.front);
    return { file: new SessionFile(place, lock, transforms, opened, file), notices };
  }

  get path(): string {
    return filePath(this.#place);
  }

  /** Called when text that streams could not be written: nobody waits for that. */
  onFailure(listener: (error: Error) => void): void {
    this.#onFailure = listener;
  }

  /** Called with what the person must know, such as a file that another program changed. */
  onNotice(listener: (text: string) => void): void {
    this.#onNotice = listener;
  }

  /** Rejects when the event could not be written; it stays in memory and goes into the next journal that can be. */
  append(given: SessionEvent): Promise<void> {
    // Once, so that memory, the end of the file and the journal have the same text.
    const event = wellFormed(given);
    const written = transform(event, this.session, this.#transforms());
    reduce(this.session, event);
    this.#tail.apply(written);
    clearTimeout(this.#idleTimer);
    if (event.type === 'part_extended') {
      this.#streamed = { at: event.at, text: (this.#streamed?.text ?? '') + event.text };
      this.#streamTimer ??= setTimeout(() => {
        this.#enqueueStreamed()?.catch((error: unknown) => this.#onFailure(error as Error));
      }, STREAM_DELAY_MS);
      return Promise.resolve();
    }
    // Nobody waits for the text before this event alone: if it cannot be written, neither can the event.
    this.#enqueueStreamed()?.catch(() => undefined);
    return this.#enqueue(json(written));
  }

  /** Settles when everything appended so far is durable and the file itself is in order. Throws when the disk does not take it. */
  async flush(): Promise<void> {
    await this.#enqueueStreamed();
    // The second time where a checkpoint ran already, which does not hold the newest events.
    for (let tries = 0; tries < 2; tries++) {
      await this.#pump;
      await this.#checkpoint;
      if (!this.#unsaved && (this.#journal === undefined || this.#journal.bytes === 0)) return;
      this.#wantCheckpoint = true;
      this.#start();
    }
    await this.#pump;
    await this.#checkpoint;
    if (this.#unsaved) throw new SessionError(`The session cannot be written to ${this.path}. Is the disk full?`);
  }

  /** Puts the file in order, so that it stands by itself, and gives the lock back. */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    clearTimeout(this.#idleTimer);
    try {
      await this.#enqueueStreamed();
      await this.#pump;
      await this.#checkpoint;
      await this.#settle();
    } finally {
      clearTimeout(this.#idleTimer);
      await this.#journal?.close().catch(() => undefined);
      this.#journal = undefined;
      await this.#file.close().catch(() => undefined);
      await this.#lock.release();
    }
  }

  #enqueueStreamed(): Promise<void> | undefined {
    clearTimeout(this.#streamTimer);
    this.#streamTimer = undefined;
    if (this.#streamed === undefined) return undefined;
    const { at, text } = this.#streamed;
    this.#streamed = undefined;
    return this.#enqueue(json({ type: 'part_extended', at, text }));
  }

  #enqueue(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
      if (this.#waiting.length > 0) this.#start();
      else this.#rest();
    });
  }

  /** Writes what waits, one sync for all of it, until nothing does. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#wantCheckpoint) {
      const batch = this.#waiting;
      const due =
        this.#wantCheckpoint ||
        (this.#journal !== undefined && this.#journal.bytes >= Math.max(CHECKPOINT_BYTES, this.#endLength));
      this.#wantCheckpoint = false;
      try {
        await this.#assertOwner();
        if (this.#journal === undefined || this.#journal.failed) {
          await this.#begin();
          continue;
        }
        if (due && this.#checkpoint === undefined && (await this.#tryBegin())) continue;
        this.#waiting = [];
        await this.#journal.append(batch.map(({ text }) => text));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        if (batch.length > 0) this.#unsaved = true;
        this.#waiting = this.#waiting.filter((waiting) => !batch.includes(waiting));
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** A checkpoint that fails leaves the journal that there is; unless that is lost too, it takes what waits. */
  async #tryBegin(): Promise<boolean> {
    try {
      await this.#begin();
      return true;
    } catch (error) {
      if (this.#journal?.failed !== false) throw error;
      return false;
    }
  }

  /**
   * A new journal, whose base holds everything behind the front: also what waits, and what an earlier write could not bring to
   * the disk. Then, without anybody waiting for it, the end of the file, and the old journal goes.
   */
  async #begin(): Promise<void> {
    await this.#checkpoint; // it moves the front, which the new base begins behind
    const held = this.#waiting;
    const streamed = this.#streamed;
    this.#waiting = [];
    this.#streamed = undefined;
    const { bytes, advance } = this.#tail.render();
    const old = this.#journal;
    let journal: Journal;
    try {
      journal = await this.#create(bytes, old);
    } catch (error) {
      const again =
        streamed === undefined
          ? []
          : [{ text: json({ type: 'part_extended', ...streamed }), resolve: () => undefined, reject: () => undefined }];
      this.#waiting = [...held, ...again, ...this.#waiting];
      throw error;
    }
    this.#journal = journal;
    this.#unsaved = false;
    this.#endLength = bytes.length;
    for (const { resolve } of held) resolve();
    this.#checkpoint = this.#rewriteEnd(bytes, advance)
      .then(() => this.#removeJournals(journal.number, old))
      .catch(() => undefined) // the journal holds everything; the next checkpoint tries again
      .finally(() => {
        this.#checkpoint = undefined;
      });
  }

  async #create(base: Buffer, old: Journal | undefined): Promise<Journal> {
    const folder = journalFolder(this.#place.dir);
    const number = ++this.#number;
    try {
      const journal = await Journal.create(folder, this.#place.name, number, await this.#file.mark(), base);
      await syncFolder(folder);
      return journal;
    } catch (error) {
      // Something stands under that name which is not ours: the next is as good.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return this.#create(base, old);
      // A reader takes the newest whole journal: this one must not outlive later entries in the old one.
      await rm(journalPath(folder, this.#place.name, number), { force: true })
        .then(() => syncFolder(folder))
        .catch(() => {
          if (old !== undefined) old.failed = true;
        });
      throw error;
    }
  }

  async #rewriteEnd(bytes: Buffer, advance: Advance): Promise<void> {
    if (await this.#file.isReplaced()) return this.#writeWhole();
    await this.#file.rewriteEnd(bytes, advance.bytes);
    this.#tail.advance(advance);
  }

  /** At the end no event can come any more, so the end is put in order under the journal that there is. */
  async #settle(): Promise<void> {
    if (this.#journal === undefined && !this.#unsaved) return;
    await this.#assertOwner();
    if (this.#journal === undefined || this.#journal.failed) {
      await this.#begin();
      await this.#checkpoint;
    }
    const { bytes, advance } = this.#tail.render();
    await this.#rewriteEnd(bytes, advance);
    await this.#removeJournals(Number.POSITIVE_INFINITY, this.#journal);
  }

  async #removeJournals(below: number, old: Journal | undefined): Promise<void> {
    await old?.close().catch(() => undefined);
    const folder = journalFolder(this.#place.dir);
    // Oldest first: cut off in between, the newest is still the one that counts.
    for (const { path, number } of (await listJournals(folder, this.#place.name)).toReversed())
      if (number < below) await rm(path, { force: true });
  }

  /** After a moment without events the end is put in order for other programs. */
  #rest(): void {
    clearTimeout(this.#idleTimer);
    if (this.#journal === undefined || (this.#journal.bytes === 0 && !this.#journal.failed)) return;
    this.#idleTimer = setTimeout(
      () => {
        this.#wantCheckpoint = true;
        this.#start();
      },
      this.#endLength > LONG_END_BYTES ? LONG_IDLE_MS : IDLE_MS,
    ).unref();
  }

  /** What another program made of the file while nothing happened is set aside, and ours written again. */
  async #look(): Promise<void> {
    if (this.#pump !== undefined || this.#checkpoint !== undefined || this.#lock.state() !== 'held') return;
    if (this.#journal?.failed !== true && !(await this.#file.isReplaced())) return;
    this.#wantCheckpoint = true;
    this.#start();
  }

  /**
   * Throws when we may not write. A folder that was removed under us is said once, so that the turn stops; then it is made again
   * and everything is written, because memory has it all.
   */
  async #assertOwner(): Promise<void> {
    const state = this.#lock.state();
    if (state === 'held') return;
    if (state === 'taken') throw this.#takenOver();
    await this.#checkpoint;
    if (this.#journal !== undefined) {
      await this.#journal.close().catch(() => undefined);
      this.#journal = undefined;
      throw new SessionError(`The folder ${this.#place.dir}, or the lock in its .journal, was removed.`);
    }
    await makeFolders(this.#place.dir);
    if (!(await this.#lock.restore())) throw this.#takenOver();
    await this.#writeWhole();
  }

  #takenOver(): SessionError {
    const unsaved = unsavedWords(this.#waiting.map(({ text }) => text));
    return new SessionError(
      `Another program has taken over the session ${JSON.stringify(this.#place.name)}.${unsaved === '' ? '' : ` Not saved: ${unsaved}.`} Load it again to go on.`,
    );
  }

  /** Another program changed the file: its version is set aside, ours is written whole, and the person is told. */
  async #writeWhole(): Promise<void> {
    const own = await this.#file.front();
    // It vouches for the bytes that were lost, so it counts no more; what comes now waits for the next.
    if (own === undefined && this.#journal !== undefined) this.#journal.failed = true;
    const front = own ?? renderFront(this.session, this.#tail.inFront(this.session));
    const { bytes, advance } = this.#tail.render();
    const kept = await this.#file.replace(front, bytes, advance.bytes);
    this.#tail.advance(advance);
    const what = kept === undefined ? 'was removed' : `was changed by another program; its version is kept as ${kept}`;
    this.#onNotice(`${this.#place.name}.json ${what}. The session was written again, complete.`);
  }
}
