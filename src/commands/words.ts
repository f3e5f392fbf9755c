/** The words behind a slash command. */
import { CommandError } from './command.ts';

/** Split at white space; a name with spaces stands in double quotes. Throws CommandError for a quote without its end. */
export function wordsOf(args: string): string[] {
  const words = [...args.matchAll(/"([^"]*)"(?=\s|$)|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (words.some((word) => word.startsWith('"')))
    throw new CommandError('A double quote has no end. A name with spaces stands between two of them: "my notes".');
  return words;
}

/** Throws CommandError for a word that stands where an option can, and is none that the command has. */
export function refuseOption(word: string, command: string, options: readonly string[]): void {
  if (word.startsWith('--'))
    throw new CommandError(`/${command} has no option ${JSON.stringify(word)}; it has ${options.join(' and ')}.`);
}

/** All of it as one name, with or without quotes. */
export function oneName(args: string): string {
  return /^"([^"]*)"$/.exec(args)?.[1] ?? args;
}

/** The word that is being typed, what stands before it, and the word before it; quotes are taken off the words. */
function lastWord(typed: string): { before: string; previous: string | undefined; word: string } {
  const words = [...typed.matchAll(/"[^"]*(?:"|$)|\S+/g)];
  const last = words.at(-1);
  const begun = last !== undefined && last.index + last[0].length === typed.length;
  const start = begun ? last.index : typed.length;
  const bare = (word: string) => word.replaceAll('"', '');
  const previous = words.at(begun ? -2 : -1)?.[0];
  return {
    before: typed.slice(0, start),
    previous: previous === undefined ? undefined : bare(previous),
    word: bare(typed.slice(start)),
  };
}

/** As it is written where something else may follow it. */
function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}

/** The completion of a line of words: `choices` gives what the last one, behind `previous`, can be. */
export async function completeWord(
  typed: string,
  choices: (word: string, previous: string | undefined) => Promise<string[]> | string[],
): Promise<string[]> {
  const { before, previous, word } = lastWord(typed);
  const found = await choices(word, previous);
  return found.filter((choice) => choice.startsWith(word)).map((choice) => before + quoted(choice));
}
