/** Folds over the log that need no bookkeeping of their own: title, mode and model. */
import { parseName } from './names.ts';
import { isKind, type Session, type Turn } from './schema.ts';

const TITLE_LENGTH = 60;

/** The first words of the first prompt, on one line; empty when there is none yet. */
export function titleOf(session: Pick<Session, 'turns'>): string {
  for (const turn of session.turns)
    for (const part of turn.parts) {
      if (!isKind(part, 'user')) continue;
      return titleFrom(part.text);
    }
  return '';
}

/** What a person knows a session by: the name that they gave it, else its title; a generated name only before the first prompt. */
export function labelOf(name: string, title: string): string {
  return title === '' || parseName(name) === undefined ? name : title;
}

export function titleFrom(prompt: string): string {
  // A prompt can be long: its beginning is enough, whatever stands at the cut.
  const points = [
    ...prompt
      .slice(0, 20 * TITLE_LENGTH)
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .trim(),
  ];
  return points.length <= TITLE_LENGTH ? points.join('') : `${points.slice(0, TITLE_LENGTH).join('').trimEnd()}…`;
}

/**
 * The hash of the content of a file that the model knows: that of its last read or change in this session. `path` is as it stands
 * in `files`; undefined for a file that it never saw.
 */
export function lastSeen(session: Session, path: string): string | null | undefined {
  for (const turn of session.turns.toReversed())
    for (const part of turn.parts.toReversed()) {
      const seen = isKind(part, 'tool') ? part.files?.findLast((file) => file.path === path) : undefined;
      if (seen !== undefined) return seen.after;
    }
  return undefined;
}

/** The selector (`<provider>/<model>`) in force: of the latest `/model` command or turn; undefined when there is none. */
export function modelOf(session: Session): string | undefined {
  for (const turn of session.turns.toReversed()) {
    const command = commandOf(turn, '/model');
    if (command !== undefined) return command;
    if (turn.provider !== undefined && turn.model !== undefined) return `${turn.provider}/${turn.model}`;
  }
  return undefined;
}

/** The mode in force: of the latest `/mode` command or turn. */
export function modeOf(session: Session): string | undefined {
  for (const turn of session.turns.toReversed()) {
    const command = commandOf(turn, '/mode');
    if (command !== undefined) return command;
    if (turn.mode !== undefined) return turn.mode;
  }
  return undefined;
}

/** The mode that the session began with. */
export function firstModeOf(session: Session): string | undefined {
  return session.turns.find((turn) => turn.mode !== undefined)?.mode;
}

/** The argument of the command that makes up a turn, when it succeeded. */
function commandOf(turn: Turn, name: string): string | undefined {
  if (turn.status !== 'ok') return undefined;
  const part = turn.parts[0];
  if (part === undefined || !isKind(part, 'command') || !part.text.startsWith(`${name} `)) return undefined;
  return part.text.slice(name.length + 1).trim();
}
