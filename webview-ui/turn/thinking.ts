/** What the model thought: folded, with the time it took. */
import { html, type TemplateResult } from 'lit';

import type { ThinkingPart } from '../../src/session/schema.ts';
import '../answer/answer.ts';
import '../elapsed.ts';
import { between, duration } from '../words.ts';
import { fold } from './fold.ts';

interface Thinking {
  part: ThinkingPart;
  /** It is still being written. */
  growing: boolean;
  /** When what came after it began. */
  until: string | undefined;
  open: boolean;
  toggle(): void;
}

/** Less is not worth a word. */
const SECOND_MS = 1000;

export function thinkingCard({ part, growing, until, open, toggle }: Thinking): TemplateResult {
  const took = between(part.timestamp, until);
  return fold({
    open,
    toggle,
    class: 'thinking',
    icon: growing ? 'loading' : 'thinking',
    spins: growing,
    heading: growing
      ? html`Thinking… <polyglav-elapsed class="dim" .since=${Date.parse(part.timestamp)}></polyglav-elapsed>`
      : took === undefined || took < SECOND_MS
        ? 'Thought'
        : `Thought for ${duration(took)}`,
    body: () => html`<polyglav-answer .text=${part.text} .growing=${growing}></polyglav-answer>`,
  });
}
