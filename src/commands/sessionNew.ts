/** `/session new [name]`: make a session and go on in it. */
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';
import { oneName } from './words.ts';

export const sessionNew: Command = {
  name: 'session new',
  args: '[name]',
  help: 'Begin a new session and switch to it.',
  async run(context, args) {
    const run = await context.engine.create(args === '' ? undefined : oneName(args));
    await context.activate(run);
    return { text: `New session ${code(run.name)}.` };
  },
};
