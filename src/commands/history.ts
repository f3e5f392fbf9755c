/** `/history [n|all] [--thoughts [all]] [--run <target>]`: a numbered index of the turns (E1). */
import { history as indexOf, type HistoryOptions } from '../transcript/history.ts';
import { CommandError, told, type Command } from './command.ts';
import { completeNames, readTargetOrActive } from './sessionNames.ts';
import { completeWord, parseWords, quotesHint, wordsOf } from './words.ts';

export const history: Command = {
  name: 'history',
  args: '[n|all] [--thoughts [all]] [--run <target>]',
  help: 'List the last turns of the active session, or of another one: #<id>, #<run>, a role, session:<name> or a name.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) =>
      previous === '--run' ? completeNames(context, word) : ['all', '--thoughts', '--run'],
    );
  },
  async run(context, args) {
    const { target, ...options } = historyArguments('/history', wordsOf(args));
    return readTargetOrActive(context, target, (stream) => told(indexOf(stream, options)));
  },
};

/**
 * The words behind `command`; `sessionFirst`: the first one is the session, where `--run` does not name it. Throws CommandError for a
 * word that means nothing here.
 */
export function historyArguments(
  command: string,
  words: readonly string[],
  sessionFirst = false,
): HistoryOptions & { target: string | undefined } {
  const { plain, given } = parseWords(command, words, { '--thoughts': '[all]', '--run': '<target>' });
  const target = given.get('--run') ?? (sessionFirst ? plain.shift() : undefined);
  const [count, more] = plain;
  const hint = quotesHint(
    target,
    plain.filter((word) => !isTurnCount(word)),
  );
  if (more !== undefined)
    throw new CommandError(`${command} takes one number of turns, not ${JSON.stringify(more)} too.${hint}`);
  if (count !== undefined && !isTurnCount(count))
    throw new CommandError(
      `${JSON.stringify(count)} is no number of turns. Write a whole number above 0, or "all".${hint}`,
    );
  const thoughts = given.get('--thoughts');
  return {
    target,
    ...(count === undefined ? {} : { count: count === 'all' ? count : Number(count) }),
    thoughts: thoughts === undefined ? false : thoughts === 'all' ? 'all' : 'excerpt',
  };
}

/** `all`, or a whole number above 0. */
function isTurnCount(word: string): boolean {
  return word === 'all' || (/^\d{1,15}$/.test(word) && Number(word) > 0);
}
