/**
 * A tool is a name, a schema and an `execute` that reaches the outside world only through the {@link ToolContext} it is
 * given, so that each can be tested alone and moved between the editor and the command line.
 */
import type { z } from 'zod';

import type { ProposedChange } from '../permissions/ask.ts';
import type { ShellLanguage } from '../permissions/shell/findings.ts';
import type { Action, FileChange } from '../session/schema.ts';
import type { SessionShell } from './sessionShell.ts';
import type { Watchdog } from './watchdog.ts';

export interface ToolResult {
  /** What the model sees; bounded by the tool itself, and says what was left out and how to get it (P1). */
  output: string;
  is_error?: boolean;
  /** What was changed; also what was read, with the same hash before and after. */
  files?: FileChange[];
}

/**
 * How files are read and written: the disk in the CLI; in the editor an open document's unsaved text comes first. Paths are
 * absolute real ones. One that leads elsewhere by now, because a link was put in its place, is refused (PathError).
 */
export interface FileAccess {
  /** The bytes that an edit must be based on (unsaved editor text encoded as the file is, else the disk). Rejects with ENOENT etc. */
  read(path: string): Promise<Uint8Array>;
  /** The files of which `read` gives what an editor holds and the disk does not. */
  unsaved(): Promise<readonly string[]>;
  /**
   * Replaces a file atomically (temp in the same folder, sync, rename; mode kept), makes missing parent
   * folders. `expected` is what `read` returned, or null for "does not exist": when it differs by now, rejects with
   * {@link FileChangedError} and changes nothing. Resolves with what the file holds then: `content`, or what an editor made of
   * that on saving.
   */
  write(path: string, content: Uint8Array, expected: Uint8Array | null): Promise<Uint8Array>;
}

export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

export interface TodoItem {
  text: string;
  status: 'pending' | 'in_progress' | 'done';
}

export interface ToolContext {
  /** Absolute real path of the session's workspace folder. */
  workspace: string;
  files: FileAccess;
  /**
   * The absolute real path that a path argument leads to, at this moment (P4). A tool opens nothing but what this returns. The
   * engine makes it per call (`resolveAsDecided`): it rejects, with a message for the model, when the path leads elsewhere
   * than where it led when the policy decided, so that a link which is swapped meanwhile opens no door.
   */
  resolve(path: string): Promise<string>;
  /**
   * What the rules say of reading a file that the tool comes upon and the call did not name, by its absolute real path: nothing of
   * it may be shown unless they allow that.
   */
  reading(real: string): Action;
  /**
   * The hash of what the model last saw of a file, by reading or changing it; undefined when it never did. `shown` is the file's
   * path as a result's `files` has it.
   */
  seen(shown: string): string | null | undefined;
  /** The session's one shell: where a command starts, and with what. */
  shell: SessionShell;
  /** Ends commands that this program leaves behind when it dies; without one nobody does. */
  watchdog: Watchdog | undefined;
  /** Path of a ripgrep binary; searching says clearly when there is none. */
  ripgrep: string | undefined;
  /** Most characters (code points) that an output may have. */
  max_output_chars: number;
  /** Names of environment variables that hold provider keys: removed from every child process (R15). */
  secret_env: readonly string[];
  /** Whether a provider key that Polyglav knows stands in `text` (R15). */
  holdsKey(text: string): boolean;
  /** Seconds that a command may run when the call names no timeout (`limits.command_secs`). */
  command_secs: number;
  /** Fires on Stop: everything that the tool started must end, its child processes included, before `execute` settles. */
  signal: AbortSignal;
  /**
   * Output so far of a long call, for the front end only; the whole text each time is not needed, just the new piece. Settles when
   * the next one may come, so that a slow reader slows the call down.
   */
  onOutput(piece: string): Promise<void> | undefined;
}

/** What the person sees of a call before and while it runs. One line each, plain text. */
export interface ToolWords {
  /** `Edit src/a.ts`, `Run npm test`: also the title of the card and of the permission prompt. */
  title: string;
  /** More for the prompt: the whole command, the working directory. */
  detail?: string;
}

export interface Tool<Schema extends z.ZodType<Record<string, unknown>> = z.ZodType<Record<string, unknown>>> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** Reading tools of one round may run at the same time; plan mode has these only. */
  readonly reads_only: boolean;
  /**
   * Paths that the call touches, as given (not resolved): what the policy looks at. First = the one recorded as `path`.
   * `run_command` gives `cwd`, where the session's shell stands; empty for a tool with neither (R13).
   */
  paths(input: z.infer<Schema>, cwd: string): string[];
  /** The shell line that the call runs, for the policy to read; of a tool that runs one. */
  commandLine?(input: z.infer<Schema>): string;
  /** As what that line is read; bash when it is left out. */
  language?(): Promise<ShellLanguage>;
  /** The URL that the call asks for, for the policy to judge; of a tool that goes to the network. */
  address?(input: z.infer<Schema>): string;
  words(input: z.infer<Schema>): ToolWords;
  /** Throws the same clear errors as `execute`, without touching anything; undefined when the tool changes no file. */
  preview?(input: z.infer<Schema>, context: ToolContext): Promise<ProposedChange | undefined>;
  /** A failure that the model should see is a result with `is_error`; it throws only the abort reason, or on a fault of ours. */
  execute(input: z.infer<Schema>, context: ToolContext): Promise<ToolResult>;
}

/** Keeps the schema's type for `execute` while the registry holds tools of any schema. */
export function defineTool<Schema extends z.ZodType<Record<string, unknown>>>(tool: Tool<Schema>): Tool {
  return tool;
}
