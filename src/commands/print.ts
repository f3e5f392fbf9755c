/** `/print <n>[.<m>] [--full] [--run <target>]`: a turn again, or one part of it (E1). */
import type { Config } from '../config/schema.ts';
import { printTurn } from '../transcript/print.ts';
import { CommandError, told, type Command } from './command.ts';
import { completeNames, readOrActive } from './sessionNames.ts';
import { completeWord, refuseOption, wordsOf } from './words.ts';

const PRINT_MAX_CHARS = 4000;

export const print: Command = {
  name: 'print',
  args: '<n>[.<m>] [--full] [--run <target>]',
  help: 'Show turn n again, or its m-th part alone; `--full` shows long parts whole.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) =>
      previous === '--run' ? completeNames(context, word) : ['--full', '--run'],
    );
  },
  async run(context, args) {
    let place: string | undefined;
    let full = false;
    let target: string | undefined;
    const words = wordsOf(args);
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string;
      if (word === '--full') full = true;
      else if (word === '--run') {
        target = words[++at];
        if (target === undefined) throw new CommandError('--run needs a session: #<id>, #<run>, a role or a name.');
      } else if (place === undefined) {
        refuseOption(word, 'print', ['--full', '--run <target>']);
        place = word;
      } else throw new CommandError(`/print shows one turn or part at a time, not ${JSON.stringify(word)} too.`);
    }
    if (place === undefined) throw new CommandError('/print needs the number of a turn, as /history shows it.');
    const { turn, part } = turnAndPart(place);
    const session = await readOrActive(context, target);
    const { config } = await context.engine.config();
    return told(printTurn(session, turn, { part, max_chars: full ? 0 : printLimit(config) }));
  },
};

/** Most characters of each part; 0 = no limit. */
export function printLimit({ print_max_chars }: Config): number {
  return print_max_chars ?? PRINT_MAX_CHARS;
}

/** `3` or `3.2`, both from 1. Throws CommandError for anything else. */
export function turnAndPart(word: string): { turn: number; part: number | undefined } {
  const match = /^#?(\d{1,15})(?:\.(\d{1,15}))?$/.exec(word);
  if (match === null)
    throw new CommandError(
      `${JSON.stringify(word)} names no turn. Write its number as /history shows it, such as 3, or 3.2 for its second part.`,
    );
  return { turn: Number(match[1]), part: match[2] === undefined ? undefined : Number(match[2]) };
}
