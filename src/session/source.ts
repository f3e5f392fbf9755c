/**
 * A consistent look at a session on disk, beside a live owner or after a crash, without changing anything: the newest journal
 * whose base is whole, the front that it vouches for, then its events. The end of a file that has a journal is never read.
 */
import { createHash } from 'node:crypto';
import { readdir, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { toLayout } from './foreign.ts';
import { readNewestJournal, upTo, type JournalContent } from './journal.ts';
import { LayoutParser, NotOurLayout, type RecordVisitor } from './layoutParser.ts';
import { LineSplitter } from './lines.ts';
import { assertSession, refused, SessionError } from './parse.ts';
import { DoesNotFollow } from './reduce.ts';
import { NotRegular, openRegular, readAt } from './regular.ts';
import { visible } from './visible.ts';

/** Where a session's file and its journals stand. */
export interface Place {
  /** The folder of sessions. */
  dir: string;
  name: string;
}

export function filePath({ dir, name }: Place): string {
  return join(dir, `${name}.json`);
}

export function journalFolder(dir: string): string {
  return join(dir, '.journal');
}

/** Names of what is in it; none where there is no such folder. Throws SessionError. */
export async function inJournalFolder(dir: string): Promise<string[]> {
  return readdir(journalFolder(dir)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    return refused(`The folder ${journalFolder(dir)} cannot be read`, error);
  });
}

/** `hint`: what else to say than where all are listed. */
export function noSession(
  name: string,
  hint = '"polyglav sessions" (in the chat: /sessions) lists them.',
): SessionError {
  return new SessionError(`There is no session ${JSON.stringify(name)}. ${hint}`);
}

/** Layouts of others are read whole, up to this size (R10). */
export const MAX_FOREIGN_BYTES = 500 * 1024 * 1024;
const ATTEMPTS = 40;
/** Before a file is called changed that an owner may be writing anew. */
const OWNED_ATTEMPTS = 10;

/** Something changed while we looked: look again. */
class Changed extends Error {}

export interface Look<T> {
  /** What the visitor became, from the front, the base and the events since (or the whole file). */
  visited: T;
  /** The journal that was read, as far as it could be; undefined when the file is whole by itself. */
  journal: JournalContent | undefined;
  /** Every journal file that was there. */
  journals: string[];
  /** The file's text in our layout, when it stands in another one. */
  converted: string | undefined;
  /** The journal does not fit the file, which was changed by another program: the file was read, the journal was not. */
  mismatch: boolean;
  /** The file, still open, when it was asked to be held: what was seen of it stays readable whatever happens to its name. */
  handle?: FileHandle;
}

/** For a reader: the owner has the record, whatever became of the file. */
export function besideOwner({ name }: Place, what: 'changed' | 'removed', owner: string): SessionError {
  return new SessionError(
    `${name}.json was ${what} by another program while the session is open in ${owner}, which writes it again. Try in a moment.`,
  );
}

export interface LookOptions {
  /** To leave the file open: whoever asks for it closes it. */
  hold?: boolean;
  /** Who has the session open, in words. Not for the owner itself, for whom a file that was changed counts. */
  owner?: () => Promise<string | undefined>;
}

/**
 * Reads the record once and lets a fresh visitor see it; starts over as long as an owner changes it under us. `make` is
 * called for each attempt. Throws SessionError with the reason when the session does not load, also when another program has
 * changed the file beside its owner: the owner has the record, and writes it again.
 */
export async function look<T extends RecordVisitor>(
  place: Place,
  make: () => T,
  { hold = false, owner = async () => undefined }: LookOptions = {},
): Promise<Look<T>> {
  let mismatch: JournalContent | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookOnce(place, make, mismatch, hold);
    } catch (error) {
      if (error instanceof Mismatch) {
        const beside = await owner();
        if (beside !== undefined && attempt >= OWNED_ATTEMPTS) throw besideOwner(place, 'changed', beside);
        // Twice the same, and no owner: nobody is rewriting it, the file itself was replaced.
        mismatch = beside === undefined ? error.journal : undefined;
      } else if (!(error instanceof Changed) && (error as NodeJS.ErrnoException).code !== 'ENOENT')
        refused(`${place.name}.json cannot be read`, error);
      if (attempt === ATTEMPTS)
        throw new SessionError(`${place.name}.json cannot be read: it does not stand still. Try again.`);
      await new Promise((resolve) => setTimeout(resolve, attempt));
    }
  }
}

/** Bytes that no JSON text has, and those in front of them. */
class Nul extends Error {
  readonly before: Buffer;
  constructor(before: Buffer) {
    super('NUL bytes');
    this.before = Buffer.from(before);
  }
}

class Mismatch extends Error {
  readonly journal: JournalContent;
  constructor(journal: JournalContent) {
    super('the front does not fit the journal');
    this.journal = journal;
  }
}

async function lookOnce<T extends RecordVisitor>(
  place: Place,
  make: () => T,
  known: JournalContent | undefined,
  hold: boolean,
): Promise<Look<T>> {
  const { paths, content } = await readNewestJournal(journalFolder(place.dir), place.name);
  const mismatch = known !== undefined && content?.path === known.path && content.front.sum === known.front.sum;
  const handle = await openFile(place);
  let seen: Look<T> | undefined;
  try {
    if (content !== undefined && !mismatch) seen = await withJournal(place, handle, make, content, paths);
    else {
      // An owner that started meanwhile may have rewritten the end while we read it, whole or not.
      const whole = await withoutJournal(place, handle, make).finally(async () => {
        const after = await readNewestJournal(journalFolder(place.dir), place.name);
        if (after.content?.path !== content?.path) throw new Changed();
      });
      seen = { ...whole, journal: undefined, journals: paths, mismatch };
    }
  } finally {
    if (!hold || seen === undefined) await handle.close();
  }
  return hold ? { ...seen, handle } : seen;
}

async function openFile(place: Place): Promise<FileHandle> {
  try {
    return await openRegular(filePath(place));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noSession(place.name);
    if (error instanceof NotRegular)
      throw new SessionError(`${place.name}.json is not a regular file. It was left as it is.`);
    throw error;
  }
}

async function withJournal<T extends RecordVisitor>(
  place: Place,
  handle: FileHandle,
  make: () => T,
  journal: JournalContent,
  journals: string[],
): Promise<Look<T>> {
  const visited = make();
  const parser = new LayoutParser(visited);
  const hash = createHash('sha256');
  const splitter = new LineSplitter(parser.take, parser.takeTurns);
  // The whole front is summed up first: what is no session may be a front that was changed.
  const failures: Error[] = [];
  const attempt = (read: () => void) => {
    if (failures.length > 0) return;
    try {
      read();
    } catch (error) {
      failures.push(error as Error);
    }
  };
  const length = await readBytes(handle, journal.front.length, (bytes) => {
    hash.update(bytes);
    attempt(() => {
      splitter.push(bytes);
      assertLine(splitter);
    });
  });
  if (length !== journal.front.length || hash.digest('hex') !== journal.front.sum) throw new Mismatch(journal);
  attempt(() => {
    splitter.push(journal.end);
    splitter.finish();
    parser.finish();
  });
  const [failure] = failures;
  if (failure !== undefined) throw isOther(failure) ? unfit(place, journal, failure.message) : failure;
  return { visited, journal: follow(visited, journal), journals, converted: undefined, mismatch: false };
}

function unfit({ name }: Place, { path }: JournalContent, why: string): SessionError {
  return new SessionError(
    `${name}.json does not load: its journal .journal/${basename(path)} does not go on where the file stops (${visible(why)}). Both were left as they are. Move the journal away to go on without it.`,
  );
}

/** Lets the visitor see what happened, up to what cannot have. */
function follow(visited: RecordVisitor, journal: JournalContent): JournalContent {
  for (const [position, { event }] of journal.entries.entries())
    try {
      visited.event?.(event);
    } catch (error) {
      if (!(error instanceof DoesNotFollow)) throw error;
      return upTo(journal, position, error.message);
    }
  return journal;
}

/** What is not a whole line yet is held. */
function assertLine({ partial }: LineSplitter): void {
  if (partial > MAX_FOREIGN_BYTES) throw new NotOurLayout('a line is longer than 500 MB');
}

/** Another layout, or bytes that are no UTF-8. */
function isOther(error: unknown): boolean {
  return error instanceof NotOurLayout || error instanceof TypeError;
}

async function withoutJournal<T extends RecordVisitor>(
  place: Place,
  handle: FileHandle,
  make: () => T,
): Promise<{ visited: T; converted: string | undefined }> {
  const before = await handle.stat({ bigint: true });
  let nul: Nul | undefined;
  try {
    const visited = make();
    const parser = new LayoutParser(visited);
    const splitter = new LineSplitter(parser.take, parser.takeTurns);
    await readBytes(handle, Number(before.size), (bytes) => {
      // At once, because the holes of a file may be of any size.
      if (bytes.includes(0)) throw new Nul(bytes.subarray(0, bytes.indexOf(0)));
      splitter.push(bytes);
      // Ours has short lines at its beginning; another layout may be a single line of any length, which is not collected.
      if (splitter.whole === 0) throw new NotOurLayout('its first line is too long');
      assertLine(splitter);
    });
    splitter.finish();
    parser.finish();
    const after = await handle.stat({ bigint: true });
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw new Changed();
    return { visited, converted: undefined };
  } catch (error) {
    const after = await handle.stat({ bigint: true });
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw new Changed();
    // What is no UTF-8 is refused when it is read whole.
    if (error instanceof Nul) nul = error;
    else if (!isOther(error)) throw error;
  }
  if (before.size > MAX_FOREIGN_BYTES)
    throw new SessionError(
      `${place.name}.json is larger than 500 MB and not in Polyglav's own layout, so it does not load. It was left as it is.`,
    );
  if (nul !== undefined) {
    decode(nul.before, place.name); // UTF-16, for one
    throw new SessionError(`${place.name}.json is not JSON: it holds NUL bytes. It was left as it is.`);
  }
  const text = decode(await readAt(handle, 0, Number(before.size)), place.name);
  assertSession(text, place.name);
  const converted = toLayout(text);
  const visited = make();
  const parser = new LayoutParser(visited);
  const splitter = new LineSplitter(parser.take, parser.takeTurns);
  splitter.push(Buffer.from(converted));
  splitter.finish();
  parser.finish();
  return { visited, converted };
}

/** Takes a byte order mark off. */
function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SessionError(`${name}.json is not UTF-8 text. It was left as it is.`);
  }
}

async function readBytes(handle: FileHandle, length: number, take: (bytes: Buffer) => void): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(1 << 20, length)));
  let offset = 0;
  while (offset < length) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, length - offset), offset);
    if (bytesRead === 0) break;
    take(chunk.subarray(0, bytesRead));
    offset += bytesRead;
  }
  return offset;
}
