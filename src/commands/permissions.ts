/** `/permissions [--run <target>]`: every decision on a call, and who or which rule made it (P6). */
import { audit } from '../transcript/audit.ts';
import { CommandError, told, type Command } from './command.ts';
import { completeNames, readTargetOrActive } from './sessionNames.ts';
import { completeWord, parseWords, quotesHint, wordsOf } from './words.ts';

export const permissions: Command = {
  name: 'permissions',
  args: '[--run <target>]',
  help: 'List what was allowed and what was not in the active session, or in another one, and by whom or which rule.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) => (previous === '--run' ? completeNames(context, word) : ['--run']));
  },
  async run(context, args) {
    const { plain, given } = parseWords('/permissions', wordsOf(args), { '--run': '<target>' });
    const target = given.get('--run');
    const [more] = plain;
    if (more !== undefined)
      throw new CommandError(
        `/permissions takes a session behind --run, not ${JSON.stringify(more)}.${quotesHint(target, plain)}`,
      );
    return readTargetOrActive(context, target, (stream) => told(audit(stream)));
  },
};
