/** `/session`: the active session. */
import { estimatedTokens } from '../context/budget.ts';
import { messagesOf } from '../context/messages.ts';
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';

export const session: Command = {
  name: 'session',
  args: '',
  help: 'Show the active session: its name, its messages and how large its context is.',
  async run({ run }) {
    if (run === undefined)
      return {
        text: 'No session is active yet. The first message begins one; `/session load <name>` takes up another.',
      };
    const messages = messagesOf(run.session, {
      system_prompt: '',
      provider: '',
      modeInstruction: () => undefined,
    }).slice(1);
    const size = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    const turns = run.session.turns.length;
    return {
      text:
        `Session ${code(run.name)}: ${counted(turns, 'turn')}, ${counted(messages.length, 'message')} in the context, ` +
        `about ${estimatedTokens(size)} tokens.`,
    };
  },
};

function counted(count: number, of: string): string {
  return `${count} ${of}${count === 1 ? '' : 's'}`;
}
