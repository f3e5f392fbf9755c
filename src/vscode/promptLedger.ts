/**
 * What became of the prompts that the panel sent, over a reload of the window (T9). The panel sends a prompt again when it did
 * not hear that it was taken; the ledger says whether it was. It also holds the texts that belong back in the composer until
 * there is a panel to take them. What was taken is told by the log alone.
 */
import { nanoid } from 'nanoid';

import type { QueuedPrompt } from '../agent/events.ts';
import { isKind, type Session } from '../session/schema.ts';
import type { Memory } from './memory.ts';

/** What is needed of a run. */
interface Recorded {
  session: Session;
  queue: readonly QueuedPrompt[];
  interrupted: string | undefined;
}

interface Sent {
  id: string;
  /** Null for what must never run twice whatever the log says: a slash command, a prompt that was given back. */
  session: string | null;
  /** How many turns the session had: the prompt, if it was taken, stands in a later one. */
  turns: number;
}

interface Queued extends QueuedPrompt {
  turns: number;
}

/** A text that belongs in the composer. */
export interface Offer {
  id: string;
  text: string;
}

const SENT = 'polyglav.sent';
const QUEUED = 'polyglav.queued';
const OFFERS = 'polyglav.offers';
const SENT_KEPT = 100;

export class PromptLedger {
  readonly #memory: Memory;
  /** Each run has its own: a session that was given back and comes again may have been interrupted elsewhere meanwhile. */
  readonly #recovered = new WeakSet<Session>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Remembers that a prompt (of `session`) or a command (null) is about to run; settles when a reload cannot forget it. */
  async enter(id: string, session: Session | null): Promise<void> {
    await this.#enter([{ id, session: session?.session_name ?? null, turns: session?.turns.length ?? 0 }]);
  }

  /** Forgets one that was refused, so that it can be sent again. */
  async forget(id: string): Promise<void> {
    await this.#memory.update(
      SENT,
      this.#sent().filter((sent) => sent.id !== id),
    );
  }

  /**
   * Whether it was taken before: it is in the log of its session, waits in a queue, or was given back from one. `text` is the
   * prompt as the log has it; `read` gives a session, or undefined when there is none any more.
   */
  async has(id: string, text: string, read: (session: string) => Promise<Session | undefined>): Promise<boolean> {
    const sent = this.#sent().find((other) => other.id === id);
    if (sent === undefined) return false;
    if (
      sent.session === null ||
      this.#queued()
        .get(sent.session)
        ?.some((prompt) => prompt.id === id) === true
    )
      return true;
    const session = await read(sent.session);
    return session !== undefined && isLogged(session, text, sent.turns);
  }

  /** Keeps a copy of a run's queue, which itself is in memory only. */
  async mirror({ session, queue, interrupted }: Recorded): Promise<void> {
    await this.recover({ session, interrupted });
    const name = session.session_name;
    const all = this.#queued();
    const before = all.get(name) ?? [];
    if (before.length === queue.length && before.every(({ id }, at) => id === queue[at]?.id)) return;
    const known = new Map(before.map((prompt) => [prompt.id, prompt]));
    const copy = queue.map(({ id, text }): Queued => known.get(id) ?? { id, text, turns: session.turns.length });
    await this.#save(QUEUED, all.set(name, copy));
  }

  /** Keeps a text for the composer of this session. */
  async offer(session: string, text: string): Promise<void> {
    await this.#save(OFFERS, this.#offers().set(session, [...this.offersOf(session), { id: nanoid(), text }]));
  }

  /** The texts that wait for the composer of this session. */
  offersOf(session: string): readonly Offer[] {
    return this.#offers().get(session) ?? [];
  }

  /** The composer has this text, and keeps it itself from now on. */
  async delivered(id: string): Promise<void> {
    const offers = this.#offers();
    for (const [session, waiting] of offers)
      offers.set(
        session,
        waiting.filter((offer) => offer.id !== id),
      );
    await this.#save(OFFERS, offers);
  }

  /**
   * Once for each run, before its queue is mirrored: the prompt that was interrupted and those that still waited when the
   * window went away become offers. They are never sent by themselves, and the panel's repetition of one counts as taken.
   */
  async recover({ session, interrupted }: Pick<Recorded, 'session' | 'interrupted'>): Promise<void> {
    if (this.#recovered.has(session)) return;
    this.#recovered.add(session);
    const queued = this.#queued();
    const left = queued.get(session.session_name) ?? [];
    const waited = left.filter(({ text, turns }) => !isLogged(session, text, turns)).map(({ text }) => text);
    const offers = [...(interrupted === undefined ? [] : [interrupted]), ...waited];
    await Promise.all([
      ...offers.map((text) => this.offer(session.session_name, text)),
      this.#enter(left.map(({ id }) => ({ id, session: null, turns: 0 }))),
      left.length === 0 ? undefined : this.#save(QUEUED, queued.set(session.session_name, [])),
    ]);
  }

  async #enter(entries: Sent[]): Promise<void> {
    if (entries.length === 0) return;
    const ids = new Set(entries.map(({ id }) => id));
    await this.#memory.update(SENT, [...this.#sent().filter(({ id }) => !ids.has(id)), ...entries].slice(-SENT_KEPT));
  }

  #sent(): Sent[] {
    return (this.#memory.get(SENT) as Sent[] | undefined) ?? [];
  }

  #queued(): Map<string, Queued[]> {
    return this.#load<Queued>(QUEUED);
  }

  #offers(): Map<string, Offer[]> {
    return this.#load<Offer>(OFFERS);
  }

  /** By session. A map, because a session may be called `constructor`. */
  #load<T>(key: string): Map<string, T[]> {
    return new Map(Object.entries((this.#memory.get(key) as Record<string, T[]> | undefined) ?? {}));
  }

  async #save<T>(key: string, lists: Map<string, T[]>): Promise<void> {
    await this.#memory.update(key, Object.fromEntries([...lists].filter(([, list]) => list.length > 0)));
  }
}

/** Whether the prompt stands in one of the turns after the first `turns`. */
function isLogged(session: Session, text: string, turns: number): boolean {
  const wanted = text.toWellFormed().trim();
  const holds = (part: Session['turns'][number]['parts'][number]) =>
    isKind(part, 'user') && part.text.trim() === wanted;
  return session.turns.slice(turns).some((turn) => turn.parts.some(holds));
}
