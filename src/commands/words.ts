/** The words behind a slash command. */
import { CommandError } from './command.ts';

/** Split at white space; a name with spaces stands in double quotes. Throws CommandError for a quote without its end. */
export function wordsOf(args: string): string[] {
  const words = [...args.matchAll(/"([^"]*)"(?=\s|$)|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  if (words.some((word) => word.startsWith('"')))
    throw new CommandError('A double quote has no end. A name with spaces stands between two of them: "my notes".');
  return words;
}

/** What follows an option, as the help has it: nothing, that word or nothing, or a session. */
type Follows = '' | '[all]' | '<target>';

export interface ParsedWords {
  /** The words that are no option and follow none. */
  plain: string[];
  /** The options that were given, each with the word that followed it; empty where there was none. */
  given: ReadonlyMap<string, string>;
}

/**
 * The words behind `command` (`/history`), which has these options. Throws CommandError for an option that it does not have, that is
 * given twice, or that lacks its word.
 */
export function parseWords(
  command: string,
  words: readonly string[],
  options: Readonly<Record<string, Follows>>,
): ParsedWords {
  const plain: string[] = [];
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const follows = Object.hasOwn(options, word) ? options[word] : undefined;
    if (follows === undefined) {
      if (word.startsWith('--')) throw unknownOption(command, word, options);
      plain.push(word);
      continue;
    }
    if (given.has(word)) throw new CommandError(`${command} takes ${word} once, not twice.`);
    const next = words[at + 1];
    if (follows === '<target>' && next === undefined)
      throw new CommandError(`${word} needs a session: #<id>, #<run>, a role or a name.`);
    const taken = follows === '<target>' || (follows === '[all]' && next === 'all');
    if (taken) at++;
    given.set(word, taken ? (next ?? '') : '');
  }
  return { plain, given };
}

function unknownOption(command: string, word: string, options: Readonly<Record<string, Follows>>): CommandError {
  const known = Object.entries(options).map(([name, follows]) => `${name} ${follows}`.trimEnd());
  return new CommandError(`${command} has no option ${JSON.stringify(word)}; it has ${known.join(' and ')}.`);
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
