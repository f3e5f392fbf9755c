/** The part of a session that the panel is given at once: whole turns, few enough to be drawn and posted without a pause. */
import type { TurnPage } from '../protocol/messages.ts';
import type { ErrorEntry, PermissionEntry, Session } from '../session/schema.ts';

const MAX_TURNS = 30;
/** Characters of JSON. */
const MAX_SIZE = 1_500_000;

/**
 * The newest turns before position `end` (a count of turns, so that `end` = all gives the end of the log), always at least
 * one where there is any. The page is a copy: the session changes on while the page is on its way.
 */
export function turnPage(session: Session, end = session.turns.length): TurnPage {
  let begin = Math.min(Math.max(end, 0), session.turns.length);
  const last = begin;
  for (let size = 0; begin > 0 && last - begin < MAX_TURNS; begin -= 1) {
    size += JSON.stringify(session.turns[begin - 1]).length;
    if (size > MAX_SIZE && begin < last) break;
  }
  const turns = session.turns.slice(begin, last);
  const from = startOf(session, begin) ?? -Infinity;
  const to = startOf(session, last) ?? Infinity;
  const indexes = new Set(turns.map((turn) => turn.index));
  const endings = new Map(session.turns.map((turn) => [turn.ended_at, turn.index]));
  const belongs = (entry: ErrorEntry | PermissionEntry): boolean => {
    // A turn's error carries the turn's end as its time; when no turn ended then, it is found by when it happened.
    const turn = typeof entry['turn'] === 'number' ? entry['turn'] : endings.get(entry.timestamp);
    if (turn !== undefined) return indexes.has(turn);
    const at = Date.parse(entry.timestamp);
    return at >= from && at < to;
  };
  return structuredClone({
    turns,
    before: begin,
    errors: turns.length === 0 ? [] : session.errors.filter(belongs),
    permissions: turns.length === 0 ? [] : session.permissions.filter(belongs),
  });
}

/** Milliseconds at which the turn at `position` began; undefined at the ends of the log and where nothing was recorded. */
function startOf(session: Session, position: number): number | undefined {
  if (position === 0) return undefined;
  const at = Date.parse(session.turns[position]?.started_at ?? '');
  return Number.isNaN(at) ? undefined : at;
}
