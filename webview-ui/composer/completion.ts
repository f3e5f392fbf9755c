/** Slash completion: which commands begin with what was typed, and what choosing one makes of the text. */
import type { CommandInfo } from '../../src/protocol/messages.ts';

/** The commands to offer for a text with the caret at `caret`; none when it is no beginning of a command. */
export function completions(text: string, caret: number, commands: readonly CommandInfo[]): CommandInfo[] {
  const typed = text.slice(0, caret).toLowerCase();
  if (!typed.startsWith('/') || typed.startsWith('//') || text.slice(caret).trim() !== '') return [];
  return commands.filter(({ name }) => `/${name}`.startsWith(typed));
}

/** The text after choosing a command: with room for its argument when it takes one. */
export function completed({ name, args }: CommandInfo): string {
  return args === '' ? `/${name}` : `/${name} `;
}
