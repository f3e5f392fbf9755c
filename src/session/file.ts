/**
 * One session's file behind open, append, flush and close (design: The record on disk). Memory is changed at once, by the same
 * fold as everywhere. The promise of `append` settles when the event is durable in the journal. The end of the file is put in order
 * behind that, and no event waits for it; only while a new journal begins, what comes waits for its base, which is as long as the
 * end.
 */
import type { SessionEvent } from './events.ts';
import { assertOwnFolders, makeFolders } from './folders.ts';
import type { Journal } from './journal.ts';
import { JournalSeries } from './journalSeries.ts';
import { json } from './layout.ts';
import type { Lock } from './lock.ts';
import { forThePerson, SessionError } from './parse.ts';
import { readForOwner, type Opened } from './record.ts';
import { recover } from './recovery.ts';
import { reduce } from './reduce.ts';
import type { Session } from './schema.ts';
import { filePath, type Place } from './source.ts';
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

/** The end of the file as of some moment. */
interface End {
  bytes: Buffer;
  advance: Advance;
  /** How many events it holds. */
  events: number;
}

export class SessionFile {
  readonly session: Session;
  readonly #place: Place;
  readonly #lock: Lock;
  readonly #tail: Tail;
  readonly #transforms: () => Transforms;
  readonly #file: WrittenFile;
  readonly #journals: JournalSeries;
  #journal: Journal | undefined;
  #endLength = 0;
  /** So many bytes of the journal make a checkpoint due. */
  #due = CHECKPOINT_BYTES;
  #waiting: Waiting[] = [];
  /** Text that streams, not yet in the journal. */
  #streamed: { at: string; text: string } | undefined;
  #streamTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #looking: NodeJS.Timeout;
  #pump: Promise<void> | undefined;
  #checkpoint: Promise<void> | undefined;
  #wantCheckpoint = false;
  /** Events in memory, and how many of them the file itself holds, in order. */
  #appended = 0;
  #inFile = 0;
  /** Memory holds events that could not be written, so that only a new journal can take what follows. */
  #unsaved = false;
  /** Why the last checkpoint failed; undefined when it did not. */
  #fault: unknown;
  #closed = false;
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
    this.#journals = new JournalSeries(place, lock.number);
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
    read = () => readForOwner(place),
  ): Promise<{ file: SessionFile; notices: string[] }> {
    const opened = await read();
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

  /**
   * Rejects with a SessionError when the event could not be written; it stays in memory and goes into the next journal that can
   * be.
   */
  append(given: SessionEvent): Promise<void> {
    // Another may own the file by now, and two writers would ruin it.
    if (this.#closed)
      return Promise.reject(new SessionError(`The session ${JSON.stringify(this.#place.name)} was closed.`));
    // Once, so that memory, the end of the file and the journal have the same text.
    const event = wellFormed(given);
    const written = transform(event, this.session, this.#transforms());
    reduce(this.session, event);
    this.#tail.apply(written);
    this.#appended++;
    clearTimeout(this.#idleTimer);
    if (event.type === 'part_extended') {
      this.#streamed = { at: event.at, text: (this.#streamed?.text ?? '') + event.text };
      this.#streamTimer ??= setTimeout(() => this.#tellFailure(this.#enqueueStreamed()), STREAM_DELAY_MS);
      return Promise.resolve();
    }
    // Nobody waits for the text before this event alone: if it cannot be written, neither can the event.
    this.#queueStreamed()?.catch(() => undefined);
    return this.#enqueue(json(written));
  }

  /** Settles when everything appended so far is durable and stands in the file itself. Throws SessionError when the disk does not take it. */
  async flush(): Promise<void> {
    const events = this.#appended;
    await this.#enqueueStreamed();
    try {
      await this.#quiet();
      // A checkpoint that ran already need not hold the newest events.
      while (!(await this.#holds(events))) {
        this.#fault = undefined;
        this.#wantCheckpoint = true;
        this.#start();
        await this.#quiet();
        const fault = this.#fault; // another one may be saving too
        if (fault !== undefined && !(await this.#holds(events))) throw this.#inWords(fault);
      }
    } catch (error) {
      throw this.#inWords(error);
    }
  }

  /** Whether the file itself has that many events, and is still ours. */
  async #holds(events: number): Promise<boolean> {
    return this.#inFile >= events && !(await this.#file.isReplaced());
  }

  /** Puts the file in order, so that it stands by itself, and gives the lock back. Throws SessionError when it could not be done. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    clearTimeout(this.#idleTimer);
    try {
      await this.#enqueueStreamed()?.catch(() => undefined); // it is in memory, and tried again
      await this.#quiet();
      await this.#settle();
    } catch (error) {
      throw this.#inWords(error);
    } finally {
      clearTimeout(this.#idleTimer);
      await this.#journal?.close().catch(() => undefined);
      this.#journal = undefined;
      await this.#file.close().catch(() => undefined);
      await this.#lock.release().catch((error: unknown) => {
        throw forThePerson(`The session ${JSON.stringify(this.#place.name)} cannot be given back`, error);
      });
    }
  }

  #enqueueStreamed(): Promise<void> | undefined {
    const written = this.#queueStreamed();
    if (written !== undefined) this.#start();
    return written;
  }

  #enqueue(text: string): Promise<void> {
    const written = this.#queue(text);
    this.#start();
    return written;
  }

  /** Puts the text that streams behind what waits. */
  #queueStreamed(): Promise<void> | undefined {
    clearTimeout(this.#streamTimer);
    this.#streamTimer = undefined;
    if (this.#streamed === undefined) return undefined;
    const { at, text } = this.#streamed;
    this.#streamed = undefined;
    return this.#queue(json({ type: 'part_extended', at, text }));
  }

  #queue(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
    });
  }

  /** For text that nobody waits for. What is known already is not told again. */
  #tellFailure(written: Promise<void> | undefined): void {
    const known = this.#unsaved;
    written?.catch((error: unknown) => {
      if (!known) this.#onFailure(error as Error);
    });
  }

  async #quiet(): Promise<void> {
    await this.#pump;
    await this.#checkpoint;
  }

  #start(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
      if (this.#waiting.length > 0 || this.#wantCheckpoint) this.#start();
      else this.#rest();
    });
  }

  /** Writes what waits, one sync for all of it, until nothing does. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#wantCheckpoint) {
      const due = this.#wantCheckpoint || (this.#journal?.bytes ?? 0) >= this.#due;
      this.#wantCheckpoint = false;
      try {
        await this.#assertOwner();
        if (this.#journal === undefined || this.#journal.failed || this.#unsaved) await this.#begin();
        else if (due && this.#checkpoint === undefined) await this.#tryBegin(this.#journal);
        else await this.#write(this.#journal);
      } catch (error) {
        this.#refuse(error);
      }
    }
  }

  async #write(journal: Journal): Promise<void> {
    const count = this.#waiting.length;
    if (count === 0) return;
    await journal.append(this.#waiting.map(({ text }) => text));
    this.#assertHeld();
    // What a reader would not find there is not acknowledged: the next round begins a new journal, which holds it too.
    if (!journal.isInPlace() || (this.#checkpoint === undefined && this.#file.isReplacedNow())) {
      journal.failed = true;
      return;
    }
    for (const { resolve } of this.#waiting.splice(0, count)) resolve();
  }

  #refuse(error: unknown): void {
    this.#fault = error;
    if (this.#waiting.length === 0) return;
    this.#unsaved = true;
    const words = this.#inWords(error);
    for (const { reject } of this.#waiting.splice(0)) reject(words);
  }

  #inWords(error: unknown): Error {
    return forThePerson(`${this.#place.name}.json cannot be written`, error);
  }

  /** A checkpoint that fails leaves the journal that there is, which takes what waits, unless it is lost too. */
  async #tryBegin(journal: Journal): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      if (journal.failed) throw error;
      this.#fault = error;
      this.#due = journal.bytes + CHECKPOINT_BYTES; // not with each event again
    }
  }

  /**
   * A new journal, whose base holds everything behind the front: also what waits, and what an earlier write could not bring to
   * the disk. Then, without anybody waiting for it, the end of the file, and the old journal goes.
   */
  async #begin(): Promise<void> {
    await this.#checkpoint; // it moves the front, which the new base begins behind
    await assertOwnFolders(this.#place.dir);
    // The base is for the front that stands there.
    if (await this.#file.isReplaced()) await this.#writeWhole();
    this.#tellFailure(this.#queueStreamed());
    const count = this.#waiting.length;
    const end = this.#render();
    const old = this.#journal;
    const journal = await this.#journals.next(await this.#file.mark(), end.bytes, old);
    if (this.#lock.state() === 'taken') {
      await this.#journals.drop(journal);
      throw this.#takenOver();
    }
    this.#journal = journal;
    this.#unsaved = false;
    this.#endLength = end.bytes.length;
    this.#due = Math.max(CHECKPOINT_BYTES, end.bytes.length);
    for (const { resolve } of this.#waiting.splice(0, count)) resolve();
    this.#checkpoint = this.#bringInOrder(end, old).finally(() => {
      this.#checkpoint = undefined;
    });
  }

  #render(): End {
    return { ...this.#tail.render(), events: this.#appended };
  }

  /** When it fails the journal holds everything, and the next checkpoint tries again. */
  async #bringInOrder(end: End, old: Journal | undefined): Promise<void> {
    await old?.close().catch(() => undefined);
    try {
      await this.#rewriteEnd(end);
      this.#assertHeld();
      await this.#journals.removeOlder();
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
    }
  }

  async #rewriteEnd({ bytes, advance, events }: End): Promise<void> {
    if (await this.#file.isReplaced()) return this.#writeWhole();
    this.#assertHeld();
    await this.#file.rewriteEnd(bytes, advance.bytes);
    this.#tail.advance(advance);
    this.#inFile = events;
  }

  /** At the end no event can come any more, so the end is put in order under the journal that there is. */
  async #settle(): Promise<void> {
    if (this.#journal === undefined && this.#inFile === this.#appended) return;
    await this.#assertOwner();
    if (this.#journal === undefined || this.#journal.failed || this.#unsaved) {
      await this.#begin();
      await this.#checkpoint;
    }
    await this.#rewriteEnd(this.#render());
    await this.#journal?.close().catch(() => undefined);
    this.#assertHeld();
    await this.#journals.removeAll();
  }

  /**
   * Between the first look at the lock and this one the process may have slept for long, and another have taken over: then
   * nothing more is written, and nothing acknowledged.
   */
  #assertHeld(): void {
    if (this.#lock.state() === 'taken') throw this.#takenOver();
  }

  /** After a moment without events the file is put in order for other programs; also when that failed, some time later. */
  #rest(): void {
    clearTimeout(this.#idleTimer);
    if (this.#inFile === this.#appended) return;
    const long = this.#endLength > LONG_END_BYTES || this.#fault !== undefined;
    this.#idleTimer = setTimeout(
      () => {
        if (this.#inFile === this.#appended) return;
        this.#wantCheckpoint = true;
        this.#start();
      },
      long ? LONG_IDLE_MS : IDLE_MS,
    ).unref();
  }

  /** What another program made of the file while nothing happened is set aside, and ours written again. */
  async #look(): Promise<void> {
    if (this.#pump !== undefined || this.#checkpoint !== undefined || this.#lock.state() !== 'held') return;
    if (this.#journal?.failed !== true && !(await this.#file.isReplaced())) return;
    if (this.#closed) return;
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
  }

  #takenOver(): SessionError {
    const unsaved = unsavedWords(this.#waiting.map(({ text }) => text));
    return new SessionError(
      `Another program has taken over the session ${JSON.stringify(this.#place.name)}.${unsaved === '' ? '' : ` Not saved: ${unsaved}.`} Load it again to go on.`,
    );
  }

  /** Another program changed the file: its version is set aside, ours is written whole, and the person is told. */
  async #writeWhole(): Promise<void> {
    const { bytes, advance, events } = this.#render();
    this.#assertHeld();
    const kept = await this.#file.replace(bytes, advance.bytes);
    this.#tail.advance(advance);
    this.#inFile = events;
    const what = kept === undefined ? 'was removed' : `was changed by another program; its version is kept as ${kept}`;
    this.#onNotice(`${this.#place.name}.json ${what}. The session was written again, complete.`);
  }
}
