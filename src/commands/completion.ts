/** How the line of a command can go on. */
import type { CommandContext } from './command.ts';
import { commands } from './registry.ts';

/** More is no help to anybody. */
const MOST = 200;

/** The whole lines that begin with `line`, as far as its command knows any; the first 200. */
export async function completionsOf(context: CommandContext, line: string): Promise<string[]> {
  const command = commands
    .filter(({ name }) => line.startsWith(`/${name} `))
    .sort((one, other) => other.name.length - one.name.length)[0];
  if (command?.complete === undefined) return [];
  const begin = `/${command.name} `;
  const found = await command.complete(context, line.slice(begin.length));
  return found.slice(0, MOST).map((args) => begin + args);
}
