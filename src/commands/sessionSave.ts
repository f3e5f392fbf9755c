/** `/session save`: write what is pending, and say where the file is (E1). The session saves itself; this is for the careful. */
import { code } from '../transcript/blocks.ts';
import { CommandError, type Command } from './command.ts';

export const sessionSave: Command = {
  name: 'session save',
  args: '',
  help: 'Write what is pending, and show where the file is. A session saves itself with every entry.',
  async run({ run, read_along }) {
    if (read_along !== undefined) throw new CommandError('Another program writes this session, and saves it.');
    if (run === undefined) throw new CommandError('There is nothing to save yet: the first message begins a session.');
    return { text: `Saved in ${code(await run.save())}.` };
  },
};
