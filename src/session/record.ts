/** Reads a whole session into memory, with what its owner needs to go on writing behind it. */
import type { SessionEvent } from './events.ts';
import { finalParts } from './finality.ts';
import { listJournals } from './journal.ts';
import type { Section } from './layout.ts';
import type { RecordVisitor } from './layoutParser.ts';
import { ownerOf } from './lock.ts';
import { assertTurn, assertKeys, assertPiece, HEADER_DEFAULTS, SessionError } from './parse.ts';
import { nextIndex, reduce } from './reduce.ts';
import type { Part, Session, Turn } from './schema.ts';
import { filePath, journalFolder, look, type Look, type Place } from './source.ts';
import { isSame, stampAt } from './stamp.ts';
import { Tail } from './tail.ts';

/** Reads a session without changing anything on disk. Throws SessionError with the reason when it does not load. */
export async function readSession(place: Place): Promise<Session> {
  return (await look(place, () => new RecordBuilder(place.name), { owner: () => ownerOf(place) })).visited.session;
}

interface Ending {
  tail: Tail;
  /** Bytes of the file (in our layout) that will never change. */
  front: number;
}

export interface Opened extends Ending {
  session: Session;
  look: Look<RecordBuilder>;
}

/** For the owner: the session, and where to write on. */
export async function readForOwner(place: Place): Promise<Opened> {
  const seen = await look(place, () => new RecordBuilder(place.name));
  assertGoesOn(seen.visited.session);
  return { session: seen.visited.session, ...seen.visited.ending(), look: seen };
}

/**
 * The same, begun before there is a lock. What it returns is for the lock's holder: it reads again if something changed meanwhile.
 * Throws SessionError when the session does not load.
 */
export async function readAhead(place: Place): Promise<() => Promise<Opened>> {
  const before = await stampAt(filePath(place));
  const opened = await readForOwner(place);
  return async () => {
    const journals = [...opened.look.journals, ...(await listJournals(journalFolder(place.dir), place.name))];
    const isStill = journals.length === 0 && isSame(before, await stampAt(filePath(place)));
    return isStill ? opened : readForOwner(place);
  };
}

/** Throws SessionError when the last turn's number is the last there is: the session can only be read. */
function assertGoesOn(session: Session): void {
  const last = nextIndex(session) - 1;
  if (last >= Number.MAX_SAFE_INTEGER)
    throw new SessionError(
      `${session.session_name}.json cannot be continued: its last turn has the number ${last}, and no number can follow. It can be read and exported.`,
    );
}

type Json = Record<string, unknown>;
interface LastTurn {
  /** The keys before the parts, and the parts. */
  fields: Json;
  read: Part[];
  head: string;
  headEnd: number;
  parts: { text: string; end: number }[];
  footText: string;
  foot: Json;
  end: number;
}

/** Builds the session from the lines of its file, checking each piece. */
export class RecordBuilder implements RecordVisitor {
  readonly session: Session;
  /** The name that stands in the header, which need not be the file's. */
  headerName: string;
  readonly #name: string;
  readonly #keys = new Set<string>();
  readonly #sections = new Map<Section, string[]>();
  /** Where the turns begin, or the last finished turn but one ends: the front reaches at least to here. */
  #front = 0;
  #last: LastTurn | undefined;
  #ending: Ending | undefined;

  constructor(name: string) {
    this.#name = name;
    this.headerName = name;
    this.session = {
      ...HEADER_DEFAULTS,
      created_at: '',
      session_id: '',
      session_name: name,
      turns: [],
      errors: [],
      permissions: [],
      sub_sessions: [],
      updated_at: '',
    };
  }

  header(key: string, value: unknown): void {
    this.#keys.add(key);
    // Not an assignment: a key such as __proto__ is data like any other.
    Object.defineProperty(this.session, key, { value, enumerable: true, writable: true, configurable: true });
  }

  turns(end: number): void {
    this.#keys.add('turns');
    assertKeys(this.#keys, this.#name);
    const header = Object.fromEntries([...this.#keys].map((key) => [key, this.session[key]]));
    assertPiece('header', header, this.#name, () => 'header');
    // A file that was copied or renamed loads under its file's name (R10).
    this.headerName = this.session.session_name;
    this.session.session_name = this.#name;
    this.#front = end;
  }

  readonly wholeTurns: RecordVisitor['wholeTurns'] = (turns, end) => {
    // What is written to again is needed as text.
    if (turns.some(({ status }) => status === 'running')) return false;
    for (const turn of turns) {
      assertTurn(turn, this.#name, () => `turn ${this.session.turns.length + 1}`);
      this.session.turns.push(turn);
    }
    this.#last = undefined;
    this.#front = end;
    return true;
  };

  turnHead(head: Json, text: string, end: number): void {
    if (this.#last !== undefined) this.#front = this.#last.end;
    this.#last = { fields: head, head: text, headEnd: end, read: [], parts: [], footText: '', foot: {}, end };
  }

  part(part: Json, text: string, end: number): void {
    const last = this.#last as LastTurn;
    const where = () => `turn ${this.session.turns.length + 1}, part ${last.read.length + 1}`;
    assertPiece('part', part, this.#name, where);
    last.read.push(part as Part);
    last.parts.push({ text, end });
  }

  turnFoot(foot: Json, text: string, end: number): void {
    const last = this.#last as LastTurn;
    const turn = { ...last.fields, ...foot };
    assertPiece('turn', turn, this.#name, () => `turn ${this.session.turns.length + 1}`);
    turn['parts'] = last.read;
    this.session.turns.push(turn as unknown as Turn);
    last.foot = foot;
    last.footText = text;
    last.end = end;
    if (turn['status'] === 'running') return;
    // Only a running turn is written to again: what its texts were need not be kept.
    last.parts = [];
  }

  section(section: Section): void {
    this.#sections.set(section, []);
  }

  entry(section: Section, value: unknown, text: string): void {
    const list = this.session[section] as unknown[];
    assertPiece(section, value, this.#name, () => `${section}, entry ${list.length + 1}`);
    list.push(value);
    this.#sections.get(section)?.push(text);
  }

  updatedAt(value: unknown): void {
    if (typeof value !== 'string')
      throw new SessionError(`${this.#name}.json is not a session: updated_at is no text. It was left as it is.`);
    this.session.updated_at = value;
  }

  event(event: SessionEvent): void {
    const { tail } = this.ending();
    reduce(this.session, event);
    tail.apply(event);
  }

  /** What stands behind the front, events included, and where the front ends, which takes all that can never change again. */
  ending(): Ending {
    return (this.#ending ??= this.#endingOfText());
  }

  #endingOfText(): Ending {
    const turn = this.session.turns.at(-1);
    const last = this.#last;
    const running = turn?.status === 'running';
    const before = running ? this.session.turns.length - 1 : this.session.turns.length;
    const tail = new Tail(this.session.updated_at, this.#sections, before > 0);
    if (last === undefined || turn === undefined) return { tail, front: this.#front };
    if (!running) return { tail, front: last.end };
    const inFront = finalParts(turn.parts);
    tail.addTurn({
      head: last.head,
      headInFront: true,
      partsInFront: inFront,
      parts: turn.parts
        .slice(inFront)
        .map((part, position) => ({ part: { ...part }, text: last.parts[inFront + position]?.text })),
      foot: { ...(last.foot as unknown as Turn), index: turn.index, parts: [] },
      footText: last.footText,
    });
    return { tail, front: inFront === 0 ? last.headEnd : (last.parts[inFront - 1]?.end ?? last.headEnd) };
  }
}
