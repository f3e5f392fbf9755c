/** The turns of the session, oldest first, with what commands said below them. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import type { Turn } from '../../src/session/schema.ts';
import type { PanelContext } from '../context.ts';
import { button } from '../controls.ts';
import { PanelElement } from '../element.ts';
import type { Place } from '../kept.ts';
import { noteCard, type Note } from '../notes/notes.ts';
import '../turn/turn.ts';
import type { TurnElement } from '../turn/turn.ts';
import { ScrollKeeper } from './scroll.ts';

/** Pixels from the upper end at which older turns are asked for. */
const ASK_AHEAD = 400;
const SETTLE_FRAMES = 3;
/** When the host has not answered for so long, older turns may be asked for again. */
const PATIENCE_MS = 5000;

interface Anchor {
  turn: number;
  top: number;
}

export class TranscriptElement extends PanelElement {
  static override properties: PropertyDeclarations = {
    context: { attribute: false },
    version: { attribute: false },
    session: { attribute: false },
    notes: { attribute: false },
    place: { attribute: false },
  };
  declare context: PanelContext;
  /** Grows with every change of the store. */
  declare version: number;
  /** Name of the session; '' without one. */
  declare session: string;
  declare notes: readonly Note[];
  /** Where the session stood when the page was left; read when a session is first drawn. */
  declare place: Place | null;
  onPlace: (place: Place | null) => void = () => undefined;
  onCloseNote: (note: Note) => void = () => undefined;

  #keeper: ScrollKeeper | undefined;
  #drawnSession: string | undefined;
  #drawnBefore = 0;
  #drawnEnd = '';
  #drawnNotes = 0;
  #anchor: Anchor | undefined;
  #restoring = false;
  #asked: { before: number; at: number } | undefined;

  /** Goes to the end and follows it. */
  toEnd(): void {
    this.#keeper?.toEnd();
  }

  protected override render(): TemplateResult {
    const { store } = this.context;
    return html`<div class="log" role="log" aria-live="off" aria-label="Conversation" tabindex="0">
        <div class="log-content" @fold-toggled=${() => this.#keeper?.hold()}>
          ${store.before > 0 ? this.#olderButton(store.before) : nothing}
          ${repeat(
            store.turns,
            (turn) => turn.index,
            (turn, at) => this.#turn(turn, at === store.turns.length - 1),
          )}
          ${this.notes.map((note) => noteCard(note, () => this.onCloseNote(note)))}
        </div>
      </div>
      ${this.#endButton()}`;
  }

  #turn(turn: Turn, isLast: boolean): TemplateResult {
    const { store } = this.context;
    return html`<polyglav-turn
      class=${isLast ? 'last' : ''}
      .context=${this.context}
      .turn=${turn}
      .revision=${store.revision(turn)}
      .run=${isLast ? (store.state?.run ?? 'idle') : 'idle'}
    ></polyglav-turn>`;
  }

  #olderButton(before: number): TemplateResult {
    return html`<div class="older">
      ${button({ label: `Show older turns (${before})`, look: 'quiet', onClick: () => this.#askOlder() })}
    </div>`;
  }

  #endButton(): TemplateResult | typeof nothing {
    const keeper = this.#keeper;
    if (keeper === undefined || keeper.following) return nothing;
    return html`<div class="to-end">
      ${button({
        label: keeper.unseen ? 'New messages' : 'To the end',
        icon: 'arrow-down',
        onClick: () => this.toEnd(),
      })}
    </div>`;
  }

  protected override firstUpdated(): void {
    const [scroller, content] = [
      this.querySelector<HTMLElement>('.log'),
      this.querySelector<HTMLElement>('.log-content'),
    ];
    if (scroller !== null && content !== null)
      this.#keeper = new ScrollKeeper(scroller, content, () => this.#scrolled(scroller));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#keeper?.dispose();
  }

  protected override willUpdate(): void {
    const { store } = this.context;
    const grewAbove = this.session === this.#drawnSession && store.before < this.#drawnBefore;
    this.#anchor = grewAbove ? this.#anchorNow() : undefined;
    this.#keepFocus();
  }

  /**
   * The button to the end goes when the end is there; a focus on it goes to the last stop before it, so that the next Tab leads
   * on. At the beginning of the log the keyboard would go round and round.
   */
  #keepFocus(): void {
    const goes = this.#keeper?.following === true && this.querySelector('.to-end');
    if (!goes || !goes.contains(document.activeElement)) return;
    const stops = this.querySelectorAll<HTMLElement>('.log, .log :is(a, button, vscode-button, [tabindex="0"])');
    stops[stops.length - 1]?.focus({ preventScroll: true });
  }

  protected override updated(): void {
    const { store } = this.context;
    if (this.#anchor !== undefined) void this.#restore(this.#anchor);
    this.#drawnBefore = store.before;
    const end = this.#endNow();
    if (store.state !== undefined && this.session !== this.#drawnSession) this.#begin();
    else if (end !== this.#drawnEnd) this.#keeper?.arrived();
    this.#drawnEnd = end;
    if (this.notes.length > this.#drawnNotes) void this.#beginNote();
    this.#drawnNotes = this.notes.length;
    if (this.#keeper?.following === true) store.trim();
    this.#askOlderIfNear();
  }

  /** A note that is longer than the view is read from its beginning. */
  async #beginNote(): Promise<void> {
    await this.updateComplete;
    const note = [...this.querySelectorAll<HTMLElement>('.note')].at(-1);
    await note?.querySelector<PanelElement>('polyglav-answer')?.updateComplete;
    if (note === undefined || note.offsetHeight < (this.querySelector('.log')?.clientHeight ?? 0)) return;
    this.#keeper?.toTopOf(note);
  }

  /** Changes with whatever is new below. */
  #endNow(): string {
    const { store } = this.context;
    const last = store.turns.at(-1);
    return last === undefined ? '' : `${last.index}.${store.revision(last)}.${this.notes.length}`;
  }

  /** Another session: to where it was left in the page before this one, else to its end. */
  #begin(): void {
    const first = this.#drawnSession === undefined;
    // The first prompt gives the new session its name; it is the same conversation.
    this.#drawnSession = this.session;
    const { place } = this;
    if (first && place !== null && place.session === this.session && this.#turnElement(place.turn) !== null) {
      this.#keeper?.hold();
      void this.#restore({ turn: place.turn, top: -place.offset });
    } else this.toEnd();
  }

  #scrolled(scroller: HTMLElement): void {
    if (this.#drawnSession === undefined) return;
    this.requestUpdate();
    const anchor = this.#keeper?.following === true ? undefined : this.#anchorNow();
    this.onPlace(
      anchor === undefined ? null : { session: this.session, turn: anchor.turn, offset: Math.round(-anchor.top) },
    );
    if (scroller.scrollTop < ASK_AHEAD) this.#askOlderIfNear();
  }

  /** The turns draw themselves after this element has drawn, and before the page is painted. */
  async #whenDrawn(): Promise<void> {
    await Promise.all([...this.querySelectorAll<TurnElement>('polyglav-turn')].map((turn) => turn.updateComplete));
  }

  /** The turn at the upper edge, and where its top is, in pixels from that edge. */
  #anchorNow(): Anchor | undefined {
    const edge = this.#edge();
    for (const element of this.querySelectorAll<TurnElement>('polyglav-turn')) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge) return { turn: element.turn.index, top: top - edge };
    }
    return undefined;
  }

  /**
   * Puts a turn back to where it was. Turns that come into sight take their real height only then, which moves the ones below,
   * so it is done again in the next frames, unless the person scrolls meanwhile.
   */
  async #restore(anchor: Anchor): Promise<void> {
    const keeper = this.#keeper;
    const { inputs } = keeper ?? {};
    this.#restoring = true;
    await this.#whenDrawn();
    for (let frame = 0; frame < SETTLE_FRAMES && keeper?.inputs === inputs; frame += 1) {
      const element = this.#turnElement(anchor.turn);
      if (element !== null) keeper?.shift(element.getBoundingClientRect().top - this.#edge() - anchor.top);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    this.#restoring = false;
    this.#askOlderIfNear();
  }

  /** The upper edge of what is in sight. */
  #edge(): number {
    return this.querySelector('.log')?.getBoundingClientRect().top ?? 0;
  }

  #turnElement(index: number): TurnElement | null {
    const elements = [...this.querySelectorAll<TurnElement>('polyglav-turn')];
    return elements.find((element) => element.turn.index === index) ?? null;
  }

  #askOlderIfNear(): void {
    const { before } = this.context.store;
    const scroller = this.querySelector('.log');
    if (scroller === null || scroller.scrollTop >= ASK_AHEAD) return;
    // Not while the turns that came are still being put in.
    if (before === 0 || before !== this.#drawnBefore || this.#restoring) return;
    // At the end of a transcript that is longer than the window, nobody looks for older turns.
    if (this.#keeper?.following === true && scroller.scrollHeight > scroller.clientHeight) return;
    this.#askOlder();
  }

  #askOlder(): void {
    const { store } = this.context;
    const { before, at } = this.#asked ?? { before: -1, at: 0 };
    if (before === store.before && Date.now() - at < PATIENCE_MS) return;
    this.#asked = { before: store.before, at: Date.now() };
    this.context.send({ type: 'older', epoch: store.epoch, before: store.before });
  }
}

customElements.define('polyglav-transcript', TranscriptElement);
