/** `/print <n>[.<m>] [--full] [--run <target>]`: a turn again, or one part of it (E1). */
import type { Config } from '../config/schema.ts';
import { printTurn } from '../transcript/print.ts';
import { CommandError, told, type Command } from './command.ts';
import { completeNames, readTargetOrActive } from './sessionNames.ts';
import { completeWord, parseWords, quotesHint, wordsOf } from './words.ts';

const PRINT_MAX_CHARS = 4000;

export const print: Command = {
  name: 'print',
  args: '<n>[.<m>] [--full] [--run <target>]',
  help: 'Show turn n again, or its m-th part alone; --full shows long parts whole.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) =>
      previous === '--run' ? completeNames(context, word) : ['--full', '--run'],
    );
  },
  async run(context, args) {
    const { target, turn, part, full } = printArguments('/print', wordsOf(args));
    const { config } = await context.engine.config();
    const options = { part, max_chars: full ? 0 : printLimit(config) };
    return readTargetOrActive(context, target, (stream) => told(printTurn(stream, turn, options)));
  },
};

/**
 * The words behind `command`; `sessionFirst`: the first one is the session, where `--run` does not name it. Throws CommandError for a
 * word that means nothing here.
 */
export function printArguments(
  command: string,
  words: readonly string[],
  sessionFirst = false,
): { target: string | undefined; turn: number; part: number | undefined; full: boolean } {
  const { plain, given } = parseWords(command, words, { '--full': '', '--run': '<target>' });
  const target = given.get('--run') ?? (sessionFirst ? plain.shift() : undefined);
  const [place, more] = plain;
  if (place === undefined) {
    const first = sessionFirst ? ' behind the session' : '';
    throw new CommandError(`${command} needs the number of a turn${first}, as the history shows it.`);
  }
  const hint = quotesHint(
    target,
    plain.filter((word) => turnAndPart(word) === undefined),
  );
  if (more !== undefined)
    throw new CommandError(`${command} shows one turn or part at a time, not ${JSON.stringify(more)} too.${hint}`);
  const named = turnAndPart(place);
  if (named === undefined)
    throw new CommandError(
      `${JSON.stringify(place)} names no turn. Write its number as the history shows it, such as 3, or 3.2 for its second part.${hint}`,
    );
  return { target, ...named, full: given.has('--full') };
}

/** Most characters of each part; 0 = no limit. */
export function printLimit({ print_max_chars }: Config): number {
  return print_max_chars ?? PRINT_MAX_CHARS;
}

/** `3` or `3.2`, both from 1; undefined for anything else. */
function turnAndPart(word: string): { turn: number; part: number | undefined } | undefined {
  const match = /^#?(\d{1,15})(?:\.(\d{1,15}))?$/.exec(word);
  return match === null
    ? undefined
    : { turn: Number(match[1]), part: match[2] === undefined ? undefined : Number(match[2]) };
}
