/** `/sessions preview`: how a session is built, without its content and at any size (E1). */
import type { SessionStream } from '../session/stream.ts';
import { parentOf, subSessionsOf, type Link } from './links.ts';
import { excerpt, type Piece } from './pieces.ts';

/** `saved`: the names of all sessions in the folder. */
export function preview({ session, counts }: SessionStream, saved: ReadonlySet<string>): Piece[] {
  const parent = parentOf(session, saved);
  const lines = {
    Title: counts.title,
    Turns: String(counts.turns),
    Parts: countWords(counts.parts),
    Tools: countWords(counts.tools),
    Parent: parent === undefined ? '' : linkWords(parent),
    'Sub-sessions': subSessionsOf(session, saved).map(linkWords).join(', '),
  };
  return [
    { text: excerpt(session.session_name), style: 'heading' },
    {
      text: Object.entries(lines)
        .map(([name, value]) => `${name}: ${value === '' ? '-' : value}`)
        .join('\n'),
    },
  ];
}

function linkWords({ name, note }: Link): string {
  return `${excerpt(name, 120)}${note}`;
}

/** `text 12, tool 30`, the most frequent first. */
function countWords(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${excerpt(name)} ${count}`)
    .join(', ');
}
