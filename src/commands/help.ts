/** `/help`: the commands, each with what it does. */
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';

export function helpCommand(others: readonly Command[]): Command {
  const help: Command = {
    name: 'help',
    args: '',
    help: 'Show the commands.',
    async run() {
      const lines = [help, ...others].map(
        ({ name, args, help: text }) => `- ${code(`/${name} ${args}`.trimEnd())} ${text}`,
      );
      return { text: `${lines.join('\n')}\n\nA message that begins with two slashes is sent with one.` };
    },
  };
  return help;
}
