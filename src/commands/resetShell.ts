/** `/reset-shell`: folder and environment of the session's commands as at the start. The conversation is left as it is. */
import { CommandError, type Command } from './command.ts';

export const resetShell: Command = {
  name: 'reset-shell',
  args: '',
  help: 'Take back what commands changed of the shell: its folder, and what they exported.',
  async run({ run, read_along }) {
    if (read_along !== undefined) throw new CommandError('Another program writes this session, and runs its commands.');
    if (run === undefined) return { text: 'No command has run here yet: the shell is as at the start.' };
    run.resetShell();
    return { text: 'The shell is as at the start: in the workspace folder, with nothing that commands exported.' };
  },
};
