/** The command line: flags in, exit code out. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { ForThePerson } from '../session/forThePerson.ts';
import { visible } from '../session/visible.ts';
import { didYouMean } from '../text/nearest.ts';
import { version } from './engine.ts';
import { continueSession, type ContinueFlags } from './continueSession.ts';
import { exportSession, type ExportFlags } from './exportSession.ts';
import { Interrupt } from './interrupt.ts';
import { Output } from './output.ts';
import { showPermissions } from './permissions.ts';
import { showHistory, showSession, showTurn } from './reading.ts';
import { run, type RunFlags } from './run.ts';
import { deleteSaved, listSessions, previewSession } from './sessions.ts';
import { EXIT, messageOf, UsageError } from './usage.ts';

const stdout = new Output(process.stdout);
const interrupt = new Interrupt();
// Whoever listened to the messages is gone; the work goes on.
process.stderr.on('error', () => undefined);

const SELECTOR = '#<id>, a role, session:<name> or a name';

const format = () =>
  new Option('--format <format>', 'what standard output gets').choices(['text', 'json']).default('text');

const program = new Command('polyglav')
  .description('A coding agent whose record nobody can lose. It works in the current directory.')
  .version(version)
  .configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void process.stderr.write(visible(text)),
  })
  .showHelpAfterError('(--help shows what is accepted)')
  .exitOverride();

program
  .command('run')
  .description('send one prompt, or run one slash command such as /help')
  .argument('<prompt>', 'the prompt or slash command; "-" reads it from standard input')
  .option('--session-id <name>', 'go on in this session, or begin it')
  .option('--model <model>', '<provider>/<model>')
  .option('--mode <mode>', 'build or plan')
  .option(
    '--yes',
    'answer permission questions with yes, but for what reaches outside the workspace or may be what a rule denies',
    false,
  )
  .option('--max-rounds <n>', 'most rounds of tool calls', positiveInteger)
  .addOption(format())
  .addHelpText(
    'after',
    `
Standard output has the answer alone; with --format json, one event per line: the session, then what is added to its log.

Exit code: 0 answered; 1 error, or an answer that was cut off or empty; 2 nothing was done; 130 cancelled.
Ctrl+C cancels; a second one quits at once.`,
  )
  .action(async (prompt: string, flags: RunFlags) => {
    process.exitCode = await run(prompt, flags, stdout, interrupt);
  });

program
  .command('continue')
  .description('go on in the newest session, or in the one that is named')
  .argument('[session]', SELECTOR)
  .option(
    '--yes',
    'answer permission questions with yes, but for what reaches outside the workspace or may be what a rule denies',
    false,
  )
  .addHelpText(
    'after',
    `
An interrupted turn is closed. At a terminal the next prompt is asked for and run; without one the name of the session and the
interrupted prompt are printed.`,
  )
  .action(async (session: string | undefined, flags: ContinueFlags) => {
    process.exitCode = await continueSession(session, flags, stdout, interrupt);
  });

// A session has to be named; where one is left out, the error names the newest.
// The words of `history` and `print` are those of the slash commands, and are read by them.
program
  .command('history')
  .usage('<session> [n|all] [--thoughts [all]]')
  .description('list the turns of a session, the last 10 unless told otherwise')
  .argument('[words...]', `the session (${SELECTOR}; also behind --run), and how many of the last turns, or "all"`)
  .allowUnknownOption()
  .addHelpText('after', '\n--thoughts adds the first line of the thinking, --thoughts all the whole of it.')
  .action((words: string[]) => showHistory(words, stdout));

program
  .command('print')
  .usage('<session> <n>[.<m>] [--full]')
  .description('show a turn in full, or one part of it')
  .argument('[words...]', `the session (${SELECTOR}; also behind --run), and the turn: 3, or 3.2 for its second part`)
  .allowUnknownOption()
  .addHelpText('after', '\n--full lifts the limit on the length of a part.')
  .action((words: string[]) => showTurn(words, stdout));

program
  .command('session')
  .usage('<session>')
  .description('show where a session is and how large it is')
  .argument('[session]', SELECTOR)
  .action((session: string | undefined) => showSession(session, stdout));

program
  .command('permissions')
  .usage('[options] <session>')
  .description('list every decision on a call of a session, and who or which rule made it')
  .argument('[session]', SELECTOR)
  .addOption(format())
  .action((session: string | undefined, flags: { format: 'text' | 'json' }) =>
    showPermissions(session, flags.format, stdout),
  );

const sessions = program
  .command('sessions')
  .description('list the saved sessions of the current directory, preview, delete or export one');
sessions
  .command('list', { isDefault: true })
  .description('list them, newest first')
  .addOption(format())
  // What follows `sessions` and is none of its commands ends up here.
  .allowExcessArguments()
  .action(({ format }: { format: 'text' | 'json' }, { args: [word] }: Command) => {
    if (word === undefined) return listSessions(format, stdout);
    const names = sessions.commands.map((command) => command.name());
    throw new UsageError(
      `"polyglav sessions" has no command ${JSON.stringify(word)}. There are: ${names.join(', ')}.${didYouMean(word, names)}`,
    );
  });
sessions
  .command('preview')
  .usage('<session>')
  .description('show how a session is built, without its content')
  .argument('[session]', SELECTOR)
  .action((session: string | undefined) => previewSession(session, stdout));
sessions
  .command('delete')
  .description('delete a session, after a question')
  .argument('<session>', '#<id>, session:<name> or a name')
  .option('--yes', 'without the question', false)
  .action(async (session: string, { yes }: { yes: boolean }) => {
    process.exitCode = await deleteSaved(session, yes);
  });
exporting(sessions.command('export'));
exporting(program.command('export'));

function exporting(command: Command): void {
  command
    .usage('[options] <session>')
    .description('write a session as a file; by default as Markdown to .polyglav/exports/<name>.md')
    .argument('[session]', SELECTOR)
    .addOption(new Option('--format <format>', 'what kind of file').choices(['md', 'html']).default('md'))
    .option('--out <file>', 'another file; "-" is standard output')
    .addOption(new Option('--output-file <file>', 'the same as --out').conflicts('out'))
    .option('--sessions-dir <dir>', 'another folder of session files')
    .option('--force', 'replace an existing file', false)
    .action((name: string | undefined, flags: ExportFlags) => exportSession(name, flags, stdout));
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}

/** The process ends by itself when everything is written; leaving earlier would cut the output off. */
async function main(): Promise<void> {
  try {
    await program.parseAsync();
    await stdout.flush();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    // Commander has said what it had to say.
    if (!(error instanceof CommanderError)) process.stderr.write(`polyglav: ${visible(messageOf(error))}\n`);
  } finally {
    interrupt.dispose();
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof ForThePerson ? EXIT.usage : EXIT.failed;
}

void main();
