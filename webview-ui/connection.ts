/**
 * The page's end of the talk with the host: folds what arrives, asks again when something is missing, and sends what a reload
 * left unanswered.
 */
import { nanoid } from 'nanoid';

import type { Completions, HostMessage, PanelState, WebviewMessage } from '../src/protocol/messages.ts';
import { Drafts, isCommand } from './composer/drafts.ts';
import { Folds } from './folds.ts';
import type { Host } from './host.ts';
import type { KeptState } from './kept.ts';
import { isFaulty } from './header/problems.ts';
import type { Note } from './notes/notes.ts';
import { PanelStore, type StoreMessage } from './store.ts';

/** When no snapshot has come for so long, it is asked for again. */
const PATIENCE_MS = 3000;
const NOTES = 20;

export class Connection {
  readonly store = new PanelStore();
  readonly drafts: Drafts;
  readonly folds: Folds;
  notes: readonly Note[] = [];
  /** The last that was asked for. */
  completions: Completions | undefined;
  /** Something that is shown has changed. */
  onChange: () => void = () => undefined;
  /** The host wants the cursor in the composer. */
  onFocus: () => void = () => undefined;
  readonly #host: Host;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #first = true;

  constructor(host: Host, kept: KeptState) {
    this.#host = host;
    this.drafts = new Drafts(kept, nanoid);
    this.folds = new Folds(kept);
  }

  start(): void {
    this.#host.onMessage((message) => this.#receive(message));
    this.#ask();
  }

  send(message: WebviewMessage): void {
    // What commands said has been read when the conversation goes on.
    const goesOn = message.type === 'send' ? !isCommand(message.text) : message.type === 'new_session';
    if (goesOn) this.closeNotes(this.notes);
    this.#host.send(message);
  }

  closeNotes(notes: readonly Note[]): void {
    this.notes = this.notes.filter((note) => !notes.includes(note));
    this.onChange();
  }

  #receive(message: HostMessage): void {
    switch (message.type) {
      case 'accepted':
        this.drafts.accepted(message.id);
        break;
      case 'refused':
        this.drafts.refused(message.id, message);
        break;
      case 'configured':
        if (isUsable(this.store.state)) this.drafts.passed('configuration');
        break;
      case 'prefill':
        this.drafts.prefill(message.id, message.text);
        this.#host.send({ type: 'prefilled', id: message.id });
        break;
      case 'completions':
        this.completions = message;
        break;
      case 'unsent':
        this.drafts.restore(message.sessions);
        break;
      case 'note':
        this.notes = [...this.notes, message].slice(-NOTES);
        break;
      case 'focus':
        this.onFocus();
        return;
      default:
        this.#fold(message);
        return;
    }
    this.onChange();
  }

  #fold(message: StoreMessage): void {
    const before = this.store.state;
    const applied = this.store.apply(message);
    if (applied === 'resync') this.#ask();
    if (applied !== 'view') return;
    const session = this.store.state?.session?.name ?? '';
    if (session !== this.folds.session) this.closeNotes(this.notes);
    this.folds.session = session;
    this.drafts.show(session);
    this.#reconsider(before);
    if (message.type === 'snapshot') this.#synced();
    this.onChange();
  }

  /** What was refused because of what has passed can be sent now. */
  #reconsider(before: PanelState | undefined): void {
    const { state } = this.store;
    if (before?.session?.held_by !== undefined && state?.session?.held_by === undefined) this.drafts.passed('holder');
    if (state?.run === 'idle') this.drafts.passed('turn');
    const changed = state?.model !== before?.model || state?.model_fault !== before?.model_fault;
    if (changed && !isFaulty(state)) this.drafts.passed('configuration');
  }

  #synced(): void {
    clearTimeout(this.#asking);
    this.#asking = undefined;
    if (!this.#first) return;
    this.#first = false;
    for (const send of this.drafts.unanswered()) this.#host.send({ type: 'send', ...send });
  }

  /** Once, however many messages say that one is missing; again when nothing comes of it. */
  #ask(): void {
    if (this.#asking !== undefined) return;
    this.#host.send({ type: 'ready' });
    this.#asking = setTimeout(() => {
      this.#asking = undefined;
      this.#ask();
    }, PATIENCE_MS);
  }
}

/** Whether all of the configuration counts: what is told of it late, a refusal may have come of. */
function isUsable(state: PanelState | undefined): boolean {
  return !isFaulty(state) && state?.withheld !== 'unconfirmed' && state?.model_fault === undefined;
}
