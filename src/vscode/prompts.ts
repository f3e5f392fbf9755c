/**
 * Asks a person by native modals (P3), one at a time. VS Code cannot close a modal from code, so one whose ask was settled
 * otherwise (Stop) stays on screen until somebody closes it: its answer counts for nothing, and the next ask waits for that.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { AskAnswer, Asker, PermissionAsk, ProposedChange } from '../permissions/ask.ts';
import {
  ALLOW_FOR_SESSION,
  ALLOW_ONCE,
  ALWAYS_ALLOW,
  ANSWER_LATER,
  DENY,
  DENY_WITH_WORD,
  promptText,
  REVIEW,
  type PromptText,
} from './promptText.ts';

export interface PromptUi {
  /** One native modal; resolves to the label of the pressed button, which is `closing` for Escape; undefined when it never showed. */
  modal(text: PromptText): Promise<string | undefined>;
  /** Puts the diff of an ask's change on screen, or brings it to the front again. */
  showChange(id: string, change: ProposedChange, focus: boolean): Promise<void>;
  /** Puts a text on screen that is all of an ask which a modal cannot show. */
  showText(id: string, title: string, text: string): Promise<void>;
  /** Takes the diff or the text of an ask off the screen, also one that is still being opened; nothing happens when there is none. */
  closeShown(id: string): void;
  /** Asks for a word to the model; undefined when none is given, or when `signal` fires. */
  word(title: string, signal: AbortSignal): Promise<string | undefined>;
  /** What a person knows a session by. */
  sessionTitle(name: string): string;
  /** Where "always" writes its rule, for a person. */
  userFile: string;
}

interface Waiting {
  ask: PermissionAsk;
  /** The person wants to answer it later: it is not shown again by itself, and what came after it waits. */
  aside: boolean;
  /** It is denied already, and the person is writing a word to the model. */
  declining?: true;
  /** Fires when the ask is settled, however. */
  settled: AbortController;
  /** The first call counts; later ones (a modal that outlived its ask) do nothing. */
  settle(answer: AskAnswer): void;
}

const PAUSE_MS = 300;
/** A click that raises a question may be the second half of the one that raised it. */
const RAISED_MS = 1000;
const DISMISSED: AskAnswer = { answer: 'dismissed' };

export class Prompts implements Asker {
  readonly #ui: PromptUi;
  readonly #onFault: (error: unknown) => void;
  /** In the order they came, but for those that were raised; the first is the one on screen, or the next to be. */
  #waiting: Waiting[] = [];
  /** Stands for the modal on screen, also when its ask was settled meanwhile, and for the pause behind it. */
  #onScreen: symbol | undefined;
  /** Until it is answered or put aside; `at` in milliseconds. */
  #raised: { id: string; at: number } | undefined;

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
        aside: false,
        settled: new AbortController(),
        settle: (answer) => {
          if (!this.#waiting.includes(waiting)) return;
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          signal.removeEventListener('abort', withdraw);
          waiting.settled.abort();
          this.#ui.closeShown(ask.id);
          resolve(answer);
          // What was on screen for it, if anything, was no modal.
          if (this.#onScreen === undefined) void this.#goOn((this.#onScreen = Symbol()));
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
    const waiting = this.#find(id);
    if (waiting === undefined) return;
    const now = performance.now();
    if (this.#raised?.id === id && now - this.#raised.at < RAISED_MS) return;
    this.#raised = { id, at: now };
    this.#waiting = [waiting, ...this.#waiting.filter((other) => other !== waiting)];
    waiting.aside = false;
    this.#onScreen = undefined;
    void this.#showNext();
  }

  /** An answer from elsewhere, for this ask and no other; nothing happens when it is settled already. */
  answer(id: string, answer: AskAnswer): void {
    const waiting = this.#find(id);
    // Who is writing a word to the model has denied it already.
    if (waiting?.declining === true && answer.answer !== 'refused') return;
    waiting?.settle(answer);
  }

  /** Declines with a word to the model, which the person is asked for first. Never rejects. */
  async declineWithWord(id: string): Promise<void> {
    const waiting = this.#find(id);
    if (waiting !== undefined) waiting.settle(await this.#askForWord(waiting));
  }

  /** Brings the diff of a pending ask to the front; false when there is none. */
  async showChange(id: string): Promise<boolean> {
    const change = this.#find(id)?.ask.change;
    if (change === undefined) return false;
    await this.#ui.showChange(id, change, true);
    return true;
  }

  /** The ask that {@link raise} would be called for: the one that is, or should be, on screen. */
  get current(): PermissionAsk | undefined {
    return this.#waiting[0]?.ask;
  }

  #find(id: string): Waiting | undefined {
    return this.#waiting.find(({ ask }) => ask.id === id);
  }

  async #showNext(): Promise<void> {
    const waiting = this.#waiting[0];
    if (this.#onScreen !== undefined || waiting === undefined || waiting.aside) return;
    const shown = (this.#onScreen = Symbol());
    const answer = await this.#show(waiting, shown);
    if (answer !== undefined) waiting.settle(answer);
    else if (this.#onScreen === shown) waiting.aside = true;
    await this.#goOn(shown);
  }

  /** The second half of a double click on what was just answered must not land on what comes next. */
  async #goOn(shown: symbol): Promise<void> {
    if (this.#onScreen !== shown) return;
    this.#raised = undefined;
    await sleep(PAUSE_MS);
    if (this.#onScreen !== shown) return;
    this.#onScreen = undefined;
    void this.#showNext();
  }

  /**
   * Undefined when the person wants to answer later, and when something was raised before the modal was there. Never rejects: what
   * cannot be shown cannot be allowed.
   */
  async #show(waiting: Waiting, shown: symbol): Promise<AskAnswer | undefined> {
    const { ask } = waiting;
    const { change } = ask;
    try {
      if (change !== undefined) await this.#ui.showChange(ask.id, change, false);
      if (!this.#waiting.includes(waiting)) return DISMISSED;
      if (this.#onScreen !== shown) return undefined;
      const text = promptText(ask, this.#ui.sessionTitle(ask.session), this.#ui.userFile);
      const button = await this.#ui.modal(text);
      if (!this.#waiting.includes(waiting)) return DISMISSED;
      if (button === REVIEW) await this.#review(ask, text);
      if (button === REVIEW || button === ANSWER_LATER) return undefined;
      return button === DENY_WITH_WORD ? await this.#askForWord(waiting) : answerOf(button);
    } catch (error) {
      this.#onFault(error);
      return DISMISSED;
    }
  }

  async #review({ id, change }: PermissionAsk, { title, whole }: PromptText): Promise<void> {
    if (change !== undefined) await this.#ui.showChange(id, change, true);
    else if (whole !== undefined) await this.#ui.showText(id, title, whole);
  }

  async #askForWord(waiting: Waiting): Promise<AskAnswer> {
    const { ask, settled } = waiting;
    waiting.declining = true;
    try {
      const note = (await this.#ui.word(ask.title, settled.signal))?.trim();
      return note === undefined || note === '' ? { answer: 'refused' } : { answer: 'refused', note };
    } catch (error) {
      this.#onFault(error);
      return { answer: 'refused' };
    }
  }
}

function answerOf(button: string | undefined): AskAnswer {
  switch (button) {
    case ALLOW_ONCE:
      return { answer: 'once' };
    case ALLOW_FOR_SESSION:
      return { answer: 'session' };
    case ALWAYS_ALLOW:
      return { answer: 'always' };
    case DENY:
      return { answer: 'refused' };
    default:
      return DISMISSED;
  }
}
