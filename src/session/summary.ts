/**
 * What a list shows of a session, from the first and last bytes of its file (and its journal), never from the whole: a list of
 * thousands of sessions opens at once. A file in another layout is read whole.
 */
import { open, type FileHandle } from 'node:fs/promises';

import { readNewestJournal } from './journal.ts';
import { LayoutParser, NotOurLayout } from './layoutParser.ts';
import { readSession } from './record.ts';
import { isKind, TURN_STATUSES, type Part, type Session, type TurnStatus } from './schema.ts';
import { filePath, journalFolder, type Place } from './source.ts';
import { titleFrom, titleOf } from './state.ts';

const BYTES = 4096;

export interface Summary {
  created_at: string;
  updated_at: string;
  parent: string;
  role: string;
  title: string;
  /** Undefined when it cannot be told without reading the whole file. */
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
    turns: session.turns.length,
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
  const base = endOf(content.end.toString());
  if (base === undefined) return undefined;
  for (const event of content.events) {
    base.updated_at = event.at;
    if (event.type === 'turn_started') {
      base.turns = event.turn.index;
      base.status = 'running';
    } else if (event.type === 'turn_ended') base.status = event.status;
  }
  return base;
}

/** From the last bytes of the text: the last line, and the last turn if it is near enough. */
function endOf(end: string): End | undefined {
  const updated = /\n"updated_at":("(?:[^"\\]|\\.)*")\}\s*$/.exec(end);
  if (updated === null) return undefined;
  const heads = [...end.matchAll(/\n\{"index":(\d+),/g)];
  const feet = [...end.matchAll(/\n\],.*"status":"([a-z]+)"\},?(?=\n)/g)];
  const status = feet.at(-1)?.[1] as TurnStatus | undefined;
  const index = heads.at(-1)?.[1];
  return {
    updated_at: JSON.parse(updated[1] as string) as string,
    turns: index === undefined ? undefined : Number(index),
    status: status !== undefined && TURN_STATUSES.includes(status) ? status : undefined,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
