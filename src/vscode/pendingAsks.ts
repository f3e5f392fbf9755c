/** What waits for the person's answer, in whatever session of the window: the one that is shown, or one that was left. */
import type { Engine } from '../agent/engine.ts';
import type { PendingAsk } from '../agent/events.ts';
import { labelOf, titleOf } from '../session/state.ts';
import { visibleLine } from '../session/visible.ts';
import { shorten } from '../text/codePoints.ts';

export interface AskOfSession {
  ask: PendingAsk;
  /** The session's name, and what a person knows it by. */
  name: string;
  label: string;
}

const MAX_TITLE = 80;
const MAX_LABEL = 60;

/** Oldest first. */
export function pendingAsks(engine: Engine): AskOfSession[] {
  return engine
    .runs()
    .flatMap((run) => run.asks.map((ask) => ({ ask, name: run.name, label: labelOf(run.name, titleOf(run.session)) })))
    .sort((one, other) => one.ask.since - other.ask.since);
}

/** `Run npm test (session fix the tests)`, for a tooltip. */
export function askLine({ ask, label }: AskOfSession): string {
  return `${askWords(ask)} (session ${visibleLine(shorten(label, MAX_LABEL))})`;
}

/** On one line, as long as there is room for in a list. */
export function askWords({ title }: { title: string }): string {
  return visibleLine(shorten(title, MAX_TITLE));
}
