/**
 * The journal of a session: every event is one line here before it is acknowledged (R6). A journal begins with a base: the
 * length and checksum of the file's front, and everything after it. So front + base + lines is the whole record, whatever
 * state the end of the file is in.
 *
 * ```
 * {"journal":1,"front":{"length":…,"sum":"…"},"end":…,"sum":"…"}   base: `end` bytes follow, `sum` covers all of it
 * <the end of the file>
 * 1 <checksum> {"type":"turn_started",…}                           lines, numbered from 1
 * ```
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { writeAll } from './disk.ts';
import type { SessionEvent } from './events.ts';
import { eventFault } from './eventFault.ts';
import { attempt } from './machine.ts';
import { SessionError } from './parse.ts';
import { NotRegular, openWithInfo, readAt } from './regular.ts';
import { sequenceNumber } from './sequence.ts';

/** A first line is never longer. */
const BASE_LINE_BYTES = 1024;
/** A journal is about as long as the end of its file, or two; it is held in memory while it is read. */
const MAX_BYTES = 500 * 1024 * 1024;
/** An owner does not remove journals faster than they are read, so often. */
const ATTEMPTS = 20;

export interface Front {
  /** Bytes. */
  length: number;
  /** SHA-256, hex, of those bytes. */
  sum: string;
}

export class Journal {
  readonly path: string;
  readonly number: number;
  /** Bytes written after the base. */
  bytes = 0;
  /** A journal whose write or sync failed is never appended to again: nobody knows what of it is on the disk. */
  failed = false;
  readonly #handle: FileHandle;
  readonly #inode: number;
  readonly #baseBytes: number;
  #lines = 0;

  private constructor(path: string, number: number, handle: FileHandle, inode: number, baseBytes: number) {
    this.path = path;
    this.number = number;
    this.#handle = handle;
    this.#inode = inode;
    this.#baseBytes = baseBytes;
  }

  /** Durable when it settles, but for its folder entry: the caller syncs the folder. */
  static async create(folder: string, name: string, number: number, front: Front, end: Buffer): Promise<Journal> {
    const path = journalPath(folder, name, number);
    // To append, so that what is cut off under us shows in the length.
    const handle = await open(path, 'ax', 0o600);
    try {
      const base = Buffer.concat([Buffer.from(baseLine(front, end)), end]);
      await writeAll(handle, base);
      await handle.datasync();
      return new Journal(path, number, handle, (await handle.stat()).ino, base.length);
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /** Durable when it settles; one sync for all the events. */
  async append(events: readonly string[]): Promise<void> {
    const lines = Buffer.from(events.map((event) => numbered(++this.#lines, event)).join(''));
    try {
      await writeAll(this.#handle, lines);
      await this.#handle.datasync();
    } catch (error) {
      this.failed = true;
      throw error;
    }
    this.bytes += lines.length;
  }

  /** Whether what stands at the path is still this file, as long as it was written. Cheap: asked with each entry. */
  isInPlace(): boolean {
    const info = attempt(() => lstatSync(this.path));
    return info?.ino === this.#inode && info.size === this.#baseBytes + this.bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

export interface JournalContent {
  path: string;
  number: number;
  front: Front;
  end: Buffer;
  entries: Entry[];
  /** What stands behind the entries. Empty when there is nothing. */
  rest: Buffer;
  /** Why the first line of `rest` is no entry. Undefined when `rest` is less than a line: it was never acknowledged. */
  refused: string | undefined;
}

export interface Entry {
  event: SessionEvent;
  /** As it stands in the journal. */
  line: Buffer;
}

/** The same journal up to an entry that cannot be one. */
export function upTo(journal: JournalContent, position: number, refused: string): JournalContent {
  const { entries, rest } = journal;
  return {
    ...journal,
    entries: entries.slice(0, position),
    rest: Buffer.concat([...entries.slice(position).map(({ line }) => line), rest]),
    refused,
  };
}

interface Newest {
  /** Of all journals there are. */
  paths: string[];
  content: JournalContent | undefined;
}

/** The newest journal whose base is whole; undefined content when there is none. Beside an owner, it looks until it stands still. */
export async function readNewestJournal(folder: string, name: string): Promise<Newest> {
  for (let attempt = 1; ; attempt++)
    try {
      return await readNewestOnce(folder, name);
    } catch (error) {
      // Its owner removed what was listed: there is a newer one, or the file is whole by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
}

async function readNewestOnce(folder: string, name: string): Promise<Newest> {
  const journals = await listJournals(folder, name);
  const paths = journals.map(({ path }) => path);
  for (const { path, number } of journals) {
    const bytes = await readJournal(path);
    const content = bytes === undefined ? undefined : parseJournal(bytes, path, number);
    if (content !== undefined) return { paths, content };
  }
  return { paths, content: undefined };
}

/** Undefined when it does not begin as a journal does; only then is it read whole. Throws SessionError when it is too large. */
async function readJournal(path: string): Promise<Buffer | undefined> {
  const opened = await openWithInfo(path).catch((error: unknown) => {
    if (error instanceof NotRegular) return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  const { handle, info } = opened;
  try {
    const { size } = info;
    const start = await readAt(handle, 0, Math.min(size, BASE_LINE_BYTES));
    if (parseBase(start.subarray(0, Math.max(0, start.indexOf(10))).toString()) === undefined) return undefined;
    if (size <= start.length) return start;
    if (size <= MAX_BYTES) return await readAt(handle, 0, size);
    throw new SessionError(`${path} is larger than 500 MB, so its session does not load. Both were left as they are.`);
  } finally {
    await handle.close();
  }
}

/** Whether a crash cut the journal off while it was made: what it was made for was never acknowledged. */
export async function stopsInBase(path: string): Promise<boolean> {
  const { handle, info } = await openWithInfo(path);
  try {
    const start = await readAt(handle, 0, BASE_LINE_BYTES);
    const newline = start.indexOf(10);
    if (newline < 0) return info.size < BASE_LINE_BYTES;
    const base = parseBase(start.subarray(0, newline).toString());
    return base !== undefined && info.size < newline + 1 + base.end;
  } finally {
    await handle.close();
  }
}

/** Newest first. What is no file, but has the name of one, is none of ours. */
export async function listJournals(folder: string, name: string): Promise<{ path: string; number: number }[]> {
  const files = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return files
    .flatMap((file) => {
      const number = journalNumber(file.name, name);
      return number === undefined || !file.isFile() ? [] : [{ path: join(folder, file.name), number }];
    })
    .sort((a, b) => b.number - a.number);
}

export function journalPath(folder: string, name: string, number: number): string {
  return join(folder, `${name}.${number}.jsonl`);
}

function journalNumber(file: string, name: string): number | undefined {
  if (!file.startsWith(`${name}.`) || !file.endsWith('.jsonl')) return undefined;
  return sequenceNumber(file.slice(name.length + 1, -'.jsonl'.length));
}

function baseLine(front: Front, end: Buffer): string {
  return `${JSON.stringify({ journal: 1, front, end: end.length, sum: baseSum(front, end) })}\n`;
}

function baseSum(front: Front, end: Buffer): string {
  return createHash('sha256').update(`${front.length} ${front.sum} ${end.length}\n`).update(end).digest('hex');
}

function numbered(number: number, event: string): string {
  return `${number} ${lineSum(number, event)} ${event}\n`;
}

function lineSum(number: number, event: string): string {
  return createHash('sha256').update(`${number} ${event}`).digest('hex').slice(0, 16);
}

function parseJournal(bytes: Buffer, path: string, number: number): JournalContent | undefined {
  const newline = bytes.indexOf(10);
  if (newline < 0) return undefined;
  const base = parseBase(bytes.subarray(0, newline).toString());
  if (base === undefined) return undefined;
  const end = bytes.subarray(newline + 1, newline + 1 + base.end);
  if (end.length !== base.end || baseSum(base.front, end) !== base.sum) return undefined;
  return { path, number, front: base.front, end, ...parseLines(bytes.subarray(newline + 1 + base.end)) };
}

const length = z.number().int().nonnegative();
const baseShape = z.looseObject({ front: z.looseObject({ length, sum: z.string() }), end: length, sum: z.string() });

function parseBase(text: string): z.infer<typeof baseShape> | undefined {
  try {
    return baseShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A checksum says that a line is whole, not that what it says can be believed. */
function parseLines(bytes: Buffer): Pick<JournalContent, 'entries' | 'rest' | 'refused'> {
  const entries: Entry[] = [];
  let rest = bytes;
  for (;;) {
    const length = rest.indexOf(10) + 1;
    const line = rest.subarray(0, length);
    // Whole lines are not what a crash leaves: they may have been acknowledged.
    if (length === 0) return { entries, rest, refused: undefined };
    const match = /^(\d+) ([0-9a-f]{16}) (.*)\n$/s.exec(line.toString());
    const [number, text] = [entries.length + 1, match?.[3] as string];
    if (match === null || Number(match[1]) !== number || lineSum(number, text) !== match[2])
      return { entries, rest, refused: `entry ${number}: the line is damaged` };
    const event = parseEvent(text);
    if (typeof event === 'string') return { entries, rest, refused: `entry ${number}: ${event}` };
    entries.push({ event, line });
    rest = rest.subarray(length);
  }
}

/** Or why it is none. */
function parseEvent(text: string): SessionEvent | string {
  try {
    const value: unknown = JSON.parse(text);
    return eventFault(value) ?? (value as SessionEvent);
  } catch {
    return 'no JSON';
  }
}
