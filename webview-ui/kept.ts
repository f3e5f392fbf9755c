/** What the page keeps over a hide, a move and a reload, and nothing else: drafts and what belongs to them, place, folds. */

/** A prompt that was sent and that the host has neither taken nor refused yet. */
export interface Send {
  id: string;
  text: string;
  /** The session it was written in; '' is one that has no name yet. */
  session: string;
}

/** Where the transcript stood: the turn at the upper edge, and how many pixels of it were above. */
export interface Place {
  session: string;
  turn: number;
  offset: number;
}

export interface Kept {
  /** By session name; '' is the new session. */
  drafts: Record<string, string>;
  sends: Send[];
  /** The ids of the last texts that the host gave back and that are in a draft, oldest first. */
  prefilled: string[];
  /** Null when the transcript stood at its end. */
  place: Place | null;
  /** By session name and `<turn>.<part>`: what was folded open or shut by hand. */
  folds: Record<string, Record<string, boolean>>;
}

const SAVE_MS = 80;

/** Reads what an older version of the page, or nobody, has left: whatever is not as it should be is passed over. */
export function parseKept(value: unknown): Kept {
  const from = record(value);
  return {
    drafts: Object.fromEntries(Object.entries(record(from['drafts'])).filter(isText)),
    sends: Array.isArray(from['sends']) ? from['sends'].filter(isSend) : [],
    prefilled: Array.isArray(from['prefilled']) ? from['prefilled'].filter((id) => typeof id === 'string') : [],
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
  readonly #write: (state: Kept) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(value: Kept, write: (state: Kept) => void) {
    this.value = value;
    this.#write = write;
  }

  /** Writes within a tenth of a second. */
  saveSoon(): void {
    this.#timer ??= setTimeout(() => this.save(), SAVE_MS);
  }

  /** Writes now: before a prompt leaves, and when the page may be about to go. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write(this.value);
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function isFlag(entry: [string, unknown]): entry is [string, boolean] {
  return typeof entry[1] === 'boolean';
}

function isSend(value: unknown): value is Send {
  const { id, text, session } = record(value);
  return typeof id === 'string' && typeof text === 'string' && typeof session === 'string';
}

function isPlace(value: unknown): value is Place {
  const { session, turn, offset } = record(value);
  return typeof session === 'string' && typeof turn === 'number' && typeof offset === 'number';
}
