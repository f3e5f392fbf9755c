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
  help: 'Switch to a saved session, by its name, #<id>, or its role.',
  async complete(context, typed) {
    return completeNames(context, typed);
  },
  async run(context, args) {
    const session = await context.load(await targetOf(context.engine, oneName(args)));
    const title = titleOf(session);
    return { text: `Session ${code(session.session_name)}${title === '' ? '' : `: ${code(title)}`}.` };
  },
};
