/**
 * What stands behind the front of a session's file, as it is on disk: the turns (or parts of the running turn) that are not in
 * the front yet, and the sections after the turns. The same events that memory folds are applied here, already transformed.
 */
import type { SessionEvent } from './events.ts';
import { finalParts } from './finality.ts';
import { json, renderPart, renderSections, renderTurnFoot, renderTurnHead, type Section } from './layout.ts';
import type { Part, Turn } from './schema.ts';

interface TailPart {
  part: Part;
  /** As it stands in the file; undefined when it must be rendered, because it is new or was filled. */
  text: string | undefined;
}

interface TailTurn {
  head: string;
  headInFront: boolean;
  partsInFront: number;
  parts: TailPart[];
  /** The keys behind the parts. */
  foot: Turn;
  footText: string | undefined;
}

/** How far the front may grow once a rendered end is on disk. */
export interface Advance {
  bytes: number;
  turns: number;
  /** Parts of the first turn that stays, and whether its head goes into the front too. */
  parts: number;
  head: boolean;
}

export class Tail {
  readonly sections: Map<Section, string[]>;
  updated_at: string;
  #turns: TailTurn[] = [];
  /** Whether a finished turn stands in the front, so that the next one needs a comma. */
  #turnBefore: boolean;

  constructor(updatedAt: string, sections: Map<Section, string[]>, turnBefore: boolean) {
    this.updated_at = updatedAt;
    this.sections = sections;
    this.#turnBefore = turnBefore;
  }

  /** A turn from disk that is not finished, or not in the front; its first `partsInFront` parts are. */
  addTurn(turn: {
    head: string;
    headInFront: boolean;
    partsInFront: number;
    parts: TailPart[];
    foot: Turn;
    footText: string;
  }): void {
    this.#turns.push(turn);
  }

  apply(event: SessionEvent): void {
    this.updated_at = event.at;
    switch (event.type) {
      case 'turn_started': {
        const { index, started_at, mode, reasoning, parts, ...foot } = event.turn;
        this.#turns.push({
          head: renderTurnHead({ index, started_at, mode, reasoning, parts: [], status: 'running' }),
          headInFront: false,
          partsInFront: 0,
          parts: parts.map((part) => ({ part: { ...part }, text: undefined })),
          foot: { ...foot, index, parts: [] },
          footText: undefined,
        });
        break;
      }
      case 'part_added':
        this.#running().parts.push({ part: { ...event.part }, text: undefined });
        break;
      case 'part_extended': {
        const last = this.#running().parts.at(-1);
        if (last === undefined) throw new Error('the part that streams is in the front already');
        last.part['text'] = String(last.part['text']) + event.text;
        last.text = undefined;
        break;
      }
      case 'part_filled': {
        const turn = this.#running();
        const part = turn.parts[event.part - turn.partsInFront];
        if (part === undefined) throw new Error(`part ${event.part} is in the front already`);
        Object.assign(part.part, event.fill);
        part.text = undefined;
        break;
      }
      case 'turn_ended': {
        const turn = this.#running();
        turn.foot.status = event.status;
        turn.foot.ended_at = event.at;
        if (event.usage !== undefined) turn.foot.usage = event.usage;
        turn.footText = undefined;
        break;
      }
      case 'error':
        this.#section('errors').push(json(event.entry));
        break;
      case 'permission':
        this.#section('permissions').push(json(event.entry));
        break;
      case 'sub_session':
        this.#section('sub_sessions').push(json(event.name));
        break;
    }
  }

  /** The end of the file as of now, and how much of it will never change again. */
  render(): { bytes: Buffer; advance: Advance } {
    const pieces: string[] = [];
    let final = 0;
    const advance: Advance = { bytes: 0, turns: 0, parts: 0, head: false };
    let open = false;
    let comma = this.#turnBefore;
    for (const turn of this.#turns) {
      if (!turn.headInFront) pieces.push(comma ? ',\n' : '\n', turn.head);
      if (!open) {
        final = pieces.length;
        advance.head = true;
        advance.parts = 0;
      }
      const finished = turn.foot.status !== 'running' || turn !== this.#turns.at(-1);
      const fixed = finished ? turn.parts.length : finalParts(turn.parts.map(({ part }) => part));
      for (const [position, entry] of turn.parts.entries()) {
        pieces.push(turn.partsInFront + position > 0 ? ',\n' : '\n', entry.text ?? renderPart(entry.part));
        if (!open && position < fixed) {
          final = pieces.length;
          advance.parts++;
        } else open = true;
      }
      pieces.push('\n', turn.footText ?? renderTurnFoot(turn.foot));
      if (!open && finished) {
        final = pieces.length;
        advance.turns++;
        advance.head = false;
        advance.parts = 0;
      } else open = true;
      comma = true;
    }
    advance.bytes = Buffer.byteLength(pieces.slice(0, final).join(''));
    return { bytes: Buffer.from(pieces.join('') + renderSections(this.sections, this.updated_at)), advance };
  }

  /** Forgets what is in the front now. */
  advance({ turns, parts, head }: Advance): void {
    if (turns > 0) this.#turnBefore = true;
    this.#turns = this.#turns.slice(turns);
    const first = this.#turns[0];
    if (!head || first === undefined) return;
    first.headInFront = true;
    first.partsInFront += parts;
    first.parts = first.parts.slice(parts);
  }

  #running(): TailTurn {
    const last = this.#turns.at(-1);
    if (last?.foot.status !== 'running') throw new Error('no running turn');
    return last;
  }

  #section(section: Section): string[] {
    const texts = this.sections.get(section) ?? [];
    this.sections.set(section, texts);
    return texts;
  }
}
