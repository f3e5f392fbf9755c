/** `/history [n|all] [--thoughts [all]] [--run <target>]`: a numbered index of the turns (E1). */
import { history as indexOf, type HistoryOptions } from '../transcript/history.ts';
import { CommandError, told, type Command } from './command.ts';
import { completeNames, readOrActive } from './sessionNames.ts';
import { completeWord, refuseOption, wordsOf } from './words.ts';

export const history: Command = {
  name: 'history',
  args: '[n|all] [--thoughts [all]] [--run <target>]',
  help: 'List the last turns of the active session, or of another one: `#<id>`, `#<run>`, a role, `session:<name>` or a name.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) =>
      previous === '--run' ? completeNames(context, word) : ['all', '--thoughts', '--run'],
    );
  },
  async run(context, args) {
    const { target, ...options } = historyArguments(wordsOf(args));
    return told(indexOf(await readOrActive(context, target), options));
  },
};

/** Throws CommandError for a word that means nothing here. */
export function historyArguments(words: readonly string[]): HistoryOptions & { target: string | undefined } {
  const options: HistoryOptions = {};
  let target: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--thoughts') {
      options.thoughts = words[at + 1] === 'all' ? 'all' : 'excerpt';
      if (options.thoughts === 'all') at++;
    } else if (word === '--run') {
      target = words[++at];
      if (target === undefined) throw new CommandError('--run needs a session: #<id>, #<run>, a role or a name.');
    } else {
      refuseOption(word, 'history', ['--thoughts [all]', '--run <target>']);
      if (options.count !== undefined)
        throw new CommandError(`/history takes one number of turns, not ${JSON.stringify(word)} too.`);
      options.count = turnCount(word);
    }
  }
  return { ...options, target };
}

/** Throws CommandError unless it is `all` or a whole number above 0. */
export function turnCount(word: string): number | 'all' {
  if (word === 'all') return word;
  if (/^\d{1,15}$/.test(word) && Number(word) > 0) return Number(word);
  throw new CommandError(`${JSON.stringify(word)} is no number of turns. Write a whole number above 0, or "all".`);
}
