/**
 * What the panel shows, as a fold over the host's messages: a snapshot, then numbered ones. Late and doubled messages and
 * those of another binding are dropped; after a gap nothing is folded until the next snapshot, which the caller asks for by
 * `ready`. Pure: no page, no clock.
 */
import type { HostMessage, PanelState, TurnPage } from '../src/protocol/messages.ts';
import { reduce, runningTurn } from '../src/session/reduce.ts';
import type { ErrorEntry, PermissionEntry, Session, Turn } from '../src/session/schema.ts';
import { tail } from './visible.ts';

type Numbered = Extract<HostMessage, { seq: number }>;
export type StoreMessage = Numbered | Extract<HostMessage, { type: 'older' }>;

/** `view`: there is something new to draw. `resync`: the host must be asked for a snapshot. */
export type Applied = 'nothing' | 'view' | 'resync';

/** Of the live output of a call, which nobody keeps, this much (UTF-16 units) is held. */
const OUTPUT_HELD = 64_000;
/** More turns than the first number are cut down to the second, when the newest are looked at (`trim`). */
const TURNS_HELD = { most: 200, after: 80 };

export class PanelStore {
  /** Undefined until the first snapshot. */
  state: PanelState | undefined;
  /** Names the binding to a session; '' until the first snapshot. */
  epoch = '';
  /** How many turns stand before the first of `turns`; they come by `older`. */
  before = 0;
  #seq = 0;
  #session = sessionOf({ turns: [], before: 0, errors: [], permissions: [] });
  /** The epochs seen so far: a message of one of them that is not the current one is late, of a new one a sign of a loss. */
  readonly #epochs = new Set<string>();
  /** A message is missing: what comes next would not follow. */
  #lost = false;
  #output = new Map<number, string>();
  #revisions = new WeakMap<Turn, number>();

  /** Oldest first, without a gap. The objects stay the same while their turn goes on; see `revision`. */
  get turns(): readonly Turn[] {
    return this.#session.turns;
  }

  apply(message: StoreMessage): Applied {
    if (message.type === 'snapshot') return this.#snapshot(message);
    if (message.epoch !== this.epoch) return this.#epochs.has(message.epoch) ? 'nothing' : 'resync';
    if (message.type === 'older') return this.#older(message.page);
    if (this.#lost) return 'resync';
    if (message.seq <= this.#seq) return 'nothing';
    if (message.seq > this.#seq + 1) return this.#lose();
    this.#seq = message.seq;
    return this.#next(message);
  }

  /** Grows with each change of a turn. */
  revision(turn: Turn): number {
    return this.#revisions.get(turn) ?? 0;
  }

  /** What a running call of the running turn has printed so far; `part` from 0. */
  output(part: number): string {
    return this.#output.get(part) ?? '';
  }

  /** Those with the turn's end as their time; of the others those that came from its beginning until the next one began. */
  errorsOf(turn: Turn): ErrorEntry[] {
    if (this.#session.errors.length === 0) return [];
    const next = this.turns[this.turns.indexOf(turn) + 1];
    const from = Date.parse(turn.started_at ?? '');
    const to = Date.parse(next?.started_at ?? '');
    const endings = new Set(this.turns.map(({ ended_at }) => ended_at));
    return this.#session.errors.filter((entry) => {
      if (endings.has(entry.timestamp)) return entry.timestamp === turn.ended_at;
      const at = Date.parse(entry.timestamp);
      return at >= from && !(at >= to);
    });
  }

  /** The last decision on the call at `part` (from 0) of a turn; undefined when none is recorded with its place. */
  permissionOf(turn: Turn, part: number): PermissionEntry | undefined {
    return this.#session.permissions.findLast((entry) => entry.turn === turn.index && entry.part === part + 1);
  }

  /** Lets go of the oldest turns when there are many; whoever scrolls up gets them again by `older`. */
  trim(): void {
    const { turns } = this.#session;
    if (turns.length <= TURNS_HELD.most) return;
    const cut = turns.length - TURNS_HELD.after;
    const first = turns[cut]?.index ?? 0;
    const from = Date.parse(turns[cut]?.started_at ?? '');
    turns.splice(0, cut);
    this.before += cut;
    this.#session.permissions = this.#session.permissions.filter((entry) => (entry.turn ?? first) >= first);
    const endings = new Set(turns.map(({ ended_at }) => ended_at));
    this.#session.errors = this.#session.errors.filter(
      ({ timestamp }) => endings.has(timestamp) || !(Date.parse(timestamp) < from),
    );
  }

  #snapshot({ epoch, seq, state, page }: Extract<HostMessage, { type: 'snapshot' }>): Applied {
    if (epoch === this.epoch ? seq < this.#seq : this.#epochs.has(epoch)) return 'nothing';
    const name = state.session?.name;
    const known = name !== undefined && name === this.state?.session?.name ? this.#known(page) : page;
    this.#epochs.add(epoch);
    this.epoch = epoch;
    this.#seq = seq;
    this.#lost = false;
    this.state = state;
    this.before = known.before;
    this.#session = sessionOf(known);
    this.#output.clear();
    return 'view';
  }

  /** The page with the older turns that were loaded before it, so that a resync does not take them from under the eye. */
  #known(page: TurnPage): TurnPage {
    const kept = page.before - this.before;
    if (kept <= 0 || kept > this.turns.length) return page;
    // The end of a turn that was running may be what was lost.
    if (this.turns[kept - 1]?.status === 'running') return page;
    return {
      turns: [...this.turns.slice(0, kept), ...page.turns],
      before: this.before,
      errors: merge(this.#session.errors, page.errors),
      permissions: merge(this.#session.permissions, page.permissions),
    };
  }

  #older(page: TurnPage): Applied {
    if (page.turns.length === 0 || page.before + page.turns.length !== this.before) return 'nothing';
    this.#session.turns.unshift(...page.turns);
    this.#session.errors.unshift(...page.errors);
    this.#session.permissions.unshift(...page.permissions);
    this.before = page.before;
    return 'view';
  }

  #next(message: Exclude<Numbered, { type: 'snapshot' }>): Applied {
    switch (message.type) {
      case 'state':
        this.state = message.state;
        break;
      case 'output':
        this.#output.set(message.part, tail(this.output(message.part) + message.piece, OUTPUT_HELD));
        break;
      case 'event':
        try {
          reduce(this.#session, message.event);
        } catch {
          // It does not follow from what is here, so something is missing.
          return this.#lose();
        }
        if (message.event.type === 'part_filled') this.#output.delete(message.event.part);
        if (runningTurn(this.#session) === undefined) this.#output.clear();
        break;
    }
    this.#touch(this.turns.at(-1));
    return 'view';
  }

  #lose(): Applied {
    this.#lost = true;
    return 'resync';
  }

  #touch(turn: Turn | undefined): void {
    if (turn !== undefined) this.#revisions.set(turn, this.revision(turn) + 1);
  }
}

/** What `reduce` needs of a session; the header is the host's business. */
function sessionOf({ turns, errors, permissions }: TurnPage): Session {
  const header = {
    created_at: '',
    parent_id: '',
    role: '',
    session_id: '',
    session_name: '',
    version: '',
    updated_at: '',
  };
  return { ...header, turns: [...turns], errors: [...errors], permissions: [...permissions], sub_sessions: [] };
}

/** Both lists, what stands in both once: entries have no identity of their own but their content. */
function merge<T>(known: T[], page: T[]): T[] {
  const inPage = new Set(page.map((entry) => JSON.stringify(entry)));
  return [...known.filter((entry) => !inPage.has(JSON.stringify(entry))), ...page];
}
