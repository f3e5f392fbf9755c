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
