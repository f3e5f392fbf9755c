/** `/mode [name]`: show the modes, or switch. */
import { modeNames, modes } from '../agent/modes.ts';
import { checkMode } from '../agent/plan.ts';
import { code } from '../transcript/blocks.ts';
import type { Command } from './command.ts';

export const mode: Command = {
  name: 'mode',
  args: `[${modeNames().join('|')}]`,
  help: 'Show the modes, or switch to one.',
  async complete(_context, typed) {
    return modeNames().filter((name) => name.startsWith(typed));
  },
  async run(context, args) {
    if (args === '') {
      const current = await context.run?.mode();
      const lines = modes().map(
        ({ name, description }) => `- ${code(name)}${name === current ? ' (current)' : ''}: ${description}`,
      );
      return { text: lines.join('\n') };
    }
    // Checked before a session is made for it, so that a wrong word leaves nothing behind.
    checkMode(args);
    const run = await context.ensureRun();
    await run.setMode(args);
    return { text: `Mode: ${code(args)}.` };
  },
};
