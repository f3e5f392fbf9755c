/**
 * What a list shows of a session, from the first and last bytes of its file (and its journal), never from the whole: a list of
 * thousands of sessions opens at once. A file in another layout is read whole.
 */
import { open, type FileHandle } from 'node:fs/promises';

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
  const handle = await open(filePath(place), 'r');
  try {
    const { size } = await handle.stat();
    const head = readHead(await bytes(handle, 0, Math.min(BYTES, size)), size <= BYTES);
    const end = head === undefined ? undefined : await readEnd(place, handle, size, journaled);
    if (head !== undefined && end !== undefined) return { ...head, ...end };
  } finally {
    await handle.close();
  }
  return ofSession(await readSession(place));
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

/** Undefined when it is not in our layout. */
function readHead(start: Buffer, whole: boolean): Head | undefined {
  const header: Record<string, unknown> = {};
  let prompt: string | undefined;
  let turns = false;
  const parser = new LayoutParser({
    header: (key, value) => {
      header[key] = value;
    },
    turns: () => {
      turns = true;
    },
    part: (part) => {
      if (prompt === undefined && isKind(part as Part, 'user')) prompt = String(part['text']);
    },
  });
  const lines = start.toString().split('\n');
  const last = lines.pop() ?? '';
  try {
    for (const line of lines) {
      if (prompt !== undefined) break;
      parser.take(line, 0);
    }
  } catch (error) {
    if (!(error instanceof NotOurLayout)) throw error;
    return undefined;
  }
  if (!turns) return undefined;
  if (prompt === undefined && !whole) prompt = cutPrompt(last);
  return {
    created_at: text(header['created_at']),
    parent: text(header['parent_id']),
    role: text(header['role']),
    title: titleFrom(prompt ?? ''),
  };
}

/** The text of a prompt whose line goes on behind the bytes that were read. */
function cutPrompt(line: string): string | undefined {
  const match = /^\{"type":"user","text":"((?:[^"\\]|\\.)*)/.exec(line);
  if (match === null) return undefined;
  try {
    return JSON.parse(`"${(match[1] as string).replace(/\\u?[0-9a-f]{0,3}$/i, '')}"`) as string;
  } catch {
    return undefined;
  }
}

type End = Pick<Summary, 'updated_at' | 'turns' | 'status'>;

async function readEnd(place: Place, handle: FileHandle, size: number, journaled: boolean): Promise<End | undefined> {
  if (!journaled) return endOf((await bytes(handle, Math.max(0, size - BYTES), size)).toString());
  const { content } = await readNewestJournal(journalFolder(place.dir), place.name);
  if (content === undefined) return undefined;
  const { length } = content.front;
  const front = await bytes(handle, Math.max(0, length - BYTES), length);
  const end = endOf(front.toString() + content.end.toString());
  if (end === undefined) return undefined;
  for (const event of content.events) {
    end.updated_at = event.at;
    if (event.type === 'turn_started') {
      end.turns = event.turn.index;
      end.status = 'running';
    } else if (event.type === 'turn_ended') end.status = event.status;
  }
  return end;
}

/** From the last bytes of the record: its last line, and the last turn as far as it is near enough. */
function endOf(end: string): End | undefined {
  // The first one is cut, or the header's.
  const lines = end.split('\n').slice(1);
  const updated = lines.findLast((line) => line.startsWith('"updated_at":'));
  if (updated === undefined) return undefined;
  const head = lines.findLast((line) => line.endsWith('"parts":['));
  const foot = lines.findLast((line) => line.startsWith('],') && line !== '],');
  try {
    const { index } = head === undefined ? {} : (JSON.parse(`${head}]}`) as Partial<Turn>);
    const { status } = foot === undefined ? {} : (JSON.parse(`{${foot.slice(2).replace(/,$/, '')}`) as Partial<Turn>);
    const { updated_at } = JSON.parse(`{${updated}`) as Session;
    return { updated_at, turns: end.includes('"turns":[\n]') ? 0 : index, status };
  } catch {
    return undefined; // not our layout, or a line whose beginning is missing
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
