/** Slash completion: the commands that begin with what was typed, and what the host knows of their arguments. */
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
  const sought = typed.toLowerCase();
  const found = commands.filter(({ name }) => `/${name}`.startsWith(sought));
  // A name that is typed out is meant, however many others begin with it.
  const named = [...found].sort(
    (one, other) => Number(`/${other.name}` === sought) - Number(`/${one.name}` === sought),
  );
  if (named.length > 0)
    return named.map(({ name, args, help }) => ({ text: completed(name, args), name: `/${name}`, args, help }));
  const command = takingArgument(typed, commands);
  // What was known of a shorter text does, until the host has answered.
  if (command === undefined || known === undefined || !typed.startsWith(known.text)) return [];
  return (
    known.lines
      // The answer to just this text may put quotes around what was typed.
      .filter((line) => line !== typed && (known.text === typed || line.startsWith(typed)))
      .map((line) => ({ text: line, name: line.slice(command.name.length + 2), args: '', help: '' }))
  );
}

/** The line that the host may know how to go on with: a command's, as far as its argument. */
export function askedFor(text: string, caret: number, commands: readonly CommandInfo[]): string | undefined {
  const typed = commandLine(text, caret);
  return typed !== undefined && takingArgument(typed, commands) !== undefined ? typed : undefined;
}

function takingArgument(line: string, commands: readonly CommandInfo[]): CommandInfo | undefined {
  return commands
    .filter(({ name, args }) => args !== '' && line.startsWith(`/${name} `))
    .sort((one, other) => other.name.length - one.name.length)[0];
}

function commandLine(text: string, caret: number): string | undefined {
  const typed = text.slice(0, caret);
  const isCommand = typed.length <= LONGEST && /^\/(?!\/)[^\n]*$/.test(typed);
  return isCommand && text.slice(caret).trim() === '' ? typed : undefined;
}

/** The text after choosing a command: with room for its argument when it takes one. */
function completed(name: string, args: string): string {
  return args === '' ? `/${name}` : `/${name} `;
}
