/**
 * One writer (R8). A lock is a file `.journal/<name>.lock.<n>`; the highest n owns. It is made whole and only if nobody else made
 * it; released by a mark, never by removing it, so that two takers can never both win. A dead or released one is taken by making
 * n+1.
 */
import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { lstat, mkdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { nanoid } from 'nanoid';
import { z } from 'zod';

import { claim, replaceFile, writeAll, writeNew } from './disk.ts';
import { attempt, bootId, DEAD, pidNamespace, startOf } from './machine.ts';
import { refused, SessionError } from './parse.ts';
import { NotRegular, openRegular, readAt } from './regular.ts';
import { sequenceNumber } from './sequence.ts';
import { inJournalFolder, journalFolder, type Place } from './source.ts';
import { visibleLine } from './visible.ts';

const BEAT_MS = 5000;
/** An owner on another machine, or of which the system says too little, is dead without a beat for this long. */
const SILENT_MS = 30_000;
/** Each time somebody else was faster, so more of them than ever ask at once. */
const ATTEMPTS = 100;
/** A lock is never longer. */
const MAX_BYTES = 16 * 1024;

const lockSchema = z.looseObject({
  /** Distinguishes two locks of one process. */
  token: z.string(),
  host: z.string(),
  /** Changes when the machine starts: a process id from before means nothing. */
  boot: z.string(),
  /** Process ids are comparable only within one namespace (containers). */
  pid_namespace: z.string(),
  pid: z.number().int().positive(),
  /** When that process began, in the system's own words: process ids are used again. */
  started: z.string(),
  /** `VS Code`, `command line`: for the person. */
  program: z.string(),
  since: z.string(),
  released: z.boolean().optional(),
});
type LockContent = z.infer<typeof lockSchema>;

export interface Holder {
  program: string;
  pid: number;
  host: string;
  since: string;
}

/** `VS Code (process 12 on laptop, since 2026-11-29 12:00:00 UTC)` */
export function describeHolder({ program, pid, host, since }: Holder): string {
  const began = visibleLine(since.slice(0, 19).replace('T', ' '));
  return `${visibleLine(program)} (process ${pid} on ${visibleLine(host)}, since ${began} UTC)`;
}

/** The same of whoever holds the session now; undefined when nobody does. Throws SessionError. */
export async function ownerOf(place: Place): Promise<string | undefined> {
  const holder = await Lock.holder(place);
  return holder === undefined ? undefined : describeHolder(holder);
}

/** Somebody else holds the session; the message names them. */
export class HeldError extends SessionError {
  readonly holder: Holder;
  constructor(session: string, holder: Holder) {
    super(
      `The session ${JSON.stringify(session)} is open in ${describeHolder(holder)}. Leave it there first, or use another session.`,
    );
    this.holder = holder;
  }
}

export class Lock {
  readonly #place: Place;
  readonly #number: number;
  readonly #content: LockContent;
  /** The last owner was on another machine, which may still hold the file open. */
  readonly taken_from_elsewhere: boolean;
  #beat: NodeJS.Timeout;
  #released = false;
  readonly #own: string;
  readonly #next: string;
  /** The lock file when it was last read and was ours. */
  #verified: Stats | undefined;

  /** Grows from owner to owner. */
  get number(): number {
    return this.#number;
  }

  private constructor(place: Place, number: number, content: LockContent, elsewhere: boolean) {
    this.#place = place;
    this.#number = number;
    this.#own = lockPath(place, number);
    this.#next = lockPath(place, number + 1);
    this.#content = content;
    this.taken_from_elsewhere = elsewhere;
    this.#beat = setInterval(() => {
      this.#touch().catch(() => undefined); // state() tells
    }, BEAT_MS).unref();
  }

  /**
   * Throws {@link HeldError} when a live owner holds it, SessionError when the folder of locks does not let one be taken.
   * `program` is what others are told.
   */
  static async acquire(place: Place, program: string): Promise<Lock> {
    const folder = journalFolder(place.dir);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const current = await newestLock(place);
      if (current !== undefined && !(await isFree(current)))
        throw new HeldError(place.name, current.content ?? UNKNOWN);
      const number = (current?.number ?? 0) + 1;
      if (!Number.isSafeInteger(number))
        throw new SessionError(
          `No lock can follow ${lockPath(place, number - 1)}. Remove that file when no program has the session open.`,
        );
      const content = ownContent(program);
      if (!(await make(place, number, content))) continue; // another one was faster: look again
      if ((await newestLock(place))?.number !== number) continue;
      // What cannot be removed, such as a folder, owns nothing either.
      for (const lower of await listLocks(place))
        if (lower < number) await rm(lockPath(place, lower), { force: true }).catch(() => undefined);
      return new Lock(
        place,
        number,
        content,
        current?.content !== undefined && current.content.released !== true && !isHere(current.content),
      );
    }
    // A name that is taken and not listed, as where letter case does not count.
    throw new SessionError(
      `The session ${JSON.stringify(place.name)} cannot be locked: ${folder} does not show all that is in it. Remove the locks in it that differ from the name in letter case alone.`,
    );
  }

  /** Who holds the session now; undefined when nobody live does. Changes nothing. Throws SessionError when it cannot be told. */
  static async holder(place: Place): Promise<Holder | undefined> {
    const current = await newestLock(place);
    return current === undefined || (await isFree(current)) ? undefined : (current.content ?? UNKNOWN);
  }

  /** Whether anybody ever opened the session to write to it, here. */
  static async exists(place: Place): Promise<boolean> {
    return (await listLocks(place)).length > 0;
  }

  /** Whether the lock is still ours. Cheap: asked before each write. `gone`: it is not there any more, nor maybe its folder. */
  state(): 'held' | 'taken' | 'gone' {
    if (this.#released || existsSync(this.#next)) return 'taken';
    const info = lookAt(this.#own);
    if (info === undefined) return 'gone';
    if (!info.isFile() || info.size > MAX_BYTES) return 'taken';
    // It is read again only when it is not the file that was read last: each beat changes its time.
    const seen = this.#verified;
    if (info.ino === seen?.ino && info.mtimeMs === seen.mtimeMs && info.ctimeMs === seen.ctimeMs) return 'held';
    const found = attempt(() => readFileSync(this.#own, 'utf8'));
    if (found === undefined) return 'gone';
    if (!found.includes(this.#content.token)) return 'taken';
    this.#verified = info;
    return 'held';
  }

  /** By writing the byte that is there already, so that the time is the file system's, by which silence is measured. */
  async #touch(): Promise<void> {
    if (this.state() !== 'held') return;
    const handle = await openRegular(this.#own, 'write');
    try {
      await writeAll(handle, Buffer.from('{'), 0);
    } finally {
      await handle.close();
    }
  }

  /** After the folder was removed and made again. False when somebody else was faster. */
  async restore(): Promise<boolean> {
    return (await listLocks(this.#place)).length === 0 && (await make(this.#place, this.#number, this.#content));
  }

  async release(): Promise<void> {
    if (this.#released) return;
    clearInterval(this.#beat);
    const mine = this.state() === 'held';
    this.#released = true;
    if (!mine) return;
    const content = { ...this.#content, released: true };
    await replaceFile(this.#own, [Buffer.from(JSON.stringify(content))]).catch(() => this.#releaseInPlace(content));
  }

  /** On a full disk: over what is there, for which there is room; words for a person that nobody needs any more make it. */
  async #releaseInPlace(content: LockContent): Promise<void> {
    const handle = await openRegular(this.#own, 'write');
    try {
      const { size } = await handle.stat();
      await writeAll(handle, Buffer.from(JSON.stringify({ ...content, program: '', since: '' }).padEnd(size)), 0);
    } finally {
      await handle.close();
    }
  }

  /** After a session was deleted there is nothing left to lock. */
  async forget(): Promise<void> {
    await rm(this.#own, { force: true });
  }
}

const UNKNOWN: Holder = { program: 'another program', pid: 0, host: 'unknown', since: '' };

interface Found {
  number: number;
  /** Undefined when the file is not what it should be. */
  content: LockContent | undefined;
  path: string;
}

async function newestLock(place: Place): Promise<Found | undefined> {
  for (;;) {
    const number = (await listLocks(place)).reduce((highest, each) => Math.max(highest, each), 0);
    if (number === 0) return undefined;
    const path = lockPath(place, number);
    try {
      return { number, path, content: parse(await readLock(path)) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A new owner has removed it since it was listed: there is a newer one.
      if (code === 'ENOENT') continue;
      // What nobody may read, or is no file, says nothing; that it is silent can be seen all the same.
      if (code !== 'EACCES' && !(error instanceof NotRegular)) refused(`${path} cannot be read`, error);
      return { number, path, content: undefined };
    }
  }
}

/** No more than a lock can hold. */
async function readLock(path: string): Promise<string> {
  const handle = await openRegular(path);
  try {
    return (await readAt(handle, 0, MAX_BYTES)).toString();
  } finally {
    await handle.close();
  }
}

function parse(text: string): LockContent | undefined {
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function listLocks({ dir, name }: Place): Promise<number[]> {
  const prefix = `${name}.lock.`;
  return (await inJournalFolder(dir))
    .filter((file) => file.startsWith(prefix))
    .map((file) => sequenceNumber(file.slice(prefix.length)))
    .filter((number) => number !== undefined);
}

/** False when it exists: only one taker makes n+1. */
function make(place: Place, number: number, content: LockContent): Promise<boolean> {
  return claim(lockPath(place, number), Buffer.from(JSON.stringify(content)));
}

/**
 * Released, or its owner is dead. On this machine silence does not decide, because a sleeping laptop is not dead; but where the
 * system does not say when a process began, its id alone proves nothing either.
 */
async function isFree({ content, path }: Found): Promise<boolean> {
  if (content?.released === true) return true;
  if (content !== undefined && isHere(content)) {
    const alive = isAlive(content);
    if (alive !== undefined) return !alive;
    if (!(await isSilent(path))) return false;
    // A machine that has just woken up lets its owner beat first.
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS + 1000));
    return isSilent(path);
  }
  // Another boot of a machine of this name need not be this machine: two may be called `localhost`.
  return isSilent(path);
}

/** A beat from the future is none: it would count for ever. */
async function isSilent(path: string): Promise<boolean> {
  return Math.abs(await silence(path)) > SILENT_MS;
}

function isHere(content: LockContent): boolean {
  return content.host === hostname() && content.boot === bootId() && content.pid_namespace === pidNamespace();
}

/** Undefined when a process has the id and nobody can say whether it is the same. */
function isAlive({ pid, started }: LockContent): boolean | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startOf(pid);
  if (now === DEAD) return false;
  return now === undefined || started === '' ? undefined : now === started;
}

/** Milliseconds since the last beat, by the file system's own clock: the machines' clocks may differ. */
async function silence(path: string): Promise<number> {
  const probe = `${path}.${nanoid()}.tmp`;
  try {
    await writeNew(probe, []);
    const [beat, now] = await Promise.all([lstat(path), stat(probe)]);
    return now.mtimeMs - beat.mtimeMs;
  } catch {
    return 0;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

function ownContent(program: string): LockContent {
  return {
    token: nanoid(),
    host: hostname(),
    boot: bootId(),
    pid_namespace: pidNamespace(),
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    program,
    since: new Date().toISOString(),
  };
}

function lockPath({ dir, name }: Place, number: number): string {
  return join(journalFolder(dir), `${name}.lock.${number}`);
}

/** Undefined when there is nothing, because of a file in place of its folder too. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
