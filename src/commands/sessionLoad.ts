/** `/session load <name>`: go on in a saved session. */
import { titleOf } from '../session/state.ts';
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';

export const sessionLoad: Command = {
  name: 'session load',
  args: '<name>',
  help: 'Switch to a saved session, by its name or `#<id>`.',
  async complete({ engine }, typed) {
    const saved = await engine.store.list();
    return saved.filter(({ name, problem }) => problem === undefined && name.startsWith(typed)).map(({ name }) => name);
  },
  async run(context, args) {
    const run = await context.engine.open(await context.engine.store.resolve(args));
    await context.activate(run);
    const title = titleOf(run.session);
    return { text: `Session ${code(run.name)}${title === '' ? '' : `: ${code(title)}`}.` };
  },
};
