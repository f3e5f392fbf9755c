/** What may stand for the next word of a command's line. */
import type { CommandContext } from './command.ts';
import { commands } from './registry.ts';
import { wordsOf } from './words.ts';

const MOST = 5000;

/**
 * The values for the word that is to follow `line`, which begins with a slash and ends with a space; the first 5,000. Empty
 * where the command knows none, or there is no such command.
 */
export async function completionsOf(context: CommandContext, line: string): Promise<string[]> {
  const command = commands
    .filter(({ name }) => line.startsWith(`/${name} `))
    .sort((one, other) => other.name.length - one.name.length)[0];
  if (command?.complete === undefined) return [];
  const values = await command.complete(context, wordsOf(line.slice(command.name.length + 1)));
  return values.slice(0, MOST);
}
