/**
 * What a list shows of a session, from the first and last bytes of its file (and its journal), so that a list of thousands of
 * sessions opens at once. Only a file that is not long is read whole, when its ends do not say it: one in another layout.
 */
import type { Stats } from 'node:fs';

import { z } from 'zod';

import type { SessionEvent } from './events.ts';
import { readNewestJournal, type JournalContent } from './journal.ts';
import { peek } from './peek.ts';
import { readSession } from './record.ts';
import { glanceInto, type Glance } from './regular.ts';
import { isKind, turn, turnStatus, type Part, type Session, type TurnStatus } from './schema.ts';
import { filePath, journalFolder, MAX_FOREIGN_BYTES, type Place } from './source.ts';
import { titleFrom, titleOf } from './state.ts';

/** Of each end, at first. */
const BYTES = 4096;
/** What may be read at the end, in growing steps: the last turn stands before all permissions, and may be long itself. */
const MOST_END_BYTES = 1024 * 1024;
/** What may be read at the beginning of a long file, when its first bytes do not say it. */
const MORE_BYTES = 64 * 1024;
/** Longer files are never read whole for a list. */
const WHOLE_BYTES = 1024 * 1024;
/** A file no longer than this is read in one go, which costs less than reading it twice. */
const SHORT_BYTES = 32 * 1024;
const ATTEMPTS = 20;

export interface Summary {
  created_at: string;
  updated_at: string;
  parent: string;
  role: string;
  title: string;
  /** The last turn's index, 0 when there is none. Undefined when it cannot be told without reading the whole file. */
  last_turn: number | undefined;
  status: TurnStatus | undefined;
}

/**
 * `journaled`: whether the session has a journal. `info`: of the file, from before it was read. Throws SessionError when the
 * session does not load.
 */
export async function summarize(place: Place, journaled: boolean): Promise<{ summary: Summary; info: Stats }> {
  for (let attempt = 1; ; attempt++) {
    // Before the file: an owner that lets go puts the file in order first, and a new one writes a new file.
    const journal =
      journaled || attempt > 1 ? (await readNewestJournal(journalFolder(place.dir), place.name)).content : undefined;
    const seen = await glanceInto(filePath(place), async (file) => {
      const summary = await summaryOf(place, await firstLook(file, journal));
      // What a journal vouches for never changes; without one an owner may have begun to rewrite the end that was read.
      const stands = journal !== undefined || attempt === ATTEMPTS || sameFile(file.info, file.stat());
      return stands ? { summary, info: file.info } : undefined;
    });
    if (seen !== undefined) return seen;
  }
}

async function summaryOf(place: Place, seen: Seen): Promise<Summary> {
  const end = await fromEnd(seen);
  const head = fromHead(seen);
  if (head !== undefined && end !== undefined) return { ...head, ...end };
  if (seen.file.info.size <= WHOLE_BYTES) return ofSession(await readSession(place));
  return { ...(await fromMore(place, seen)), ...end };
}

function sameFile(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs;
}

/** The record as far as it was read: `length` bytes of the file, what its journal says behind them, and the events since. */
interface Seen {
  file: Glance;
  length: number;
  /** All `length` bytes of a short one. */
  first: Buffer;
  behind: string;
  events: SessionEvent[];
}

async function firstLook(file: Glance, journal: JournalContent | undefined): Promise<Seen> {
  const length = journal?.front.length ?? file.info.size;
  return {
    file,
    length,
    first: await file.read(0, length <= SHORT_BYTES ? length : BYTES),
    behind: journal?.end.toString() ?? '',
    events: eventsOf(journal),
  };
}

/** Undefined when the beginning of the record does not say it. */
function fromHead({ length, first, behind, events }: Seen): Head | undefined {
  const head = readHead(first.subarray(0, BYTES).toString());
  return head ?? (first.length === length ? readHead(first.toString() + behind, events) : undefined);
}

/** Undefined when it is not in our layout. What stands further from the end than may be read is not said. */
async function fromEnd({ file, length, first, behind, events }: Seen): Promise<End | undefined> {
  // What is in memory already costs nothing to look at again.
  for (let most = first.length === length ? BYTES : 4 * BYTES; ; most *= 4) {
    const start = Math.max(0, length - most);
    const last = first.length === length ? first.subarray(start) : await file.read(start, length - start);
    const end = readEnd(last.toString() + behind, events);
    const known =
      end === undefined || (end.last_turn !== undefined && (end.status !== undefined || end.last_turn === 0));
    if (known || start === 0 || most >= MOST_END_BYTES) return end;
  }
}

/** Of a long file: what its beginning says, in whatever layout. Throws SessionError when it is clear that it does not load. */
async function fromMore(place: Place, { file, length }: Seen): Promise<Summary> {
  const { info } = file;
  const start = await file.read(0, MORE_BYTES);
  // Refused at once, unless it is in our layout.
  if (info.size > MAX_FOREIGN_BYTES && !start.includes('\n"turns":[\n')) return ofSession(await readSession(place));
  const last = await file.read(Math.max(0, length - BYTES), Math.min(length, BYTES));
  return peek(place.name, start, last, info);
}

function eventsOf(journal: JournalContent | undefined): SessionEvent[] {
  return journal?.entries.map(({ event }) => event) ?? [];
}

function ofSession(session: Session): Summary {
  return {
    created_at: session.created_at,
    updated_at: session.updated_at,
    parent: session.parent_id,
    role: session.role,
    title: titleOf(session),
    last_turn: session.turns.at(-1)?.index ?? 0,
    status: session.turns.at(-1)?.status,
  };
}

type Head = Pick<Summary, 'created_at' | 'parent' | 'role' | 'title'>;

/**
 * From the first bytes; with `events`, from the whole. Undefined when it is not in our layout, or the first prompt is not there.
 */
function readHead(start: string, events?: readonly SessionEvent[]): Head | undefined {
  const turns = start.indexOf('"turns":[\n');
  if (turns < 0) return undefined;
  try {
    const header = JSON.parse(`${start.slice(0, turns)}"turns":[]}`) as Record<string, unknown>;
    const title = firstTitle(start, turns) ?? (events === undefined ? undefined : titleOfEvents(events));
    if (title === undefined) return undefined;
    return {
      created_at: text(header['created_at']),
      parent: text(header['parent_id']),
      role: text(header['role']),
      title,
    };
  } catch {
    return undefined; // not our layout
  }
}

function firstTitle(start: string, turns: number): string | undefined {
  let last = start.indexOf('\n', turns) + 1;
  for (let end = start.indexOf('\n', last); end >= 0; end = start.indexOf('\n', last)) {
    const line = start.slice(last, end).replace(/,$/, '');
    last = end + 1;
    if (line === ']') return undefined; // the end of the turns
    if (!line.startsWith('{') || line.endsWith('"parts":[')) continue;
    const part = JSON.parse(line) as Part;
    if (isKind(part, 'user')) return titleFrom(part.text);
  }
  return cutTitle(start.slice(last));
}

function titleOfEvents(events: readonly SessionEvent[]): string {
  for (const event of events)
    if (event.type === 'part_added' && isKind(event.part, 'user')) return titleFrom(event.part.text);
  return '';
}

/** From a prompt whose line goes on behind the bytes that were read; undefined when more of it could change the title. */
function cutTitle(line: string): string | undefined {
  const match = /^\{"type":"user","text":"((?:[^"\\]|\\.)*)/.exec(line);
  if (match === null) return undefined;
  try {
    const cut = JSON.parse(`"${(match[1] as string).replace(/\\u?[0-9a-f]{0,3}$/i, '')}"`) as string;
    return titleFrom(cut) === titleFrom(`${cut}x`) ? titleFrom(cut) : undefined;
  } catch {
    return undefined;
  }
}

const endShape = z.object({
  updated_at: z.string(),
  index: turn.shape.index.optional(),
  status: turnStatus.optional(),
});
type End = Pick<Summary, 'updated_at' | 'last_turn' | 'status'>;

/** From the last bytes of the record: its last line, and the last turn as far as it is near enough. */
function readEnd(end: string, events: readonly SessionEvent[]): End | undefined {
  const updated = lineAt(end, end.lastIndexOf('\n"updated_at":') + 1);
  if (updated === undefined) return undefined;
  const footStart = end.lastIndexOf('\n],"');
  const foot = lineAt(end, footStart + 1);
  const parts = foot === undefined ? -1 : end.lastIndexOf('"parts":[\n', footStart);
  const head = parts < 0 ? undefined : lineAt(end, end.lastIndexOf('\n', parts) + 1);
  try {
    const read = (line: string | undefined) =>
      line === undefined ? {} : (JSON.parse(line) as Record<string, unknown>);
    let { updated_at, index, status } = endShape.parse({
      updated_at: read(`{${updated}`)['updated_at'],
      index: read(head && `${head}]}`)['index'],
      status: read(foot && `{${foot.slice(2).replace(/,$/, '')}`)['status'],
    });
    if (index === undefined && end.includes('"turns":[\n]')) index = 0;
    for (const event of events) {
      updated_at = event.at;
      if (event.type === 'turn_started') [index, status] = [event.turn.index, event.turn.status];
      if (event.type === 'turn_ended') status = event.status;
    }
    return { updated_at, last_turn: index, status };
  } catch {
    return undefined; // not our layout
  }
}

/** Undefined for the first line, which is cut, or the header's. */
function lineAt(text: string, start: number): string | undefined {
  const end = text.indexOf('\n', start);
  return start === 0 ? undefined : text.slice(start, end < 0 ? undefined : end);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
