/** `/history`: a numbered index of a session's turns (E1). */
import { isKind, type Session, type Turn } from '../session/schema.ts';
import { durationOf, promptOf, toolWords } from './facts.ts';
import { toolsIn } from '../session/outline.ts';
import { excerpt, type Piece } from './pieces.ts';

export interface HistoryOptions {
  /** How many of the last turns; `/history` alone means 10. */
  count?: number | 'all';
  /** The first line of each turn's thinking, or the whole of it. */
  thoughts?: false | 'excerpt' | 'all';
}

/** One line per turn, `#<index> [<status>] <duration> <tool count> <prompt>`, each with its thinking when that is asked for. */
export function history(session: Session, { count = 10, thoughts = false }: HistoryOptions = {}): Piece[] {
  const { turns } = session;
  if (turns.length === 0) return [{ text: 'No turns yet.' }];
  const shown = count === 'all' ? turns : turns.slice(Math.max(0, turns.length - count));
  return shown.flatMap((turn) => [{ text: line(turn) }, ...thinkingOf(turn, thoughts)]);
}

function line(turn: Turn): string {
  const prompt = excerpt(promptOf(turn));
  return `#${turn.index} [${turn.status}] ${durationOf(turn) ?? '-'} ${toolWords(toolsIn(turn))} ${prompt === '' ? '-' : prompt}`;
}

function thinkingOf(turn: Turn, thoughts: HistoryOptions['thoughts']): Piece[] {
  if (thoughts === false) return [];
  const texts = turn.parts.flatMap((part) => (isKind(part, 'thinking') && part.text.trim() !== '' ? [part.text] : []));
  if (thoughts === 'all') return texts.map((text) => ({ text: indent(text), style: 'dim' }));
  const first = texts[0]?.trimStart().split(/[\r\n]/, 1)[0];
  return first === undefined ? [] : [{ text: indent(excerpt(first)), style: 'dim' }];
}

function indent(text: string): string {
  return `    ${text.replaceAll(/\r\n|\n|\r/g, '\n    ')}`;
}
