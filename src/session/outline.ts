/**
 * The first of two passes over a session that is too large for memory: everything but the turns, counts, and what the second
 * pass must know of a turn before it has read it. Of the turns only what can still change is kept.
 */
import type { SessionEvent } from './events.ts';
import { assertPiece } from './parse.ts';
import { RecordBuilder } from './record.ts';
import { reduce } from './reduce.ts';
import { isKind, type Part, type Turn } from './schema.ts';
import { titleFrom } from './state.ts';

export class Counts {
  turns = 0;
  /** By type, in the order in which the types came up. */
  readonly parts = new Map<string, number>();
  /** Calls, by the tool's name. */
  readonly tools = new Map<string, number>();
  #title: string | undefined;

  /** The first words of the first prompt; empty when there is none yet. */
  get title(): string {
    return this.#title ?? '';
  }

  add(part: Part): void {
    this.parts.set(part.type, (this.parts.get(part.type) ?? 0) + 1);
    if (isKind(part, 'tool')) this.tools.set(part.name, (this.tools.get(part.name) ?? 0) + 1);
    else if (isKind(part, 'user')) this.#title ??= titleFrom(part.text);
  }
}

/** Characters from which on a turn is not held in memory while it is read. */
const LARGE_TURN = 256 * 1024;

/** A turn's own fields and how many calls it has; `turn.parts` is empty. */
export interface TurnFacts {
  turn: Turn;
  tools: number;
}

export class Outline extends RecordBuilder {
  readonly counts = new Counts();
  /** The facts of large turns, by their position from 0. */
  readonly large = new Map<number, TurnFacts>();
  /**
   * What follows the part of the record that never changes: the turns since then. The first one's parts may begin in there: those
   * are placeholders, `settledParts` many.
   */
  rest: Turn[] = [];
  /** Parts of the first turn of `rest` that stand before `settledEnd`; undefined when all of it is in `rest`. */
  settledParts: number | undefined;
  /** Offset in the record's text behind the last thing that never changes. */
  settledEnd = 0;
  /** Whole turns before `settledEnd`. */
  settledTurns = 0;
  #headEnd = 0;
  #ends: number[] = [];
  #characters = 0;
  #lastSpoken = -1;
  #settled = 0;
  readonly #placeholders = new Map<string, Part>();

  override turns(end: number): void {
    super.turns(end);
    this.settledEnd = end;
  }

  /** Piece by piece, because a turn may be too large to be held. */
  override readonly wholeTurns = undefined;

  override turnHead(head: Record<string, unknown>, text: string, end: number): void {
    this.counts.turns++;
    this.session.turns = [{ ...head, parts: [] } as unknown as Turn];
    this.#headEnd = end;
    this.#ends = [];
    this.#characters = text.length;
    this.#lastSpoken = -1;
    this.#settled = 0;
  }

  override part(value: Record<string, unknown>, text: string, end: number): void {
    const { parts } = this.session.turns[0] as Turn;
    assertPiece('part', value, this.session.session_name, () => `turn ${this.counts.turns}, part ${parts.length + 1}`);
    const part = value as Part;
    this.counts.add(part);
    this.#characters += text.length;
    this.#ends.push(end);
    if (!isStreamed(part)) this.#lastSpoken = parts.length;
    parts.push(part);
    for (; this.#settled < parts.length && this.#isFinal(parts, this.#settled); this.#settled++)
      parts[this.#settled] = this.#placeholder((parts[this.#settled] as Part).type);
  }

  override turnFoot(foot: Record<string, unknown>, text: string, end: number): void {
    const { parts, ...fields } = { ...(this.session.turns[0] as Turn), ...foot };
    assertPiece('turn', fields, this.session.session_name, () => `turn ${this.counts.turns}`);
    const turn: Turn = { ...fields, parts };
    this.session.turns = [turn];
    this.#characters += text.length;
    if (this.#characters > LARGE_TURN)
      this.large.set(this.counts.turns - 1, { turn: { ...fields, parts: [] }, tools: toolsIn(turn) });
    if (turn.status === 'running') this.settledEnd = this.#ends[this.#settled - 1] ?? this.#headEnd;
    else this.settledEnd = end;
  }

  /** The texts of the entries are for an owner alone. */
  override section(): void {}

  override updatedAt(value: unknown): void {
    super.updatedAt(value);
    const open = this.session.turns[0]?.status === 'running';
    this.settledTurns = this.counts.turns - (open ? 1 : 0);
    this.settledParts = open ? this.#settled : undefined;
  }

  override event(event: SessionEvent): void {
    reduce(this.session, event);
    if (event.type === 'turn_started') {
      this.counts.turns++;
      for (const part of event.turn.parts) this.counts.add(part);
    } else if (event.type === 'part_added') this.counts.add(event.part);
  }

  /** To be called once, after all of it: what is held of the turns is in `rest` from now on. */
  finish(): void {
    const settled = this.settledParts === undefined && this.settledTurns > 0;
    this.rest = this.session.turns.slice(settled ? 1 : 0);
    this.session.turns = [];
  }

  /** As in finality.ts, with what is known of the parts before. */
  #isFinal(parts: readonly Part[], position: number): boolean {
    const part = parts[position] as Part;
    if (isKind(part, 'tool')) return part.output !== undefined;
    return !isStreamed(part) || position < this.#lastSpoken;
  }

  /** Keeps the type alone; frozen, because nothing may be written to a part that is final. */
  #placeholder(type: string): Part {
    const known = this.#placeholders.get(type);
    if (known !== undefined) return known;
    const made = Object.freeze({ type });
    this.#placeholders.set(type, made);
    return made;
  }
}

export function toolsIn(turn: Turn): number {
  return turn.parts.filter((part) => isKind(part, 'tool')).length;
}

function isStreamed(part: Part): boolean {
  return isKind(part, 'text') || isKind(part, 'thinking');
}
