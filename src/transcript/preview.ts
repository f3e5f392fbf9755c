/** `/sessions preview`: how a session is built, without its content and at any size (E1). */
import type { SessionStream } from '../session/stream.ts';
import { excerpt, type Piece } from './pieces.ts';

/** `exists` says whether a session is on disk: a sub-session without a file was never started (R14). */
export function preview({ session, counts }: SessionStream, exists: (name: string) => boolean): Piece[] {
  const { parent_id: parent, sub_sessions } = session;
  const links = sub_sessions.map((name) => (exists(name) ? name : `${excerpt(name)} (never started)`));
  const lines = {
    Title: counts.title,
    Turns: String(counts.turns),
    Parts: countWords(counts.parts),
    Tools: countWords(counts.tools),
    Parent: parent === '' || exists(parent) ? parent : `${excerpt(parent)} (not in this folder)`,
    'Sub-sessions': links.join(', '),
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

/** `text 12, tool 30`, the most frequent first. */
function countWords(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${excerpt(name)} ${count}`)
    .join(', ');
}
