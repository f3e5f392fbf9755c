/** What the page keeps over a hide, a move and a reload, and nothing else: what was written and not sent, place, folds. */
import type { Unsent, UnsentSend } from '../src/protocol/messages.ts';

/** Where the transcript stood: the turn at the upper edge, and how many pixels of it were above. */
export interface Place {
  session: string;
  turn: number;
  offset: number;
}

export interface Kept {
  /** By session name; '' is the new session. */
  unsent: Record<string, Unsent>;
  /** Null when the transcript stood at its end. */
  place: Place | null;
  /** By session name and `<turn>.<part>`: what was folded open or shut by hand. */
  folds: Record<string, Record<string, boolean>>;
}

/** Where the state is written to: VS Code's own, which may be some seconds late, and the host for what must not be lost. */
export interface Keeper {
  write(state: Kept): void;
  mirror(session: string, unsent: Unsent): void;
}

const SAVE_MS = 80;
/** More text than this (UTF-16 units) is not sent around at every key. */
const LARGE = 200_000;
const SAVE_LARGE_MS = 250;

/** Reads what an older version of the page, or nobody, has left: whatever is not as it should be is passed over. */
export function parseKept(value: unknown): Kept {
  const from = record(value);
  return {
    unsent: Object.fromEntries(Object.entries(record(from['unsent'])).filter(isUnsent)),
    place: isPlace(from['place']) ? from['place'] : null,
    folds: Object.fromEntries(
      Object.entries(record(from['folds'])).map(([session, folds]) => [
        session,
        Object.fromEntries(Object.entries(record(folds)).filter(isFlag)),
      ]),
    ),
  };
}

/** Holds the state in memory and writes it shortly after each change. */
export class KeptState {
  readonly value: Kept;
  readonly #keeper: Keeper;
  readonly #changed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(value: Kept, keeper: Keeper) {
    this.value = value;
    this.#keeper = keeper;
  }

  /** What is unsent in a session; undefined when nothing ever was. A session may be called `constructor`. */
  unsent(session: string): Unsent | undefined {
    return Object.hasOwn(this.value.unsent, session) ? this.value.unsent[session] : undefined;
  }

  /** Has a session's unsent texts replaced, to be mirrored with the next save. */
  change(session: string, unsent: Unsent): void {
    this.take(session, unsent);
    this.#changed.add(session);
  }

  /** As `change`, for what the host knows already. */
  take(session: string, unsent: Unsent): void {
    this.value.unsent = { ...this.value.unsent, [session]: unsent };
  }

  /** Writes within a tenth of a second, or a quarter when there is much to write. */
  saveSoon(): void {
    const large = [...this.#changed].some((session) => (this.unsent(session)?.draft.length ?? 0) > LARGE);
    this.#timer ??= setTimeout(() => this.save(), large ? SAVE_LARGE_MS : SAVE_MS);
  }

  /** Writes now: before a prompt leaves, and when the page may be about to go. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#keeper.write(this.value);
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const session of changed) {
      const unsent = this.unsent(session);
      if (unsent !== undefined) this.#keeper.mirror(session, unsent);
    }
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function isFlag(entry: [string, unknown]): entry is [string, boolean] {
  return typeof entry[1] === 'boolean';
}

function isUnsent(entry: [string, unknown]): entry is [string, Unsent] {
  const { at, draft, sends, prefilled } = record(entry[1]);
  return (
    typeof at === 'number' &&
    typeof draft === 'string' &&
    Array.isArray(sends) &&
    sends.every(isSend) &&
    Array.isArray(prefilled) &&
    prefilled.every((id) => typeof id === 'string')
  );
}

function isSend(value: unknown): value is UnsentSend {
  const { id, text } = record(value);
  return typeof id === 'string' && typeof text === 'string';
}

function isPlace(value: unknown): value is Place {
  const { session, turn, offset } = record(value);
  return typeof session === 'string' && typeof turn === 'number' && typeof offset === 'number';
}
