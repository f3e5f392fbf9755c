/**
 * A slash command declares its words, help, completion and effect once; the panel, the palette and the CLI all read the
 * table in `registry.ts`.
 */
import type { Engine } from '../agent/engine.ts';
import type { Run } from '../agent/run.ts';
import type { Session } from '../session/schema.ts';
import { ForThePerson } from '../session/forThePerson.ts';
import type { Outlet } from '../transcript/exportFile.ts';
import { markdownOf, type Piece } from '../transcript/pieces.ts';

/** What a command may do to the front end that it was typed in. */
export interface CommandContext {
  engine: Engine;
  /** The active session's run; undefined before the first prompt of a new session. */
  run: Run | undefined;
  /** The session on screen that can only be read: another program writes to it. */
  read_along: Session | undefined;
  /** The active run, made (with a generated name) when there is none yet. */
  ensureRun(): Promise<Run>;
  /** Makes `run` the active one. */
  activate(run: Run): Promise<void>;
  /** Makes a saved session the active one; one that another program writes is read along where that can be. Throws SessionError. */
  load(name: string): Promise<Session>;
  /** The active session is gone: from here on a new one is. */
  leave(): Promise<void>;
  /** Where the relative path of a file starts. */
  cwd: string;
  /** Asks before something is destroyed. False when the person says no; throws where nobody can be asked. */
  confirm(question: Confirmation): Promise<boolean>;
  /** Takes a session's file away: to the trash where there is one. */
  remove(path: string): Promise<void>;
  /** Takes a long text as it is made; a front end without one gets it as the outcome. */
  outlet: Outlet | undefined;
}

export interface Confirmation {
  /** `Delete the session "notes"?` */
  question: string;
  detail: string;
  /** What happens on yes, in a word: `Delete`. */
  action: string;
}

export interface CommandOutcome {
  /** For the person, Markdown; the CLI prints it as it is, unless there are `pieces`. */
  text: string;
  /** The same for a terminal. */
  pieces?: readonly Piece[];
}

export async function told(given: Iterable<Piece> | AsyncIterable<Piece>): Promise<CommandOutcome> {
  const pieces: Piece[] = [];
  for await (const piece of given) pieces.push(piece);
  return { text: markdownOf(pieces), pieces };
}

export interface Command {
  /** Without the slash, words separated by one space: `session new`. */
  readonly name: string;
  /** `<name>`, `[n|all]`; empty when it takes nothing. */
  readonly args: string;
  /** One sentence or two of plain text, without Markdown. */
  readonly help: string;
  /** What `typed`, all that stands behind the command's name so far, can go on to: the whole of it each time. */
  complete?(context: CommandContext, typed: string): Promise<string[]>;
  /** Throws {@link CommandError} for bad input, having changed nothing. `args` is the trimmed rest of the line. */
  run(context: CommandContext, args: string): Promise<CommandOutcome>;
}

/** Wrong words for a command: the message names the thing and what would be accepted. */
export class CommandError extends ForThePerson {
  override readonly name = 'CommandError';
}
