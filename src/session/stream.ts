/**
 * A session of any size as it stands at one moment, read in bounded memory, as often as wanted (E4). What is held: the entries
 * beside the turns, what its journal holds, and of the turns one at a time, or of a large one a part.
 */
import type { FileHandle } from 'node:fs/promises';

import { LayoutParser, NotOurLayout, type RecordVisitor } from './layoutParser.ts';
import { LineSplitter } from './lines.ts';
import { ownerOf } from './lock.ts';
import { Counts, Outline, toolsIn, type TurnFacts } from './outline.ts';
import { refused, SessionError } from './parse.ts';
import type { Part, Session, Turn } from './schema.ts';
import { look, type Place } from './source.ts';

export type StreamItem =
  /** A turn begins. */
  | ({ type: 'turn' } & TurnFacts)
  /** The next part of that turn; `number` counts from 1. */
  | { type: 'part'; part: Part; number: number };

export interface SessionStream {
  /** Header, errors, permissions and sub-sessions; `turns` is empty. */
  readonly session: Session;
  readonly counts: Counts;
  /**
   * Every turn and part in recorded order. Throws SessionError when another program has changed what is being read so that it is no
   * record of as many turns and parts any more; that a text is another is not noticed.
   */
  items(): AsyncIterable<StreamItem>;
}

/**
 * Lets `use` read the session, beside a live owner too, without changing anything on disk. The stream ends with `use`.
 * Throws SessionError with the reason when the session does not load.
 */
export async function withStream<T>(place: Place, use: (stream: SessionStream) => Promise<T>): Promise<T> {
  const { outline, file, ...settled } = await firstPass(place);
  try {
    return await use({
      session: outline.session,
      counts: outline.counts,
      async *items() {
        yield* settledItems(outline, file, settled);
        yield* restItems(outline);
      },
    });
  } finally {
    await file.close();
  }
}

/** Where the part of the record stands that nothing changes any more: in the file, and behind that in memory. */
interface Settled {
  inFile: number;
  behind: Buffer;
}

async function firstPass(place: Place): Promise<{ outline: Outline; file: FileHandle } & Settled> {
  const { visited, journal, converted, handle } = await look(place, () => new Outline(place.name), {
    hold: true,
    owner: () => ownerOf(place),
  });
  visited.finish();
  const end = visited.settledEnd;
  const inFile = converted !== undefined ? 0 : Math.min(end, journal?.front.length ?? end);
  const text = converted === undefined ? journal?.end : Buffer.from(converted);
  // A copy: the rest of the journal need not stay in memory.
  const behind = Buffer.from(text?.subarray(0, end - inFile) ?? '');
  return { outline: visited, file: handle as FileHandle, inFile, behind };
}

/** A session that is in memory anyway. */
export function streamOf(session: Session): SessionStream {
  const counts = new Counts();
  counts.turns = session.turns.length;
  for (const turn of session.turns) for (const part of turn.parts) counts.add(part);
  return {
    session: { ...session, turns: [] },
    counts,

    async *items() {
      for (const turn of session.turns) yield* itemsOf(turn);
    },
  };
}

/** What the file holds and nothing changes any more, then the beginning of what its journal holds. */
async function* settledItems(
  outline: Outline,
  file: FileHandle,
  { inFile, behind }: Settled,
): AsyncGenerator<StreamItem> {
  const turns = new TurnReader(outline);
  const splitter = new LineSplitter(new LayoutParser(turns).take);
  const chunk = Buffer.allocUnsafe(Math.min(1 << 16, Math.max(1, inFile)));
  try {
    for (let offset = 0; offset < inFile;) {
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, inFile - offset), offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      splitter.push(chunk.subarray(0, bytesRead));
      yield* turns.take();
    }
    splitter.push(behind);
    splitter.finish();
    yield* turns.take();
  } catch (error) {
    if (error instanceof NotOurLayout || error instanceof TypeError) throw changed(outline);
    refused(`${outline.session.session_name}.json cannot be read`, error);
  }
  if (!turns.complete) throw changed(outline);
}

function* restItems({ rest, settledParts }: Outline): Generator<StreamItem> {
  for (const [position, turn] of rest.entries())
    yield* position > 0 || settledParts === undefined
      ? itemsOf(turn)
      : partItems(turn.parts.slice(settledParts), settledParts);
}

function* itemsOf(turn: Turn): Generator<StreamItem> {
  yield { type: 'turn', ...factsOf(turn) };
  yield* partItems(turn.parts, 0);
}

function partItems(parts: readonly Part[], before: number): StreamItem[] {
  return parts.map((part, position) => ({ type: 'part', part, number: before + position + 1 }));
}

function factsOf(turn: Turn): TurnFacts {
  return { turn: { ...turn, parts: [] }, tools: toolsIn(turn) };
}

function changed({ session }: Outline): SessionError {
  return new SessionError(`${session.session_name}.json was changed by another program while it was read. Try again.`);
}

/** Lines → items. What a turn's end says stands at its beginning, so a turn is held until it ends, unless the outline knows it. */
class TurnReader implements RecordVisitor {
  readonly #outline: Outline;
  #items: StreamItem[] = [];
  /** The turn that is held. */
  #held: Turn | undefined;
  #turns = 0;
  #parts = 0;

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** What came since the last call. */
  take(): StreamItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Whether all that the outline saw was seen. */
  get complete(): boolean {
    const { settledTurns, settledParts } = this.#outline;
    return (
      this.#turns === settledTurns + (settledParts === undefined ? 0 : 1) &&
      (settledParts === undefined || this.#parts === settledParts)
    );
  }

  turnHead(head: Record<string, unknown>): void {
    const { large, settledTurns, rest } = this.#outline;
    const facts = this.#turns === settledTurns ? factsOf(rest[0] as Turn) : large.get(this.#turns);
    this.#turns++;
    this.#parts = 0;
    this.#held = facts === undefined ? ({ ...head, parts: [] } as unknown as Turn) : undefined;
    if (facts !== undefined) this.#items.push({ type: 'turn', ...facts });
  }

  part(part: Record<string, unknown>): void {
    this.#parts++;
    if (this.#held !== undefined) this.#held.parts.push(part as Part);
    else this.#items.push({ type: 'part', part: part as Part, number: this.#parts });
  }

  turnFoot(foot: Record<string, unknown>): void {
    if (this.#held !== undefined) this.#items.push(...itemsOf({ ...this.#held, ...foot, parts: this.#held.parts }));
    this.#held = undefined;
  }
}
