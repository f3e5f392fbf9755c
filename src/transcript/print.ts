/** `/print`: one turn again, in full or one part of it (E1). */
import { toolsIn } from '../session/outline.ts';
import { SessionError } from '../session/parse.ts';
import { isKind, type Part, type Session, type ToolPart, type Turn } from '../session/schema.ts';
import { turnFacts } from './facts.ts';
import { cut, excerpt, type Piece } from './pieces.ts';

export interface PrintOptions {
  /** Only the m-th part, from 1. */
  part?: number | undefined;
  /** Most characters (code points) of each part (`print_max_chars`); 0 = no cap. */
  max_chars: number;
}

/** The turn with that absolute index. Throws SessionError when there is no such turn or part, naming those that exist. */
export function printTurn(session: Session, index: number, { part: number, max_chars }: PrintOptions): Piece[] {
  const turn = session.turns.find((turn) => turn.index === index);
  if (turn === undefined) throw new SessionError(`There is no turn ${index}. ${turnsThere(session)}`);
  if (number === undefined)
    return [
      ...head(turn),
      ...turn.parts.flatMap((part, position) => partPieces(part, `${index}.${position + 1}`, max_chars)),
    ];
  const part = turn.parts[number - 1];
  if (part === undefined) throw new SessionError(`Turn ${index} has no part ${number}. ${partsThere(turn)}`);
  return partPieces(part, `${index}.${number}`, max_chars);
}

function turnsThere({ turns }: Session): string {
  if (turns.length === 0) return 'The session has no turns yet.';
  const runs = runsOf(turns.map(({ index }) => index));
  const words = runs.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`));
  if (words.length > MOST_RUNS) words.splice(MOST_RUNS - 1, words.length - MOST_RUNS, '…');
  return turns.length === 1 ? `There is only turn ${words.join('')}.` : `There are turns ${words.join(', ')}.`;
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

function partsThere({ parts }: Turn): string {
  if (parts.length === 0) return 'It has no parts.';
  return parts.length === 1 ? 'It has only part 1.' : `It has parts 1 to ${parts.length}.`;
}

function head(turn: Turn): Piece[] {
  const facts = turnFacts(turn, toolsIn(turn)).map(
    ([name, value]) => `${name}: ${value === undefined || value === '' ? '-' : excerpt(value, 200)}`,
  );
  return [{ text: `#${turn.index}`, style: 'heading' }, { text: facts.join('\n') }];
}

function partPieces(part: Part, number: string, max: number): Piece[] {
  const { title, text, dim } = describe(part);
  const shown = cut(text, max === 0 ? Infinity : max);
  return [
    { text: `${number} ${title}`, style: 'heading' },
    {
      text: shown.more === 0 ? shown.text : `${shown.text}... (${shown.more} more chars, use --full)`,
      ...(dim === true ? { style: 'dim' } : {}),
    },
  ];
}

function describe(part: Part): { title: string; text: string; dim?: boolean } {
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
  if (isKind(part, 'tool')) return { title: `Tool call ${excerpt(part.name)}`, text: toolText(part) };
  return { title: `Part of the unknown type ${excerpt(part.type)}`, text: JSON.stringify(part, null, 2) };
}

/** The output last, because it is what is cut. */
function toolText({ input, output, is_error, analysis }: ToolPart): string {
  return [
    `input: ${JSON.stringify(input, null, 2)}`,
    `is_error: ${is_error ?? '-'}`,
    ...(analysis === undefined ? [] : [`analysis: ${analysis}`]),
    output === undefined ? 'output: -' : `output:\n${output}`,
  ].join('\n');
}
