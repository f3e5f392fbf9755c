/**
 * What a list shows of a session, from the first and last bytes of its file (and its journal), never from the whole: a list of
 * thousands of sessions opens at once. A file in another layout is read whole.
 */
import { open, type FileHandle } from 'node:fs/promises';

import type { SessionEvent } from './events.ts';
import { readNewestJournal } from './journal.ts';
import { LayoutParser, NotOurLayout } from './layoutParser.ts';
import { readSession } from './record.ts';
import { isKind, type Part, type Session, type Turn, type TurnStatus } from './schema.ts';
import { filePath, journalFolder, type Place } from './source.ts';
import { titleFrom, titleOf } from './state.ts';

const BYTES = 4096;

export interface Summary {
  created_at: string;
  updated_at: string;
  parent: string;
  role: string;
  title: string;
  /** The last one's index. Undefined when it cannot be told without reading the whole file. */
  turns: number | undefined;
  status: TurnStatus | undefined;
}

/** `journaled`: whether the session has a journal. Throws SessionError when the session does not load. */
export async function summarize(place: Place, journaled: boolean): Promise<Summary> {
  return (await fromEnds(place, journaled)) ?? ofSession(await readSession(place));
}

/** Undefined when the ends of the record do not say it. */
async function fromEnds(place: Place, journaled: boolean): Promise<Summary | undefined> {
  const handle = await open(filePath(place), 'r');
  try {
    const journal = journaled ? (await readNewestJournal(journalFolder(place.dir), place.name)).content : undefined;
    if (journaled && journal === undefined) return undefined;
    const length = journal?.front.length ?? (await handle.stat()).size;
    const first = await bytes(handle, 0, Math.min(BYTES, length));
    const last = length <= BYTES ? first : await bytes(handle, length - BYTES, length);
    const behind = journal?.end.toString() ?? '';
    const events = journal?.events ?? [];
    const head = readHead(length <= BYTES ? first.toString() + behind : first.toString(), length <= BYTES, events);
    const end = readEnd(last.toString() + behind, events);
    return head === undefined || end === undefined ? undefined : { ...head, ...end };
  } finally {
    await handle.close();
  }
}

function ofSession(session: Session): Summary {
  return {
    created_at: session.created_at,
    updated_at: session.updated_at,
    parent: session.parent_id,
    role: session.role,
    title: titleOf(session),
    turns: session.turns.at(-1)?.index ?? 0,
    status: session.turns.at(-1)?.status,
  };
}

async function bytes(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, end - start));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}

type Head = Pick<Summary, 'created_at' | 'parent' | 'role' | 'title'>;

/** Undefined when it is not in our layout, or when the first prompt stands too far behind. */
function readHead(start: string, whole: boolean, events: readonly SessionEvent[]): Head | undefined {
  const header: Record<string, unknown> = {};
  let title: string | undefined;
  const parser = new LayoutParser({
    header: (key, value) => {
      header[key] = value;
    },
    part: (part) => {
      if (isKind(part as Part, 'user')) title ??= titleFrom(String(part['text']));
    },
  });
  const lines = start.split('\n');
  const last = lines.pop() ?? '';
  try {
    for (const line of lines) {
      if (title !== undefined) break;
      parser.take(line, 0);
    }
  } catch (error) {
    if (!(error instanceof NotOurLayout)) throw error;
    return undefined;
  }
  title ??= whole ? titleOfEvents(events) : cutTitle(last);
  if (title === undefined) return undefined;
  return {
    created_at: text(header['created_at']),
    parent: text(header['parent_id']),
    role: text(header['role']),
    title,
  };
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

type End = Pick<Summary, 'updated_at' | 'turns' | 'status'>;

/** From the last bytes of the record: its last line, and the last turn as far as it is near enough. */
function readEnd(end: string, events: readonly SessionEvent[]): End | undefined {
  const lines = end.split('\n').slice(1); // the first one is cut, or the header's
  const updated = lines.findLast((line) => line.startsWith('"updated_at":'));
  const head = lines.findLast((line) => line.endsWith('"parts":['));
  const foot = lines.findLast((line) => line.startsWith('],') && line !== '],');
  if (updated === undefined) return undefined;
  try {
    let { updated_at } = JSON.parse(`{${updated}`) as Session;
    let { index } = head === undefined ? {} : (JSON.parse(`${head}]}`) as Partial<Turn>);
    let { status } = foot === undefined ? {} : (JSON.parse(`{${foot.slice(2).replace(/,$/, '')}`) as Partial<Turn>);
    if (end.includes('"turns":[\n]')) index = 0;
    for (const event of events) {
      updated_at = event.at;
      if (event.type === 'turn_started') [index, status] = [event.turn.index, event.turn.status];
      if (event.type === 'turn_ended') status = event.status;
    }
    return { updated_at, turns: index, status };
  } catch {
    return undefined; // not our layout
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
