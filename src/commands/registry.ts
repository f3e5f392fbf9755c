/** The table of slash commands, and how a line becomes one of them or a prompt. */
import { nearest, question } from '../text/nearest.ts';
import { CommandError, type Command } from './command.ts';
import { helpCommand } from './help.ts';
import { history } from './history.ts';
import { mode } from './mode.ts';
import { model } from './model.ts';
import { permissions } from './permissions.ts';
import { print } from './print.ts';
import { resetShell } from './resetShell.ts';
import { session } from './session.ts';
import { sessionLoad } from './sessionLoad.ts';
import { sessionNew } from './sessionNew.ts';
import { sessionSave } from './sessionSave.ts';
import { sessions } from './sessions.ts';
import { sessionsDelete } from './sessionsDelete.ts';
import { sessionsExport } from './sessionsExport.ts';
import { sessionsPreview } from './sessionsPreview.ts';

const others: readonly Command[] = [
  history,
  print,
  permissions,
  session,
  sessionNew,
  sessionLoad,
  sessionSave,
  sessions,
  sessionsPreview,
  sessionsDelete,
  sessionsExport,
  model,
  mode,
  resetShell,
];

/** In the order of the help. */
export const commands: readonly Command[] = [helpCommand(others), ...others];

export type Line = { kind: 'prompt'; text: string } | { kind: 'command'; command: Command; args: string };

/**
 * A line that begins with `/` is a command; the longest name that its words begin with counts (`session new` before
 * `session`). Two things that begin so are prompts: `//…`, which stands for `/…`, and a path (`/home/me is full`), known by a
 * second slash in its first word. Throws {@link CommandError} for a word that is no command, or words that do not fit it.
 */
export function parseCommand(line: string): Line {
  const trimmed = line.trimStart();
  const words = trimmed.split(/\s+/).filter((word) => word !== '');
  const first = words[0] ?? '';
  if (!first.startsWith('/')) return { kind: 'prompt', text: line };
  if (first.startsWith('//')) return { kind: 'prompt', text: trimmed.slice(1) };
  if (first.indexOf('/', 1) > 0) return { kind: 'prompt', text: line };
  const command = commands
    .filter((candidate) =>
      candidate.name.split(' ').every((word, index) => words[index] === (index === 0 ? `/${word}` : word)),
    )
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (command === undefined) throw unknownCommand(first);
  const args = restAfter(trimmed, command.name.split(' ').length);
  if (args === '' && command.args.startsWith('<'))
    throw new CommandError(`/${command.name} needs ${command.args}. ${command.help}`);
  if (args !== '' && command.args === '') throw noArguments(command, args);
  return { kind: 'command', command, args };
}

/** `/session new [name]` */
export function usageOf({ name, args }: Command): string {
  return args === '' ? `/${name}` : `/${name} ${args}`;
}

function restAfter(line: string, words: number): string {
  return line.replace(new RegExp(`^(?:\\S+\\s*){${words}}`), '').trim();
}

function unknownCommand(word: string): CommandError {
  // Also by the last word alone: who writes /export means /sessions export.
  const names = new Map(
    commands.flatMap(({ name }) => [name, name.split(' ').at(-1) as string].map((key) => [`/${key}`, `/${name}`])),
  );
  const key = nearest(word, names.keys());
  const meant = question(key === undefined ? undefined : names.get(key));
  return new CommandError(
    `There is no command ${JSON.stringify(word)}.${meant} /help lists the commands. ` +
      'To send a message that begins with "/", begin it with "//".',
  );
}

function noArguments(command: Command, args: string): CommandError {
  const longer = commands.filter(({ name }) => name.startsWith(`${command.name} `));
  const also =
    longer.length === 0 ? '' : ` There ${longer.length === 1 ? 'is' : 'are'} also ${longer.map(usageOf).join(', ')}.`;
  // By the word alone: what both have in common is no reason to guess.
  const second = nearest(
    args.split(/\s/, 1)[0] ?? '',
    longer.map(({ name }) => name.slice(command.name.length + 1)),
  );
  const meant = question(second === undefined ? undefined : `/${command.name} ${second}`);
  return new CommandError(`/${command.name} takes nothing after it, not ${JSON.stringify(args)}.${also}${meant}`);
}
