/** Where prompts are written: the text box with its completion list, Send and Stop, and what waits. */
import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';

import type { Completions, PanelState } from '../../src/protocol/messages.ts';
import type { PanelContext } from '../context.ts';
import { iconButton } from '../controls.ts';
import { PanelElement } from '../element.ts';
import { isFaulty } from '../header/problems.ts';
import { icon } from '../icon.ts';
import { visible } from '../../src/session/visible.ts';
import { askedFor, offers, type Offer } from './completion.ts';
import { direction } from './direction.ts';
import type { Drafts, Refused } from './drafts.ts';
import { queueChips } from './queue.ts';

/** Not at every key of a quick typist. */
const ASK_MS = 100;

export class ComposerElement extends PanelElement {
  static override properties: PropertyDeclarations = {
    context: { attribute: false },
    drafts: { attribute: false },
    state: { attribute: false },
    version: { attribute: false },
    completions: { attribute: false },
  };
  declare context: PanelContext;
  declare drafts: Drafts;
  declare state: PanelState;
  /** Grows when the drafts or the store have changed. */
  declare version: number;
  /** What the host knows for an argument. */
  declare completions: Completions | undefined;
  onSend: () => void = () => undefined;
  /** Prompts of the turns that are loaded, newest first: what the arrow keys go through. */
  history: () => string[] = () => [];

  #offered: Offer[] = [];
  /** Position in what is offered, from 0; -1 while Enter sends what is there. */
  #active = 0;
  #asking: ReturnType<typeof setTimeout> | undefined;
  /** Position in the history, from 0; -1 while it is not looked through. */
  #recalled = -1;

  override focus(): void {
    const box = this.#box();
    box?.focus({ preventScroll: true });
    box?.setSelectionRange(box.value.length, box.value.length);
  }

  protected override render(): TemplateResult {
    const { drafts, state } = this;
    const busy = state.run !== 'idle';
    const blank = drafts.text.trim() === '';
    return html`<form class="composer" aria-label="Composer" @submit=${(event: Event) => event.preventDefault()}>
      ${heldNotice(state.session?.held_by)}
      ${queueChips(state.queue, drafts.sends, (id) => this.context.send({ type: 'unqueue', id }))}
      ${this.#completionList()}
      <div class="box">
        <textarea
          rows="1"
          dir=${direction(drafts.text)}
          aria-label="Message to Polyglav"
          aria-autocomplete="list"
          aria-controls=${this.#offered.length > 0 ? 'completions' : nothing}
          aria-activedescendant=${this.#offered.length > 0 && this.#active >= 0 ? `completion-${this.#active}` : nothing}
          aria-describedby=${drafts.refusal === undefined ? nothing : 'refusal'}
          placeholder=${busy ? 'Write the next message…' : 'Ask for a change, / for commands'}
          .value=${live(drafts.text)}
          @input=${this.#typed}
          @keydown=${this.#keyPressed}
          @blur=${() => this.#offer([])}
        ></textarea>
        <div class="box-buttons">
          ${
            busy
              ? iconButton({
                  name: 'stop',
                  label: state.run === 'stopping' ? 'Stopping…' : 'Stop (Escape)',
                  icon: 'debug-stop',
                  disabled: state.run === 'stopping',
                  onClick: () => this.#stop(),
                })
              : nothing
          }
          ${
            busy && blank
              ? nothing
              : iconButton({
                  name: 'send',
                  label: busy ? 'Send when this turn has ended (Enter)' : 'Send (Enter)',
                  icon: 'send',
                  disabled: blank || state.session?.held_by !== undefined,
                  onClick: () => {
                    this.#send();
                    this.focus();
                  },
                })
          }
        </div>
      </div>
      ${refusalLine(drafts.refusal, state)}
    </form>`;
  }

  #completionList(): TemplateResult | typeof nothing {
    if (this.#offered.length === 0) return nothing;
    return html`<ul class="completions" id="completions" role="listbox" aria-label="Completions">
      ${this.#offered.map(
        (offer, at) =>
          html`<li
            id="completion-${at}"
            role="option"
            aria-selected=${at === this.#active ? 'true' : 'false'}
            @pointerdown=${(event: Event) => event.preventDefault()}
            @click=${() => this.#complete(offer)}
          >
            <span class="command-name">${visible(offer.name)} <span class="dim">${offer.args}</span></span>
            <span class="command-help">${offer.help}</span>
          </li>`,
      )}
    </ul>`;
  }

  protected override updated(changed: PropertyValues): void {
    this.#showChosen();
    const listed = changed.has('state') && this.#offered.length > 0;
    if (listed || (changed.has('completions') && this.#box() === document.activeElement)) this.#offer(this.#matching());
  }

  /** Scrolls the list alone: `scrollIntoView` would move whatever is around it too. */
  #showChosen(): void {
    const list = this.querySelector<HTMLElement>('.completions');
    const chosen = list?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!list || !chosen) return;
    const [around, own] = [list.getBoundingClientRect(), chosen.getBoundingClientRect()];
    list.scrollTop += Math.min(0, own.top - around.top) + Math.max(0, own.bottom - around.bottom);
  }

  readonly #typed = (): void => {
    const box = this.#box();
    if (box === null) return;
    this.#recalled = -1;
    this.drafts.refusal = undefined;
    this.drafts.type(box.value);
    this.#active = 0;
    this.#ask(box);
    this.#offer(this.#matching());
    this.requestUpdate();
  };

  readonly #keyPressed = (event: KeyboardEvent): void => {
    // While an input method composes, every key is its own; 229 is how some say so.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else tells it on some systems
    if (event.isComposing || event.keyCode === 229) return;
    if ((this.#offered.length > 0 && this.#completionKey(event)) || this.#ownKey(event)) event.preventDefault();
  };

  /** Whether the key was meant for the completion list. */
  #completionKey({ key, shiftKey }: KeyboardEvent): boolean {
    const offer = this.#offered[this.#active];
    const count = this.#offered.length;
    switch (key) {
      case 'ArrowDown':
        return this.#choose((this.#active + 1) % count);
      case 'ArrowUp':
        return this.#choose((Math.max(this.#active, 0) + count - 1) % count);
      case 'Escape':
        this.#offer([]);
        return true;
      case 'Enter':
        // A command that is typed out is meant to be sent.
        if (shiftKey || offer === undefined || this.drafts.text.trim() === offer.text.trim()) return false;
        this.#complete(offer);
        return true;
      case 'Tab':
        if (shiftKey) return false;
        this.#complete(offer ?? (this.#offered[0] as Offer));
        return true;
      default:
        return false;
    }
  }

  /** Whether the key was one of the composer's own. */
  #ownKey({ key, shiftKey, altKey }: KeyboardEvent): boolean {
    switch (key) {
      case 'Enter':
        if (shiftKey || altKey) return false;
        this.#send();
        return true;
      case 'Escape':
        if (this.state.run === 'idle' || this.drafts.text !== '') return false;
        this.#stop();
        return true;
      case 'ArrowUp':
        return this.#recall(this.#recalled + 1);
      case 'ArrowDown':
        return this.#recalled >= 0 && this.#recall(this.#recalled - 1);
      default:
        return false;
    }
  }

  #send(): void {
    this.#offer([]);
    this.#recalled = -1;
    const send = this.drafts.send();
    this.requestUpdate();
    if (send === undefined) return;
    this.context.send({ type: 'send', ...send });
    this.onSend();
  }

  #stop(): void {
    if (this.state.run === 'idle' || this.state.run === 'stopping') return;
    this.context.send({ type: 'stop' });
    this.focus();
  }

  /** Puts an earlier prompt into an empty box, or one that holds such a prompt unchanged. */
  #recall(to: number): boolean {
    const prompts = this.history();
    const untouched = this.#recalled >= 0 && this.drafts.text === prompts[this.#recalled];
    if (to >= prompts.length || (this.drafts.text !== '' && !untouched)) return false;
    this.#recalled = to;
    this.drafts.type(prompts[to] ?? '');
    this.requestUpdate();
    void this.updateComplete.then(() => this.focus());
    return true;
  }

  #matching(): Offer[] {
    const box = this.#box();
    return box === null ? [] : offers(box.value, box.selectionStart, this.state.commands, this.completions);
  }

  /** Asks the host how the argument of a command can go on. */
  #ask(box: HTMLTextAreaElement): void {
    const text = askedFor(box.value, box.selectionStart, this.state.commands);
    clearTimeout(this.#asking);
    if (text === undefined) return;
    this.#asking = setTimeout(() => this.context.send({ type: 'complete', text }), ASK_MS);
    // An argument may be left out: then Enter sends the command as it stands.
    if (text.endsWith(' ')) this.#active = -1;
  }

  #offer(found: Offer[]): void {
    if (found.length === 0 && this.#offered.length === 0) return;
    if (found.length !== this.#offered.length && found.length > 0)
      this.context.announce(`${found.length} ${found.length === 1 ? 'completion' : 'completions'}`);
    this.#offered = found;
    this.#active = Math.min(this.#active, Math.max(0, found.length - 1));
    this.requestUpdate();
  }

  #choose(at: number): boolean {
    this.#active = at;
    this.requestUpdate();
    return true;
  }

  #complete(offer: Offer): void {
    this.drafts.type(offer.text);
    this.#offer([]);
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.focus();
      // A command that was chosen may take an argument.
      if (offer.text.endsWith(' ')) this.#typed();
    });
  }

  #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }
}

customElements.define('polyglav-composer', ComposerElement);

const FAULTY = 'Not sent: the configuration has faults, which stand at the top. Mend them, then send again.';

function refusalLine(refused: Refused | undefined, state: PanelState): TemplateResult | typeof nothing {
  if (refused === undefined) return nothing;
  // Said once: the banner has it.
  const words = refused.due_to === 'configuration' && isFaulty(state) ? FAULTY : refused.reason;
  return html`<div class="refusal" id="refusal" role="alert">${icon('error')}<span>${visible(words)}</span></div>`;
}

/** Another program writes to the session: what is typed here waits. */
function heldNotice(holder: string | undefined): TemplateResult | typeof nothing {
  if (holder === undefined) return nothing;
  return html`<div class="held" role="status">
    ${icon('lock')}<span>
      This session is open in ${visible(holder)}. You can read along here, and write as soon as it is left there.
    </span>
  </div>`;
}
