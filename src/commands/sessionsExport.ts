/** `/sessions export <name> [out]`: a transcript in Markdown (E2). The session is only read. */
import { targetOf } from '../agent/target.ts';
import { SessionError } from '../session/store.ts';
import { exportFile, exportTo, type Outlet } from '../transcript/exportFile.ts';
import { markdown } from '../transcript/markdown.ts';
import { code } from '../transcript/blocks.ts';
import { CommandError, type Command } from './command.ts';
import { completeFiles } from './files.ts';
import { completeNames } from './sessionNames.ts';
import { completeWord, parseWords, quotesHint, wordsOf } from './words.ts';

/** What can be shown where there is no standard output. */
const MOST_SHOWN = 1_000_000;

export const sessionsExport: Command = {
  name: 'sessions export',
  args: '<name> [out] [--force]',
  help: 'Write a session as Markdown to .polyglav/exports/<name>.md, or to another file; - shows it.',
  async complete(context, typed) {
    return completeWord(typed, (word, previous) =>
      previous === undefined ? completeNames(context, word) : completeFiles(context.cwd, word),
    );
  },
  async run({ engine, cwd, outlet }, args) {
    const { plain, given } = parseWords('/sessions export', wordsOf(args), { '--force': '' });
    const [selector, out, more] = plain;
    if (selector === undefined) throw new CommandError('/sessions export needs the name of a session.');
    if (more !== undefined)
      throw new CommandError(
        `/sessions export takes a session and a file, not ${JSON.stringify(more)} too.${quotesHint(selector, plain.slice(1))}`,
      );
    const { store } = engine;
    const name = await targetOf(engine, selector).catch((error: unknown) => {
      // What was taken for the file may be the rest of the name.
      if (!(error instanceof SessionError) || out === undefined || out === '-') throw error;
      throw new SessionError(error.message + quotesHint(selector, [out]));
    });
    const saved = await store.names();
    return store.stream(name, async (stream) => {
      const pieces = markdown(stream, saved);
      if (out === '-') return { text: await shown(pieces, outlet) };
      const force = given.has('--force');
      const path = await exportFile(pieces, { sessions: store.dir, name, format: 'md', out, cwd, force });
      return { text: `Exported to ${code(path)}.` };
    });
  },
};

/** To the outlet, with nothing left to say; without one it is what the command says. */
async function shown(pieces: AsyncIterable<string>, outlet: Outlet | undefined): Promise<string> {
  if (outlet !== undefined) {
    await exportTo(pieces, outlet);
    return '';
  }
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MOST_SHOWN)
      throw new CommandError('The transcript is too long to be shown here. Leave "-" out to write it to a file.');
  }
  return text;
}
