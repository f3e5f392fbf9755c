/** `/permissions`: every decision of a session, with what was decided on and who or which rule did (P6). */
import path from 'node:path';

import { isKind, type PermissionEntry, type ToolPart } from '../session/schema.ts';
import type { SessionStream } from '../session/stream.ts';
import { plural } from './facts.ts';
import { excerpt, type Piece } from './pieces.ts';

/** A decision as it stands in the record, and the call in words; undefined when the log does not have it. */
export type AuditEntry = PermissionEntry & { call?: string };

const MOST_OF_A_CALL = 200;
/** By which argument a person knows a call. */
const TELLING = ['command', 'path', 'url', 'pattern', 'query'] as const;

/** In recorded order. */
export async function* auditEntries(stream: SessionStream): AsyncGenerator<AuditEntry> {
  for await (const { entry, words } of decided(stream)) yield words === undefined ? entry : { ...entry, call: words };
}

interface Decided {
  entry: PermissionEntry;
  words?: string;
  /** What the person said to the model with their no. */
  note?: string;
}

/** In memory, beside the decisions themselves, is a line for each call that one of them names. */
async function* decided(stream: SessionStream): AsyncGenerator<Decided> {
  const { permissions } = stream.session;
  const calls = new Map<string, Omit<Decided, 'entry'>>();
  const named = new Set(permissions.map(({ turn, part }) => `${turn}.${part}`));
  let turn = 0;
  for await (const item of named.size === 0 ? [] : stream.items()) {
    if (item.type === 'turn') turn = item.turn.index;
    else if (isKind(item.part, 'tool') && named.has(`${turn}.${item.number}`)) {
      const note = NOTE.exec(item.part.output ?? '')?.[1];
      const words = callWords(item.part);
      calls.set(
        `${turn}.${item.number}`,
        note === undefined ? { words } : { words, note: excerpt(note, MOST_OF_A_CALL) },
      );
    }
  }
  for (const entry of permissions) yield { entry, ...calls.get(`${entry.turn}.${entry.part}`) };
}

/** As `agent/call.ts` tells the model. */
const NOTE = /^The person declined this call and said: "(.*)" Go by that;/;

/**
 * The same for a person: how many there are, then two lines for each, what was decided by whom before the call, which may be long.
 * Times are those of this machine, under the date of their day.
 */
export async function* audit(stream: SessionStream): AsyncGenerator<Piece> {
  const { permissions, session_name, workspace } = stream.session;
  yield { text: excerpt(session_name), style: 'heading' };
  if (permissions.length === 0) yield { text: 'No decisions yet.' };
  else yield { text: `${plural(permissions.length, 'decision')}: ${counts(permissions)}` };
  let day = '';
  let folder = workspace;
  for await (const { entry, words, note } of decided(stream)) {
    const { tool, decision, path: place } = entry;
    const { date, time } = localTime(entry.timestamp);
    if (date !== day && date !== '') yield { text: (day = date), style: 'heading' };
    const call = entry.turn === undefined || entry.part === undefined ? '-' : `#${entry.turn}.${entry.part}`;
    yield { text: [time, call, decision, ...who(entry, note)].filter((text) => text !== '').join('  ') };
    const isFolder = tool === 'run_command';
    const shown = isFolder && place === folder ? undefined : shownPlace(place, workspace, words);
    if (isFolder && place !== undefined) folder = place;
    const what = [
      excerpt(tool),
      words,
      shown === undefined ? undefined : `${isFolder ? 'in ' : ''}${excerpt(shown, 4096)}`,
    ];
    yield { text: `    ${what.filter((text) => text !== undefined).join('  ')}`, style: 'dim' };
  }
}

/** From the session's folder on, where it is in there; undefined where the call says it already. */
function shownPlace(
  place: string | undefined,
  workspace: string | undefined,
  words: string | undefined,
): string | undefined {
  if (place === undefined || place === words) return undefined;
  if (workspace === undefined) return place;
  const inside = path.relative(workspace, place) || '.';
  const isOut = inside.startsWith('..') || path.isAbsolute(inside);
  return isOut ? place : inside === words ? undefined : inside;
}

/** What is no time stands as it is. */
function localTime(timestamp: string): { date: string; time: string } {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return { date: '', time: excerpt(timestamp) };
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':'),
  };
}

function who({ by, action }: PermissionEntry, note: string | undefined): string[] {
  if (by === undefined) return action === 'ask' ? ['asked'] : [];
  const words = WHO.get(by) ?? `by ${excerpt(by, 500)}`;
  return [by === 'refused' && note !== undefined ? `${words}, with the word “${note}”` : words];
}

/** What a person's answer, or the want of one, was; anything else that decided is a rule. */
const WHO: ReadonlyMap<string, string> = new Map([
  ['once', 'asked: allowed once'],
  ['session', 'allowed for the session'],
  ['always', 'asked: always allowed from then on'],
  ['refused', 'asked: not allowed'],
  ['dismissed', 'asked: closed without an answer'],
  ['withdrawn', 'asked: withdrawn, since the turn was stopped'],
  ['no terminal', 'nobody could be asked'],
  ['--yes', 'asked: answered by --yes'],
]);

/** `9 granted, 2 declined, 1 denied` */
function counts(permissions: readonly PermissionEntry[]): string {
  return (['granted', 'declined', 'denied'] as const)
    .map((decision) => [permissions.filter((entry) => entry.decision === decision).length, decision] as const)
    .filter(([count]) => count > 0)
    .map(([count, decision]) => `${count} ${decision}`)
    .join(', ');
}

function callWords({ input }: ToolPart): string {
  const telling = TELLING.map((key) => (Object.hasOwn(input, key) ? input[key] : undefined));
  const words = telling.find((value) => typeof value === 'string') ?? JSON.stringify(input);
  return excerpt(words, MOST_OF_A_CALL);
}
