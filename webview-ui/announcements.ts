/** What a screen reader is told of a change: states and questions, never the text that streams. */
import type { PanelState } from '../src/protocol/messages.ts';
import type { Turn, TurnStatus } from '../src/session/schema.ts';
import { visibleLine } from '../src/session/visible.ts';
import { head } from './visible.ts';

/** What the announcements compare. */
export interface Heard {
  session: string | undefined;
  run: PanelState['run'];
  asks: readonly string[];
  queued: number;
  /** Index and status of the last turn. */
  turn: number;
  status: TurnStatus | undefined;
}

/** UTF-16 units of a title that are read out. */
const HEARD = 200;

const ENDED: Record<Exclude<TurnStatus, 'running'>, string> = {
  ok: 'Answer finished',
  error: 'The turn failed',
  truncated: 'The answer was cut off by the output limit',
  empty: 'The answer was empty',
  cancelled: 'Stopped',
};

export function heardOf(state: PanelState, turns: readonly Turn[]): Heard {
  const last = turns.at(-1);
  return {
    session: state.session?.name,
    run: state.run,
    asks: state.asks.map(({ id }) => id),
    queued: state.queue.length,
    turn: last?.index ?? 0,
    status: last?.status,
  };
}

/** In the order in which they are to be read; empty when nothing worth a word happened, or another session is shown. */
export function announcements(before: Heard, after: Heard, state: PanelState): string[] {
  if (before.session !== undefined && before.session !== after.session)
    return [`Session ${visibleLine(state.session?.title ?? 'new')}`];
  const words = state.asks
    .filter(({ id }) => !before.asks.includes(id))
    .map(({ title, session }) => {
      const where = session === undefined ? '' : `, in another session: ${visibleLine(session)}`;
      return `Waiting for your permission: ${visibleLine(head(title, HEARD))}${where}`;
    });
  const sameTurn = before.turn === after.turn && before.status === after.status;
  if (!sameTurn && after.status === 'running') words.unshift('Working');
  else if (!sameTurn && after.status !== undefined && after.status !== 'running') words.unshift(ENDED[after.status]);
  if (after.queued > before.queued) words.push('Your message waits until this turn has ended');
  return words;
}
