/**
 * A slash command declares its words, help, completion and effect once; the panel, the palette and the CLI all read the
 * table in `registry.ts`.
 */
import type { Engine } from '../agent/engine.ts';
import type { Run } from '../agent/run.ts';
import { ForThePerson } from '../session/forThePerson.ts';

/** What a command may do to the front end that it was typed in. */
export interface CommandContext {
  engine: Engine;
  /** The active session's run; undefined before the first prompt of a new session. */
  run: Run | undefined;
  /** The active run, made (with a generated name) when there is none yet. */
  ensureRun(): Promise<Run>;
  /** Makes `run` the active one. */
  activate(run: Run): Promise<void>;
}

export interface CommandOutcome {
  /** For the person, Markdown; the CLI prints it as it is. */
  text: string;
}

export interface Command {
  /** Without the slash, words separated by one space: `session new`. */
  readonly name: string;
  /** `<name>`, `[n|all]`; empty when it takes nothing. */
  readonly args: string;
  readonly help: string;
  /** Values for the argument that begin with `typed`. */
  complete?(context: CommandContext, typed: string): Promise<string[]>;
  /** Throws {@link CommandError} for bad input, having changed nothing. `args` is the trimmed rest of the line. */
  run(context: CommandContext, args: string): Promise<CommandOutcome>;
}

/** Wrong words for a command: the message names the thing and what would be accepted. */
export class CommandError extends ForThePerson {
  override readonly name = 'CommandError';
}
