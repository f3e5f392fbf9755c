/** `/history`: a numbered index of a session's turns (E1). */
import type { TurnFacts } from '../session/outline.ts';
import { isKind, type Part } from '../session/schema.ts';
import type { SessionStream } from '../session/stream.ts';
import { durationOf, toolWords } from './facts.ts';
import { excerpt, type Piece } from './pieces.ts';

export interface HistoryOptions {
  /** How many of the last turns; `/history` alone means 10. */
  count?: number | 'all';
  /** The first line of each turn's thinking, or the whole of it. */
  thoughts?: false | 'excerpt' | 'all';
}

/**
 * One line per turn, `#<index> [<status>] <duration> <tool count> <prompt>` with two spaces between them, each with its thinking when
 * that is asked for. Made as they are taken, at any size of the session.
 */
export async function* history(
  stream: SessionStream,
  { count = 10, thoughts = false }: HistoryOptions = {},
): AsyncGenerator<Piece> {
  const { turns } = stream.counts;
  if (turns === 0) yield { text: 'No turns yet.' };
  let before = count === 'all' ? 0 : turns - count;
  let entry: Entry | undefined;
  for await (const item of stream.items()) {
    if (item.type === 'part') {
      if (entry !== undefined) yield* entry.take(item.part);
      continue;
    }
    if (entry !== undefined) yield* entry.end();
    entry = before-- > 0 ? undefined : new Entry(item, thoughts);
  }
  if (entry !== undefined) yield* entry.end();
}

/** What is shown of one turn. Its line comes first and has the prompt, before which thinking may stand in the log. */
class Entry {
  readonly #facts: TurnFacts;
  readonly #thoughts: HistoryOptions['thoughts'];
  /** Thinking from before the prompt; undefined when the line was given. */
  #waiting: Piece[] | undefined = [];
  #excerpted = false;

  constructor(facts: TurnFacts, thoughts: HistoryOptions['thoughts']) {
    this.#facts = facts;
    this.#thoughts = thoughts;
  }

  *take(part: Part): Iterable<Piece> {
    if (isKind(part, 'user') || isKind(part, 'command')) yield* this.#line(part.text);
    else if (isKind(part, 'thinking') && part.text.trim() !== '') {
      const pieces = this.#thinking(part.text);
      if (this.#waiting === undefined) yield* pieces;
      else this.#waiting.push(...pieces);
    }
  }

  *end(): Iterable<Piece> {
    yield* this.#line('');
  }

  *#line(text: string): Iterable<Piece> {
    if (this.#waiting === undefined) return;
    const { turn, tools } = this.#facts;
    const prompt = excerpt(text);
    const columns = [
      `#${turn.index}`,
      `[${turn.status}]`,
      durationOf(turn) ?? '-',
      toolWords(tools),
      prompt === '' ? '-' : prompt,
    ];
    // A column may have several words.
    yield { text: columns.join('  ') };
    yield* this.#waiting;
    this.#waiting = undefined;
  }

  #thinking(text: string): Piece[] {
    if (this.#thoughts === 'all') return [{ text: indent(text), style: 'dim' }];
    if (this.#thoughts === false || this.#excerpted) return [];
    this.#excerpted = true;
    const first = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
    return [{ text: indent(excerpt(first)), style: 'dim' }];
  }
}

function indent(text: string): string {
  return `    ${text.replaceAll(/\r\n|\n|\r/g, '\n    ')}`;
}
