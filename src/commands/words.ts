/** The words behind a slash command. */
import { parseName } from '../session/names.ts';
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

/**
 * For the error about `rest`, words behind the name of a session that mean nothing there: they may belong to the name. Empty where
 * that cannot be.
 */
export function quotesHint(name: string | undefined, rest: readonly string[]): string {
  // An id and a generated name are whole, and what has a space stood in quotes.
  if (name === undefined || rest.length === 0 || /^#|^$|\s/.test(name) || parseName(name) !== undefined) return '';
  return ` A name with spaces stands in double quotes: "${[name, ...rest].join(' ')}".`;
}

/** Words of one name that are looked at without its quotes. */
const MOST_JOINED = 5;

/**
 * The word that is being typed, what stands before it, and the word before it; then the same with more and more of the words before
 * it, because a name with spaces may be typed without its quotes. Quotes are taken off the words.
 */
function* lastWords(typed: string): Iterable<{ before: string; previous: string | undefined; word: string }> {
  const words = [...typed.matchAll(/"[^"]*(?:"|$)|\S+/g)].map(({ 0: text, index }) => ({ text, index }));
  const begun = words.at(-1);
  if (begun === undefined || begun.index + begun.text.length < typed.length)
    words.push({ text: '', index: typed.length });
  const bare = (text: string) => text.replaceAll('"', '');
  for (const [at, { text, index }] of [...words.entries()].slice(-MOST_JOINED).reverse()) {
    const whole = /^(?:"|--)/.test(text);
    if (whole && at < words.length - 1) return;
    const previous = words[at - 1]?.text;
    yield {
      before: typed.slice(0, index),
      previous: previous === undefined ? undefined : bare(previous),
      word: bare(typed.slice(index)),
    };
    if (whole) return;
  }
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
  const lines: string[] = [];
  for (const { before, previous, word } of lastWords(typed)) {
    const found = await choices(word, previous);
    lines.push(...found.filter((choice) => choice.startsWith(word)).map((choice) => before + quoted(choice)));
  }
  return lines;
}
