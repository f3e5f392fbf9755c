/** `/session`: the active session. */
import { estimatedTokens } from '../context/budget.ts';
import { messagesOf } from '../context/messages.ts';
import type { Session } from '../session/schema.ts';
import { code } from '../transcript/blocks.ts';
import { plural } from '../transcript/facts.ts';
import type { Command } from './command.ts';

export const session: Command = {
  name: 'session',
  args: '',
  help: 'Show the active session: its name, its messages and how large its context is.',
  async run({ engine, run, read_along }) {
    const active = run?.session ?? read_along;
    if (active === undefined)
      return {
        text: 'No session is active yet. The first message begins one; `/session load <name>` takes up another.',
      };
    const { turns, messages, tokens } = sizeOf(active);
    return {
      text:
        `Session ${code(active.session_name)} (${run === undefined ? 'read along' : `#${engine.numberOf(run)}`}): ${plural(turns, 'turn')}, ` +
        `${plural(messages, 'message')} in the context, ~${tokens} tokens.`,
    };
  },
};

/** Turns in the log, and of what the model works from: messages, and tokens by estimate. */
export function sizeOf(session: Session): { turns: number; messages: number; tokens: number } {
  const messages = messagesOf(session, { system_prompt: '', provider: '', modeInstruction: () => undefined }).slice(1);
  const characters = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  return { turns: session.turns.length, messages: messages.length, tokens: estimatedTokens(characters) };
}
