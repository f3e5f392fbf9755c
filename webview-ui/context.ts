/** What the parts of the panel share: the fold they draw, and what a person does in them. */
import type { WebviewMessage } from '../src/protocol/messages.ts';
import type { Folds } from './folds.ts';
import type { PanelStore } from './store.ts';

export interface PanelContext {
  readonly store: PanelStore;
  readonly folds: Folds;
  send(message: WebviewMessage): void;
  /** Copies, and lets the button that was pressed say so. */
  copy(text: string, button: EventTarget | null): void;
  /** Tells a screen reader. */
  announce(text: string): void;
}
