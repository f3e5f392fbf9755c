/** `polyglav run`: one prompt or slash command. */
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import type { Engine } from '../agent/engine.ts';
import { checkMode } from '../agent/plan.ts';
import { interruptedPrompt } from '../agent/resume.ts';
import type { Run } from '../agent/run.ts';
import type { Command, CommandContext } from '../commands/command.ts';
import { checkedSelector } from '../commands/model.ts';
import { parseCommand, type Line } from '../commands/registry.ts';
import { describeProblem, polyglavHome, userConfigFile, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { checkName } from '../session/names.ts';
import type { TurnStatus } from '../session/schema.ts';
import { SessionError } from '../session/store.ts';
import { visible } from '../session/visible.ts';
import { tools } from '../tools/registry.ts';
import { confirmed } from './confirm.ts';
import { confirmedConfiguration } from './consent.ts';
import { loadConfiguration, withEngine, workspaceFolder } from './engine.ts';
import type { Interrupt } from './interrupt.ts';
import type { Output } from './output.ts';
import { piecesText } from './piecesText.ts';
import { JsonProgress, TextProgress } from './progress.ts';
import { TerminalAsker } from './terminalAsker.ts';
import { EXIT, messageOf, UsageError } from './usage.ts';
import { outletOf, plainJson, plainLine } from './visible.ts';

export interface RunFlags {
  sessionId?: string;
  model?: string;
  mode?: string;
  yes: boolean;
  maxRounds?: number;
  format: 'text' | 'json';
}

const EXIT_CODES: Record<TurnStatus, number> = {
  ok: EXIT.ok,
  error: EXIT.failed,
  truncated: EXIT.failed,
  empty: EXIT.failed,
  cancelled: EXIT.cancelled,
  running: EXIT.failed,
};

/** Returns the exit code. Throws, with nothing changed, for wrong use or configuration. */
export async function run(prompt: string, flags: RunFlags, stdout: Output, interrupt: Interrupt): Promise<number> {
  const line = parseCommand(prompt === '-' ? await text(process.stdin) : prompt);
  if (line.kind === 'prompt' && line.text.trim() === '')
    throw new UsageError('The prompt is empty. Write what you want done.');

  const workspace = await workspaceFolder();
  const isPrompt = line.kind === 'prompt';
  const loaded = await (isPrompt ? confirmedConfiguration(workspace) : loadConfiguration(workspace));
  if (loaded === undefined) return EXIT.cancelled;
  if (isPrompt && loaded.problems.length > 0) throw new UsageError(loaded.problems.map(describeProblem).join('\n'));
  const overrides = checkedOverrides(flags, loaded);
  const asker = terminalAsker(flags.yes, workspace, interrupt);
  return withEngine({ workspace, asker, stdout, overrides, max_rounds: flags.maxRounds }, async (engine) => {
    // The events of a prompt name the session themselves.
    const announced = flags.format === 'json' && line.kind === 'prompt' ? undefined : process.stderr;
    const session = await sessionOf(engine, flags.sessionId, announced);
    if (session !== undefined) await switchTo(session, overrides);
    return take(line, { engine, session, announced, flags, stdout, interrupt });
  });
}

export function terminalAsker(yes: boolean, workspace: string, interrupt: Interrupt): TerminalAsker {
  return new TerminalAsker({
    yes,
    workspace,
    userFile: userConfigFile(polyglavHome(process.env)),
    input: process.stdin,
    output: process.stderr,
    onInterrupt: () => interrupt.fire(),
  });
}

export interface Front {
  engine: Engine;
  /** Undefined: one is made when it is needed. */
  session: Run | undefined;
  /** Where a session is named that is made; undefined where that is said otherwise. */
  announced: NodeJS.WritableStream | undefined;
  flags: Pick<RunFlags, 'yes' | 'format'>;
  stdout: Output;
  interrupt: Interrupt;
}

/** Runs one line to its end. Returns the exit code. */
export async function take(line: Line, front: Front): Promise<number> {
  const { engine, session, announced, flags, stdout, interrupt } = front;
  if (line.kind === 'prompt') {
    // Before a session is made for it: what is refused leaves nothing behind.
    await engine.assertReady(session?.session);
    return runPrompt(session ?? (await newSession(engine, announced)), line.text, flags.format, stdout, interrupt);
  }
  const context = contextOf(front);
  await runCommand(line.command, line.args, context, flags.format, stdout);
  return context.answeredNo ? EXIT.cancelled : EXIT.ok;
}

/** A session that the flag names: taken up, or made under that name. */
async function sessionOf(
  engine: Engine,
  name: string | undefined,
  announced: Front['announced'],
): Promise<Run | undefined> {
  if (name === undefined) return undefined;
  let session: Run;
  try {
    session = await engine.open(await engine.store.resolve(name));
  } catch (error) {
    const exists = (await engine.store.list()).some((summary) => summary.name === name);
    if (!(error instanceof SessionError) || exists || checkName(name) !== undefined) throw error;
    return newSession(engine, announced, name);
  }
  const interrupted = interruptedPrompt(session.session);
  announced?.write(`Session ${plainLine(session.name)}\n`);
  if (interrupted !== undefined)
    announced?.write(
      `The last turn of this session was interrupted, and is closed as cancelled: ${plainLine(interrupted)}\n`,
    );
  return session;
}

/** That it is new is said, because a mistyped name makes one too. */
async function newSession(engine: Engine, announced: Front['announced'], name?: string): Promise<Run> {
  const session = await engine.create(name);
  announced?.write(`New session ${plainLine(session.name)}\n`);
  return session;
}

function checkedOverrides({ model, mode }: RunFlags, loaded: LoadedConfig): Pick<Config, 'model' | 'mode'> {
  if (mode !== undefined) checkMode(mode);
  return {
    ...(model === undefined ? {} : { model: checkedSelector(model, loaded, loaded.config.model) }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** What a new session begins with needs no record of its own; one that began with something else gets a command turn. */
async function switchTo(session: Run, { model, mode }: Pick<Config, 'model' | 'mode'>): Promise<void> {
  if (model !== undefined && (await session.model()) !== model) await session.setModel(model);
  if (mode !== undefined && (await session.mode()) !== mode) await session.setMode(mode);
}

/** `answeredNo`: the person was asked, and did not want it. */
function contextOf({
  engine,
  session,
  announced,
  flags,
  stdout,
}: Front): CommandContext & { readonly answeredNo: boolean } {
  let active = session;
  let answeredNo = false;
  return {
    get answeredNo() {
      return answeredNo;
    },
    engine,
    run: session,
    read_along: undefined,
    load: async (name) => (active = await engine.open(name)).session,
    ensureRun: async () => (active ??= await newSession(engine, announced)),
    activate: async (other) => {
      active = other;
    },
    leave: async () => {
      active = undefined;
    },
    cwd: process.cwd(),
    confirm: async (question) => {
      const yes = await confirmed(question, flags.yes);
      answeredNo = !yes;
      return yes;
    },
    remove: (path) => rm(path),
    outlet: flags.format === 'json' ? undefined : outletOf(stdout),
  };
}

async function runCommand(
  command: Command,
  args: string,
  context: CommandContext,
  format: RunFlags['format'],
  stdout: Output,
): Promise<void> {
  const outcome = await command.run(context, args);
  const { text, pieces } = outcome;
  if (format === 'json') await stdout.write(`${plainJson({ type: 'command', command: command.name, text })}\n`);
  else if (pieces !== undefined) await stdout.write(piecesText(pieces, stdout.isTerminal));
  else if (text !== '') await stdout.write(`${visible(text)}\n`);
}

async function runPrompt(
  session: Run,
  prompt: string,
  format: RunFlags['format'],
  stdout: Output,
  interrupt: Interrupt,
): Promise<number> {
  for (const notice of session.notices) process.stderr.write(`${plainLine(notice, 4096)}\n`);
  if (format === 'json') await stdout.write(`${plainJson({ type: 'session', name: session.name })}\n`);
  const progress = format === 'json' ? new JsonProgress(stdout) : new TextProgress(stdout, process.stderr, tools);
  session.subscribe((event) => progress.onEvent(event));
  interrupt.onCancel(() => {
    if (format === 'text') process.stderr.write('\nStopping. Ctrl+C again quits at once.\n');
    session.stop().catch((error: unknown) => process.stderr.write(`${visible(messageOf(error))}\n`));
  });
  const sent = await session.submit(prompt).catch((error: unknown) => {
    // When the prompt could not be saved, that stands in the session's errors and was told with them.
    if (session.session.errors.at(-1)?.message !== messageOf(error)) throw error;
  });
  if (sent === undefined) return EXIT.failed;
  // Ctrl+C may have come while the prompt was being saved.
  if (interrupt.fired) await session.stop();
  const status = await sent.done;
  progress.end();
  return EXIT_CODES[status];
}
