/**
 * What the first and last bytes of a long file say, whatever its layout, so that a list needs not read all of it: the header as
 * far as it stands before the turns, and the first prompt. A reader that needs the whole decides whether it is a session.
 */
import type { Stats } from 'node:fs';

import { elements, members } from './foreign.ts';
import { SessionError } from './parse.ts';
import { timestampOf } from './schema.ts';
import type { Summary } from './summary.ts';
import { titleFrom } from './state.ts';

/** `start` and `end` are the file's first and last bytes. Throws SessionError when no JSON object begins there. */
export function peek(name: string, start: Buffer, end: Buffer, info: Stats): Summary {
  const text = decodeStart(name, start);
  const said = new Map<string, string>();
  let title = '';
  // Where the text was cut, it is no JSON.
  untilCut(() => {
    for (const [key, range] of members(text, text.indexOf('{'))) {
      if (key === 'turns') untilCut(() => (title = firstPrompt(text, range.start) ?? ''));
      if (range.end >= text.length) return;
      const value: unknown = text[range.start] === '"' ? JSON.parse(text.slice(range.start, range.end)) : undefined;
      if (typeof value === 'string') said.set(key, value);
    }
  });
  const changed = timestampOf(info.mtime);
  return {
    created_at: said.get('created_at') ?? changed,
    updated_at: said.get('updated_at') ?? lastKey(end.toString()) ?? changed,
    parent: said.get('parent_id') ?? '',
    role: said.get('role') ?? '',
    title,
    last_turn: undefined,
    status: undefined,
  };
}

function decodeStart(name: string, start: Buffer): string {
  let text: string;
  try {
    // A character may be cut at the end.
    text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
  } catch {
    throw new SessionError(`${name}.json is not UTF-8 text. It was left as it is.`);
  }
  if (!/^\s*\{/.test(text) || text.includes('\0'))
    throw new SessionError(`${name}.json is not JSON of a session. It was left as it is.`);
  return text;
}

/** Title from the first prompt in the list that opens at `open`; undefined when it is further on. */
function firstPrompt(text: string, open: number): string | undefined {
  for (const turn of wholeElements(text, open))
    for (const [key, range] of members(text, turn.start)) {
      if (key !== 'parts') continue;
      for (const { start, end } of wholeElements(text, range.start)) {
        if (end >= text.length) return undefined;
        const part = JSON.parse(text.slice(start, end)) as Record<string, unknown> | null;
        if (part?.['type'] === 'user' && typeof part['text'] === 'string') return titleFrom(part['text']);
      }
    }
  return undefined;
}

/** The last one may be cut. */
function* wholeElements(text: string, open: number): Generator<{ start: number; end: number }> {
  if (text[open] !== '[') return;
  for (const range of elements(text, open)) {
    if (range.end === range.start) return; // no JSON
    yield range;
    if (range.end >= text.length) return;
  }
}

/** `updated_at`, when it is the last key of all. */
function lastKey(end: string): string | undefined {
  return /"updated_at"\s*:\s*"([^"\\]*)"\s*\}\s*$/.exec(end)?.[1];
}

function untilCut(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
