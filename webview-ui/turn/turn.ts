/** One turn: its parts in their order, then how it ended. Drawn again only when something of it changed. */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';

import type { RunState } from '../../src/protocol/messages.ts';
import type { Part, ToolPart, Turn } from '../../src/session/schema.ts';
import '../answer/answer.ts';
import type { PanelContext } from '../context.ts';
import { PanelElement } from '../element.ts';
import { isKind } from '../../src/session/kind.ts';
import { toolCard } from '../tool/card.ts';
import { callState } from '../tool/call.ts';
import { endedLine, errorCard, runningLine } from './ending.ts';
import { commandLine, systemLine, unknownLine } from './line.ts';
import { promptCard } from './prompt.ts';
import { thinkingCard } from './thinking.ts';

export class TurnElement extends PanelElement {
  static override properties: PropertyDeclarations = {
    context: { attribute: false },
    turn: { attribute: false },
    revision: { attribute: false },
    run: { attribute: false },
  };
  declare context: PanelContext;
  declare turn: Turn;
  /** Grows when the turn, which stays the same object, has changed. */
  declare revision: number;
  /** Of the run, when this turn is the running one. */
  declare run: RunState;

  protected override render(): TemplateResult {
    const { turn, context } = this;
    const errors = context.store.errorsOf(turn);
    return html`<article class="turn" aria-label=${`Turn ${turn.index}`}>
      ${turn.parts.map((part, position) => this.#part(part, position))}
      ${errors.map((error) => errorCard(error, turn.status))} ${this.#ending()}
    </article>`;
  }

  #part(part: Part, position: number): TemplateResult {
    const { turn } = this;
    const growing = turn.status === 'running' && position === turn.parts.length - 1;
    if (isKind(part, 'user')) return promptCard(part, this.#isOpen(position), () => this.#toggle(position));
    if (isKind(part, 'text')) return html`<polyglav-answer .text=${part.text} .growing=${growing}></polyglav-answer>`;
    if (isKind(part, 'tool')) return this.#tool(part, position);
    const foldable = { open: this.#isOpen(position), toggle: () => this.#toggle(position) };
    if (isKind(part, 'thinking')) {
      const next = turn.parts[position + 1]?.['timestamp'];
      return thinkingCard({ part, growing, until: typeof next === 'string' ? next : turn.ended_at, ...foldable });
    }
    if (isKind(part, 'command')) return commandLine(part, foldable);
    if (isKind(part, 'system')) return systemLine(part, foldable);
    return unknownLine(part, foldable);
  }

  #tool(part: ToolPart, position: number): TemplateResult {
    const { turn, context, run } = this;
    const permission = context.store.permissionOf(turn, position);
    const byDefault = part.name === 'todo_write' && position === this.#lastTodos();
    const open = this.#isOpen(position, byDefault);
    return toolCard({
      part,
      turn: turn.index,
      position,
      state: callState(part, turn, permission, run),
      permission,
      live: turn.status === 'running' ? context.store.output(position) : '',
      open,
      toggle: () => this.#toggle(position, byDefault),
      context,
    });
  }

  #lastTodos(): number {
    return this.turn.parts.findLastIndex((part) => isKind(part, 'tool') && part.name === 'todo_write');
  }

  #ending(): TemplateResult | typeof nothing {
    const { turn, run } = this;
    if (turn.status === 'running') return runningLine(run, Date.parse(turn.started_at ?? ''));
    // A command that ran well is told by its own line.
    if (turn.status === 'ok' && turn.parts.every(({ type }) => type === 'command')) return nothing;
    const texts = turn.parts.flatMap((part) => (isKind(part, 'text') ? [part.text] : []));
    const copy = ({ target }: Event): void => this.context.copy(texts.join('\n\n'), target);
    return endedLine(turn, texts.length === 0 ? undefined : copy);
  }

  #isOpen(position: number, byDefault = false): boolean {
    return this.context.folds.isOpen(`${this.turn.index}.${position}`, byDefault);
  }

  #toggle(position: number, byDefault = false): void {
    // Whoever folds is reading here: the transcript stays where it is.
    this.dispatchEvent(new CustomEvent('fold-toggled', { bubbles: true }));
    this.context.folds.set(`${this.turn.index}.${position}`, !this.#isOpen(position, byDefault));
    this.requestUpdate();
  }
}

customElements.define('polyglav-turn', TurnElement);
