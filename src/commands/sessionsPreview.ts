/** `/sessions preview <name>`: how a session is built, without going to it (E1). */
import { targetOf, type Sessions } from '../agent/target.ts';
import type { Piece } from '../transcript/pieces.ts';
import { preview } from '../transcript/preview.ts';
import { told, type Command } from './command.ts';
import { completeNames } from './sessionNames.ts';
import { oneName } from './words.ts';

export const sessionsPreview: Command = {
  name: 'sessions preview',
  args: '<name>',
  help: 'Show how a session is built: turns, parts, tools, its parent and its sub-agents.',
  async complete(context, typed) {
    return completeNames(context, typed);
  },
  async run({ engine }, args) {
    return told(await previewOf(engine, oneName(args)));
  },
};

/** Throws SessionError when there is no such session, or it does not load. */
export async function previewOf(sessions: Sessions, selector: string): Promise<Piece[]> {
  const { store } = sessions;
  const name = await targetOf(sessions, selector);
  const saved = await store.names();
  return store.stream(name, async (stream) => preview(stream, saved));
}
