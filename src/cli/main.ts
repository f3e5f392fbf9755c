/** The command line: flags in, exit code out. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { ForThePerson } from '../session/forThePerson.ts';
import { version } from './engine.ts';
import { exportSession, type ExportFlags } from './exportSession.ts';
import { Interrupt } from './interrupt.ts';
import { Output } from './output.ts';
import { run, type RunFlags } from './run.ts';
import { sessions } from './sessions.ts';
import { EXIT } from './usage.ts';

const stdout = new Output(process.stdout);
const interrupt = new Interrupt();
// Whoever listened to the messages is gone; the work goes on.
process.stderr.on('error', () => undefined);

const format = () =>
  new Option('--format <format>', 'what standard output gets').choices(['text', 'json']).default('text');

const program = new Command('polyglav')
  .description('A coding agent whose record nobody can lose. It works in the current directory.')
  .version(version)
  .configureOutput({ writeOut: (text) => void stdout.write(text) })
  .showHelpAfterError('(--help shows what is accepted)')
  .exitOverride();

program
  .command('run')
  .description('send one prompt, or run one slash command such as /help')
  .argument('<prompt>', 'the prompt or slash command; "-" reads it from standard input')
  .option('--session-id <name>', 'go on in this session, or begin it')
  .option('--model <model>', '<provider>/<model>')
  .option('--mode <mode>', 'build or plan')
  .option('--yes', 'answer permission questions with yes, but for what reaches outside the workspace', false)
  .option('--max-rounds <n>', 'most rounds of tool calls', positiveInteger)
  .addOption(format())
  .addHelpText(
    'after',
    `
Standard output has the answer alone; with --format json, one event per line: the session, then what is added to its log.

Exit code: 0 answered; 1 error, or an answer that was cut off or empty; 2 wrong use or configuration; 130 cancelled.
Ctrl+C cancels; a second one quits at once.`,
  )
  .action(async (prompt: string, flags: RunFlags) => {
    process.exitCode = await run(prompt, flags, stdout, interrupt);
  });

program
  .command('sessions')
  .description('list the saved sessions of the current directory')
  .addOption(format())
  .action(({ format }: { format: 'text' | 'json' }) => sessions(format, stdout));

program
  .command('export')
  .description('write a session as Markdown; the default file is .polyglav/exports/<name>.md')
  .argument('<session>', 'its name, or #<id>')
  .option('--out <file>', 'another file; "-" is standard output')
  .option('--force', 'replace an existing file', false)
  .action((name: string, flags: ExportFlags) => exportSession(name, flags, stdout));

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
    if (!(error instanceof CommanderError)) process.stderr.write(`polyglav: ${messageOf(error)}\n`);
  } finally {
    interrupt.dispose();
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof ForThePerson ? EXIT.usage : EXIT.failed;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

void main();
