/** `/print`: one turn again, in full or one part of it (E1). */
import type { TurnFacts } from '../session/outline.ts';
import { SessionError } from '../session/parse.ts';
import { isKind, type Part, type PermissionEntry, type ToolPart } from '../session/schema.ts';
import type { SessionStream } from '../session/stream.ts';
import { Decisions } from './decisions.ts';
import { turnFacts } from './facts.ts';
import { cut, excerpt, type Piece } from './pieces.ts';

export interface PrintOptions {
  /** Only the m-th part, from 1. */
  part?: number | undefined;
  /** Most characters (code points) of each part (`print_max_chars`); 0 = no cap. */
  max_chars: number;
}

/**
 * The turn with that absolute index, made as it is taken. Throws SessionError, with nothing given, when there is no such turn or
 * part, naming those that exist.
 */
export async function* printTurn(
  stream: SessionStream,
  index: number,
  { part: number, max_chars }: PrintOptions,
): AsyncGenerator<Piece> {
  const indexes: number[] = [];
  let found = false;
  let parts = 0;
  const decisions = new Decisions(stream.session.permissions);
  for await (const item of stream.items()) {
    if (item.type === 'turn') {
      if (found) break;
      indexes.push(item.turn.index);
      found = item.turn.index === index;
      if (found && number === undefined) yield* head(item);
    } else if (found) {
      parts = item.number;
      if (number === undefined || number === parts)
        yield* partPieces(item.part, `${index}.${parts}`, decisions.take(index, parts), max_chars);
      if (number === parts) return;
    }
  }
  if (!found) throw new SessionError(`There is no turn ${index}. ${turnsThere(indexes)}`);
  if (number !== undefined) throw new SessionError(`Turn ${index} has no part ${number}. ${partsThere(parts)}`);
}

function turnsThere(indexes: readonly number[]): string {
  if (indexes.length === 0) return 'The session has no turns yet.';
  const words = runsOf(indexes).map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`));
  if (words.length > MOST_RUNS) words.splice(MOST_RUNS - 1, words.length - MOST_RUNS, '…');
  return indexes.length === 1 ? `There is only turn ${words.join('')}.` : `There are turns ${words.join(', ')}.`;
}

/** Named when a turn is not there; only the log of another program has gaps. */
const MOST_RUNS = 5;

/** First and last of each unbroken run of numbers. */
function runsOf(indexes: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const run = runs.at(-1);
    if (run !== undefined && index === run[1] + 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

function partsThere(parts: number): string {
  if (parts === 0) return 'It has no parts.';
  return parts === 1 ? 'It has only part 1.' : `It has parts 1 to ${parts}.`;
}

function head({ turn, tools }: TurnFacts): Piece[] {
  const facts = turnFacts(turn, tools).map(
    ([name, value]) => `${name}: ${value === undefined || value === '' ? '-' : excerpt(value, 200)}`,
  );
  return [{ text: `#${turn.index}`, style: 'heading' }, { text: facts.join('\n') }];
}

function partPieces(part: Part, number: string, decisions: readonly PermissionEntry[], max: number): Piece[] {
  const { title, text, dim } = describe(part, decisions);
  const shown = cut(text, max === 0 ? Infinity : max);
  return [
    { text: `${number} ${title}`, style: 'heading' },
    {
      text: shown.more === 0 ? shown.text : `${shown.text}... (${shown.more} more chars, use --full)`,
      ...(dim === true ? { style: 'dim' } : {}),
    },
  ];
}

function describe(part: Part, decisions: readonly PermissionEntry[]): { title: string; text: string; dim?: boolean } {
  if (isKind(part, 'user')) return { title: 'Prompt', text: part.text };
  if (isKind(part, 'text')) return { title: 'Answer', text: part.text };
  if (isKind(part, 'thinking')) return { title: 'Thinking', text: part.text, dim: true };
  if (isKind(part, 'system'))
    return { title: part.kind === undefined ? 'System note' : `System note (${excerpt(part.kind)})`, text: part.text };
  if (isKind(part, 'command')) {
    const summary = part.summary === undefined ? '' : `\nsummary:\n${part.summary}`;
    const from = part.compact_from === undefined ? '' : `\ncompact_from: ${part.compact_from}`;
    return { title: 'Command', text: `${part.text}${from}${summary}` };
  }
  if (isKind(part, 'tool')) return { title: `Tool call ${excerpt(part.name)}`, text: toolText(part, decisions) };
  return { title: `Part of the unknown type ${excerpt(part.type)}`, text: JSON.stringify(part, null, 2) };
}

/** The output last, because it is what is cut. */
function toolText({ input, output, is_error, analysis }: ToolPart, decisions: readonly PermissionEntry[]): string {
  return [
    `input: ${JSON.stringify(input, null, 2)}`,
    ...decisions.map(decisionLine),
    `is_error: ${is_error ?? '-'}`,
    ...(analysis === undefined ? [] : [`analysis: ${analysis}`]),
    output === undefined ? 'output: -' : `output:\n${output}`,
  ].join('\n');
}

/** Who allowed or refused it, on one line. */
function decisionLine({ action, decision, by, path, timestamp }: PermissionEntry): string {
  const rule = by === undefined ? '' : ` by ${excerpt(by, 200)}`;
  const on = path === undefined ? '' : ` on ${excerpt(path, 4096)}`;
  return `permission: ${decision}${rule} (policy: ${action})${on} ${excerpt(timestamp)}`;
}
