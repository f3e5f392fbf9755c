/**
 * Asks a person by native modals (P3), one at a time. VS Code cannot close a modal from code, so one whose ask was settled
 * otherwise (Stop) stays on screen until somebody closes it: its answer counts for nothing, and the next ask waits for that.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { AskAnswer, Asker, PermissionAsk, ProposedChange } from '../permissions/ask.ts';
import { ALLOW_FOR_SESSION, ALLOW_ONCE, DENY, promptText } from './promptText.ts';

export interface PromptUi {
  /** One native modal; resolves to the label of the pressed button, or undefined when it was closed without one. */
  modal(title: string, detail: string, buttons: string[]): Promise<string | undefined>;
  /** Puts the diff of a change on screen; resolves to what takes it off again. */
  showChange(change: ProposedChange): Promise<() => void>;
  /** What a person knows a session by. */
  sessionTitle(name: string): string;
}

interface Waiting {
  ask: PermissionAsk;
  /** The first call counts; later ones (a modal that outlived its ask) do nothing. */
  settle(answer: AskAnswer): void;
}

const PAUSE_MS = 300;
const DISMISSED: AskAnswer = { answer: 'dismissed' };

export class Prompts implements Asker {
  readonly #ui: PromptUi;
  readonly #onFault: (error: unknown) => void;
  /** In the order they came; the first is the one on screen, or the next to be. */
  #waiting: Waiting[] = [];
  /** Stands for the modal on screen, also when its ask was settled meanwhile. */
  #onScreen: symbol | undefined;

  constructor(ui: PromptUi, onFault: (error: unknown) => void) {
    this.#ui = ui;
    this.#onFault = onFault;
  }

  ask(ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> {
    if (signal.aborted) return Promise.resolve(DISMISSED);
    return new Promise((resolve) => {
      const withdraw = () => waiting.settle(DISMISSED);
      const waiting: Waiting = {
        ask,
        settle: (answer) => {
          if (!this.#waiting.includes(waiting)) return;
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#waiting.push(waiting);
      void this.#showNext();
    });
  }

  /**
   * Shows the modal of a pending ask again. The request can only come from a person who sees no modal, because one blocks
   * everything else: so whatever was believed to be on screen is not.
   */
  raise(id: string): void {
    const waiting = this.#waiting.find(({ ask }) => ask.id === id);
    if (waiting === undefined) return;
    this.#waiting = [waiting, ...this.#waiting.filter((other) => other !== waiting)];
    this.#onScreen = undefined;
    void this.#showNext();
  }

  /** The ask that {@link raise} would be called for: the one that is, or should be, on screen. */
  get current(): PermissionAsk | undefined {
    return this.#waiting[0]?.ask;
  }

  async #showNext(): Promise<void> {
    const waiting = this.#waiting[0];
    if (this.#onScreen !== undefined || waiting === undefined) return;
    const shown = (this.#onScreen = Symbol());
    waiting.settle(await this.#show(waiting));
    if (this.#onScreen !== shown) return;
    // The second half of a double click on this modal must not land on the next one.
    await sleep(PAUSE_MS);
    if (this.#onScreen !== shown) return;
    this.#onScreen = undefined;
    void this.#showNext();
  }

  /** Never rejects: what cannot be shown cannot be allowed. */
  async #show(waiting: Waiting): Promise<AskAnswer> {
    const { ask } = waiting;
    let takeOff: (() => void) | undefined;
    try {
      if (ask.change !== undefined) takeOff = await this.#ui.showChange(ask.change);
      if (!this.#waiting.includes(waiting)) return DISMISSED;
      const { title, detail, buttons } = promptText(ask, this.#ui.sessionTitle(ask.session));
      return answerOf(await this.#ui.modal(title, detail, buttons));
    } catch (error) {
      this.#onFault(error);
      return DISMISSED;
    } finally {
      takeOff?.();
    }
  }
}

function answerOf(button: string | undefined): AskAnswer {
  switch (button) {
    case ALLOW_ONCE:
      return { answer: 'once' };
    case ALLOW_FOR_SESSION:
      return { answer: 'session' };
    case DENY:
      return { answer: 'refused' };
    default:
      return DISMISSED;
  }
}
