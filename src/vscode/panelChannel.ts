/**
 * One binding of a session to the panel: numbers what it sends, and joins the pieces of streaming text, so that a fast model
 * costs the webview some thirty messages a second and no more. Order is kept: whatever else is sent goes after the joined text.
 */
import { nanoid } from 'nanoid';

import type { RunEvent } from '../agent/events.ts';
import type { HostMessage, PanelState, TurnPage } from '../protocol/messages.ts';
import type { SessionEvent } from '../session/events.ts';

const JOIN_MS = 33;

type Extension = Extract<SessionEvent, { type: 'part_extended' }>;
type Output = Extract<RunEvent, { type: 'output' }>;

export class PanelChannel {
  readonly epoch = nanoid();
  readonly #post: (message: HostMessage) => void;
  #seq = 0;
  #held: Extension | Output | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(post: (message: HostMessage) => void) {
    this.#post = post;
  }

  snapshot(state: PanelState, page: TurnPage): void {
    this.#post({ type: 'snapshot', epoch: this.epoch, seq: this.#next(), state, page });
  }

  state(state: PanelState): void {
    this.#flush();
    this.#post({ type: 'state', epoch: this.epoch, seq: this.#next(), state });
  }

  event(event: SessionEvent): void {
    if (event.type === 'part_extended') {
      if (this.#held?.type === 'part_extended') {
        this.#held = { ...event, text: this.#held.text + event.text };
        return;
      }
      this.#hold(event);
      return;
    }
    this.#flush();
    // A copy: the fold changes parts in place, and the message may be read later than it is posted.
    this.#post({ type: 'event', epoch: this.epoch, seq: this.#next(), event: structuredClone(event) });
  }

  output(output: Output): void {
    if (this.#held?.type === 'output' && this.#held.part === output.part) {
      this.#held = { ...output, piece: this.#held.piece + output.piece };
      return;
    }
    this.#hold(output);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
  }

  #hold(piece: Extension | Output): void {
    this.#flush();
    this.#held = piece;
    this.#timer = setTimeout(() => this.#flush(), JOIN_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const number = { epoch: this.epoch, seq: this.#next() };
    if (held.type === 'output') this.#post({ type: 'output', ...number, part: held.part, piece: held.piece });
    else this.#post({ type: 'event', ...number, event: held });
  }

  #next(): number {
    this.#seq += 1;
    return this.#seq;
  }
}
