/** What an owner that lost its session could not save any more, in words for the person (R8). */
import type { SessionEvent } from './events.ts';

const WORDS: Record<SessionEvent['type'], string> = {
  turn_started: 'the beginning of a turn',
  part_added: 'a part of the turn',
  part_extended: 'more of a text',
  part_filled: 'the result of a call',
  turn_ended: 'the end of a turn',
  error: 'an error',
  permission: 'a permission decision',
  sub_session: 'the link to a sub-agent',
};
const PARTS: Record<string, string> = {
  user: 'a prompt',
  text: 'text of the answer',
  thinking: 'thinking',
  tool: 'a tool call',
  command: 'a command',
};

/** `a tool call, a permission decision`, each once; `events` as JSON texts. */
export function unsavedWords(events: readonly string[]): string {
  return [...new Set(events.map((text) => words(JSON.parse(text) as SessionEvent)))].join(', ');
}

function words(event: SessionEvent): string {
  return (event.type === 'part_added' ? PARTS[event.part.type] : undefined) ?? WORDS[event.type];
}
