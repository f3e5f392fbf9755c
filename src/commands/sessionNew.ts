/** `/session new [name]`: make a session and go on in it. */
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';
import { oneName } from './words.ts';

export const sessionNew: Command = {
  name: 'session new',
  args: '[name]',
  help: 'Begin a new session and switch to it.',
  async run(context, args) {
    const name = args === '' ? undefined : oneName(args);
    const run = await context.engine.create(name);
    await context.activate(run);
    return {
      text:
        name === undefined
          ? `A new session has begun. Its first message becomes its title; its name is ${code(run.name)}.`
          : `The new session ${code(run.name)} has begun.`,
    };
  },
};
