/** The prompts of a run that wait for their turn. */
import type { TurnStatus } from '../session/schema.ts';
import type { QueuedPrompt } from './events.ts';

export interface Waiting extends QueuedPrompt {
  settle(status: TurnStatus): void;
  /** How its turn ended; `cancelled` for a prompt that was taken back. Never rejects. */
  done: Promise<TurnStatus>;
}

export function newWaiting(id: string, text: string): Waiting {
  let settle: Waiting['settle'] = () => undefined;
  const done = new Promise<TurnStatus>((resolve) => {
    settle = resolve;
  });
  return { id, text, done, settle };
}

export class PromptQueue {
  #waiting: Waiting[] = [];

  get prompts(): readonly QueuedPrompt[] {
    return this.#waiting.map(({ id, text }) => ({ id, text }));
  }

  add(prompt: Waiting): void {
    this.#waiting.push(prompt);
  }

  /** Its sending failed: it waits again, before all others. */
  putBack(prompt: Waiting): void {
    this.#waiting.unshift(prompt);
  }

  next(): Waiting | undefined {
    return this.#waiting.shift();
  }

  /** The text of a prompt that waits no more now; undefined when it does not wait. */
  remove(id: string): string | undefined {
    const found = this.#waiting.find((waiting) => waiting.id === id);
    if (found === undefined) return undefined;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== found);
    found.settle('cancelled');
    return found.text;
  }

  /** The texts of all that wait, none of which do any more; undefined when there are none. */
  removeAll(): string | undefined {
    if (this.#waiting.length === 0) return undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const prompt of waiting) prompt.settle('cancelled');
    return waiting.map(({ text }) => text).join('\n\n');
  }
}
