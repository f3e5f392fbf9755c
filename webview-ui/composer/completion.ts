/** Slash completion: the commands that begin with what was typed, and the values that the host knows for their arguments. */
import type { CommandInfo, Completions } from '../../src/protocol/messages.ts';

/** A longer line is no command that somebody types. */
const LONGEST = 1000;

export interface Offer {
  /** What the box holds when it is chosen. */
  text: string;
  name: string;
  args: string;
  help: string;
}

/** What to offer for a text with the caret at `caret`; nothing when it is no beginning of a command or of its argument. */
export function offers(
  text: string,
  caret: number,
  commands: readonly CommandInfo[],
  known: Completions | undefined,
): Offer[] {
  const typed = commandLine(text, caret);
  if (typed === undefined) return [];
  const names = commands.filter(({ name }) => `/${name}`.startsWith(typed.toLowerCase()));
  if (names.length > 0)
    return names.map((command) => ({ ...command, text: completed(command), name: `/${command.name}` }));
  const before = askedFor(text, caret, commands);
  if (before === undefined || before !== known?.text) return [];
  const word = typed.slice(before.length).replace(/^"/, '');
  return known.values
    .filter((value) => value.startsWith(word) && value !== word)
    .map((value) => ({ text: before + quoted(value), name: value, args: '', help: '' }));
}

/** The text up to the word at the caret, where that word is an argument whose values the host may know. */
export function askedFor(text: string, caret: number, commands: readonly CommandInfo[]): string | undefined {
  const typed = commandLine(text, caret);
  if (typed === undefined) return undefined;
  const takes = commands.some(({ name, args }) => args !== '' && typed.startsWith(`/${name} `));
  return takes ? typed.slice(0, lastWord(typed)) : undefined;
}

/** Where the last word begins; one in double quotes may hold spaces. */
function lastWord(text: string): number {
  let begin = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') quoted = !quoted;
    else if (!quoted && text[at] === ' ') begin = at + 1;
  }
  return begin;
}

function commandLine(text: string, caret: number): string | undefined {
  const typed = text.slice(0, caret);
  const isCommand = typed.length <= LONGEST && /^\/(?!\/)[^\n]*$/.test(typed);
  return isCommand && text.slice(caret).trim() === '' ? typed : undefined;
}

/** The text after choosing a command: with room for its argument when it takes one. */
function completed({ name, args }: CommandInfo): string {
  return args === '' ? `/${name}` : `/${name} `;
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
