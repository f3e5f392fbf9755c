/** The whole panel, put together from its parts. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { announcements, heardOf, type Heard } from './announcements.ts';
import { requested } from './answer/actions.ts';
import { askCards } from './asks/asks.ts';
import './composer/composer.ts';
import type { ComposerElement } from './composer/composer.ts';
import { Connection } from './connection.ts';
import type { PanelContext } from './context.ts';
import { PanelElement } from './element.ts';
import { header } from './header/header.ts';
import { notices } from './header/notices.ts';
import type { Host } from './host.ts';
import { KeptState, parseKept } from './kept.ts';
import { isKind } from '../src/session/kind.ts';
import { noFolder, startScreen } from './start/start.ts';
import './transcript/transcript.ts';
import type { TranscriptElement } from './transcript/transcript.ts';

/** How long a button says that it has done its work. */
const DONE_MS = 1500;
/** The modal of a question may be up before the page hears of the question. */
const JUST_NOW_MS = 1500;

interface Parts {
  connection: Connection;
  kept: KeptState;
  context: PanelContext;
}

export class PolyglavPanel extends PanelElement {
  static override properties: PropertyDeclarations = { version: { attribute: false } };
  declare version: number;
  #parts: Parts | undefined;
  #heard: Heard | undefined;
  #spoken: { id: number; words: string }[] = [];
  #scheduled = false;
  #focused: Element | undefined;
  /** When the page last lost the focus; the modal of a question takes it. */
  #blurred = -Infinity;
  /** The focus was here when a question came: it comes back with the answer. */
  #asked: boolean | undefined;

  constructor() {
    super();
    this.version = 0;
    this.addEventListener('click', (event) => this.#act(event));
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.target instanceof Element && event.target.matches('[role="link"]'))
        this.#act(event);
    });
    window.addEventListener('blur', () => (this.#blurred = performance.now()));
    this.addEventListener('focusin', (event) => {
      if (event.target instanceof Element) this.#focused = event.target;
    });
  }

  /** Begins the talk with the host; called once. */
  connect(host: Host): void {
    const kept = new KeptState(parseKept(host.kept()), {
      write: (state) => host.keep(state),
      mirror: (session, unsent) => host.send({ type: 'unsent', session, unsent }),
    });
    const connection = new Connection(host, kept);
    const context: PanelContext = {
      store: connection.store,
      folds: connection.folds,
      send: (message) => connection.send(message),
      copy: (text, button) => this.#copy(text, button),
      announce: (text) => this.#announce([text]),
    };
    this.#parts = { connection, kept, context };
    connection.onChange = () => this.#changed();
    connection.onFocus = () => void this.updateComplete.then(() => this.#composer()?.focus());
    for (const event of ['pagehide', 'visibilitychange']) window.addEventListener(event, () => kept.save(), true);
    connection.start();
  }

  protected override render(): TemplateResult {
    const state = this.#parts?.connection.store.state;
    if (this.#parts === undefined || state === undefined)
      return html`<div class="connecting" role="status">Polyglav is starting…</div>`;
    const { context } = this.#parts;
    if (!state.folder) return noFolder(state.problems, () => context.send({ type: 'open_folder' }));
    return html`${header(state, context)} ${notices(state, context)} ${this.#conversation(this.#parts)}
      ${askCards(state.asks, (id) => context.send({ type: 'show_ask', id }))}
      <polyglav-composer
        .context=${context}
        .drafts=${this.#parts.connection.drafts}
        .state=${state}
        .version=${this.version}
        .completions=${this.#parts.connection.completions}
        .history=${() => this.#history()}
        .onSend=${() => this.#transcript()?.toEnd()}
      ></polyglav-composer>
      <div class="sr-only" role="status" aria-live="polite" aria-atomic="false">
        ${repeat(
          this.#spoken,
          ({ id }) => id,
          ({ words }) => html`<p>${words}</p>`,
        )}
      </div>`;
  }

  #conversation({ connection, context, kept }: Parts): TemplateResult {
    const { store, notes } = connection;
    const { state } = store;
    const empty = store.turns.length === 0 && store.before === 0;
    return html`<main class="conversation">
      ${
        empty && state !== undefined && notes.length === 0
          ? startScreen({
              state,
              fill: (text) => this.#fill(text),
              openSettings: () => context.send({ type: 'open_settings' }),
            })
          : nothing
      }
      <polyglav-transcript
        ?hidden=${empty && notes.length === 0}
        .context=${context}
        .version=${this.version}
        .session=${state?.session?.name ?? ''}
        .notes=${notes}
        .place=${kept.value.place}
        .onPlace=${(place: typeof kept.value.place) => {
          kept.value.place = place;
          kept.saveSoon();
        }}
        .onCloseNote=${(note: (typeof notes)[number]) => connection.closeNotes([note])}
      ></polyglav-transcript>
    </main>`;
  }

  /** Draws at most once a frame, however many messages arrive. */
  #changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const draw = (): void => {
      this.#scheduled = false;
      this.#speak();
      this.#returnFocus();
      this.version += 1;
      void this.updateComplete.then(() => requestAnimationFrame(() => this.#keepFocus()));
    };
    // A page that is not seen gets no frames.
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }

  #speak(): void {
    const store = this.#parts?.connection.store;
    if (store?.state === undefined) return;
    const heard = heardOf(store.state, store.turns);
    if (this.#heard !== undefined) this.#announce(announcements(this.#heard, heard, store.state));
    this.#heard = heard;
  }

  #announce(words: string[]): void {
    if (words.length === 0) return;
    const id = (this.#spoken.at(-1)?.id ?? 0) + 1;
    // Lines that are added are read; a few old ones stay so that a quick one is not taken away unread.
    this.#spoken = [...this.#spoken, ...words.map((line, at) => ({ id: id + at, words: line }))].slice(-4);
    this.requestUpdate();
  }

  /** VS Code gives the frame its focus back when a modal is answered, but not the page in it: keys would go nowhere. */
  #returnFocus(): void {
    const asks = this.#parts?.connection.store.state?.asks.length ?? 0;
    if (asks > 0) this.#asked ??= document.hasFocus() || performance.now() - this.#blurred < JUST_NOW_MS;
    else if (this.#asked !== undefined) {
      if (this.#asked) this.#composer()?.focus();
      this.#asked = undefined;
    }
  }

  /** Where the focus was on what is gone now, it goes to the composer, so that the keyboard is never lost. */
  #keepFocus(): void {
    const gone = this.#focused !== undefined && !this.#focused.isConnected;
    if (gone && document.activeElement === document.body) this.#composer()?.focus();
  }

  #act(event: Event): void {
    const message = requested(event.target);
    if (message === undefined) return;
    event.preventDefault();
    if (message.type === 'copy') this.#copy(message.text, event.target);
    else this.#parts?.context.send(message);
  }

  #copy(text: string, target: EventTarget | null): void {
    this.#parts?.context.send({ type: 'copy', text });
    const button = target instanceof Element ? target.closest('button, vscode-button') : null;
    button?.classList.add('did');
    setTimeout(() => button?.classList.remove('did'), DONE_MS);
    this.#announce(['Copied']);
  }

  #fill(text: string): void {
    this.#parts?.connection.drafts.offer(text);
    this.#changed();
    void this.updateComplete.then(() => this.#composer()?.focus());
  }

  #history(): string[] {
    const turns = this.#parts?.connection.store.turns ?? [];
    const prompts = turns.flatMap(({ parts }) => parts.flatMap((part) => (isKind(part, 'user') ? [part.text] : [])));
    return prompts.reverse();
  }

  #composer(): ComposerElement | null {
    return this.querySelector('polyglav-composer');
  }

  #transcript(): TranscriptElement | null {
    return this.querySelector('polyglav-transcript');
  }
}

customElements.define('polyglav-panel', PolyglavPanel);
