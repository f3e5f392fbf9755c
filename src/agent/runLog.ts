/** How a run writes: each event without keys (R15), told as it comes into memory; the beginning and the end of a turn as a whole. */
import type { SessionEvent } from '../session/events.ts';
import type { SessionFile } from '../session/file.ts';
import { runningTurn } from '../session/reduce.ts';
import {
  timestampOf,
  type CommandPart,
  type Part,
  type Session,
  type Turn,
  type TurnStatus,
  type UserPart,
} from '../session/schema.ts';
import { sentence } from '../text/sentence.ts';
import { unfinishedCalls, type Log } from './log.ts';
import { Redaction } from './redaction.ts';
import { Refusal } from './refusal.ts';
import type { Secrets } from './secrets.ts';
import type { Ending } from './turn.ts';

export interface RunLogListeners {
  onEvent(event: SessionEvent): void;
  onProblem(message: string): void;
}

export class RunLog implements Log {
  readonly #file: SessionFile;
  readonly #now: () => Date;
  readonly #listeners: RunLogListeners;
  readonly #redaction = new Redaction();

  constructor(file: SessionFile, now: () => Date, listeners: RunLogListeners) {
    this.#file = file;
    this.#now = now;
    this.#listeners = listeners;
  }

  get session(): Session {
    return this.#file.session;
  }

  /** From here on these are left out of what is written. */
  hide(secrets: Secrets): void {
    this.#redaction.use(secrets);
  }

  /** See {@link Log}; rejects with words for a person. */
  append(event: SessionEvent): Promise<void> {
    return this.#append(event).catch((error: unknown) => {
      throw new Error(notSaved(error));
    });
  }

  /**
   * Settles when a turn and its first part, behind what `before` holds, are durable; when they cannot be saved the turn has failed.
   * Throws {@link Refusal}.
   */
  async begin(turn: Turn, part: UserPart | CommandPart, before: readonly Part[] = []): Promise<void> {
    const at = part.timestamp;
    try {
      await Promise.all([
        this.#append({ type: 'turn_started', at, turn }),
        ...[...before, part].map((each) => this.#append({ type: 'part_added', at, part: each })),
      ]);
    } catch (error) {
      const message = `${notSaved(error)} Nothing was ${part.type === 'user' ? 'sent' : 'changed'}.`;
      this.#endUnsaved(part, message);
      throw new Refusal(message);
    }
  }

  /** Writes the end of the turn: results for calls that have none, the error, the status. Never rejects. */
  async end(ending: Ending): Promise<TurnStatus> {
    const at = timestampOf(this.#now());
    const open = unfinishedCalls(runningTurn(this.session)?.parts ?? []);
    const events: SessionEvent[] = open.map((part) => ({
      type: 'part_filled',
      at,
      part,
      fill: { output: 'Not run: the turn ended first.', is_error: true },
    }));
    // The error carries the turn's end as its time: that is how a reader finds the turn it belongs to.
    if (ending.error !== undefined) events.push({ type: 'error', at, entry: { ...ending.error, timestamp: at } });
    events.push({
      type: 'turn_ended',
      at,
      status: ending.status,
      ...(ending.usage === undefined ? {} : { usage: ending.usage }),
    });
    try {
      await Promise.all(events.map((event) => this.#append(event)));
    } catch (error) {
      this.#listeners.onProblem(notSaved(error));
    }
    return ending.status;
  }

  /** Writes what was held back because it may have been the beginning of a key. */
  async writeHeld(): Promise<void> {
    await this.#write(this.#redaction.end(timestampOf(this.#now())));
  }

  /** What could not be saved stands in memory, and goes to the disk with the next write that works. */
  #endUnsaved(part: UserPart | CommandPart, message: string): void {
    const at = timestampOf(this.#now());
    const events: SessionEvent[] = [
      { type: 'error', at, entry: { code: 0, message, timestamp: at } },
      { type: 'turn_ended', at, status: 'error' },
    ];
    // The person will send it again: the model is told why it is there twice.
    const text = 'This message could not be saved, so it was not sent at that time.';
    if (part.type === 'user')
      events.unshift({ type: 'part_added', at, part: { type: 'system', kind: 'reminder', text, timestamp: at } });
    for (const event of events) this.#append(event).catch(() => undefined);
  }

  #append(event: SessionEvent): Promise<void> {
    return this.#write(this.#redaction.clean(event));
  }

  async #write(events: readonly SessionEvent[]): Promise<void> {
    const written = events.map((event) => {
      const durable = this.#file.append(event);
      this.#listeners.onEvent(event);
      return durable;
    });
    await Promise.all(written);
  }
}

/** How a message begins that says that the disk did not take an entry. */
export const NOT_SAVED = 'The session could not be saved';

export function notSaved(error: unknown): string {
  return `${NOT_SAVED}: ${sentence(error instanceof Error ? error.message : String(error))}`;
}
