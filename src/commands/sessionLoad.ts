/** `/session load <name>`: go on in a saved session. */
import { targetOf } from '../agent/target.ts';
import { titleOf } from '../session/state.ts';
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';
import { completeNames } from './sessionNames.ts';
import { oneName } from './words.ts';

export const sessionLoad: Command = {
  name: 'session load',
  args: '<name>',
  help: 'Switch to a saved session, by its name, `#<id>`, or its role.',
  async complete(context, typed) {
    return completeNames(context, typed);
  },
  async run(context, args) {
    const run = await context.engine.open(await targetOf(context.engine, oneName(args)));
    await context.activate(run);
    const title = titleOf(run.session);
    return { text: `Session ${code(run.name)}${title === '' ? '' : `: ${code(title)}`}.` };
  },
};
