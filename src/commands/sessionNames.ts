/** Names of sessions, for commands that take one. */
import type { Run } from '../agent/run.ts';
import { readTarget, type Sessions } from '../agent/target.ts';
import type { Session } from '../session/schema.ts';
import { streamOf, type SessionStream } from '../session/stream.ts';
import { CommandError, type CommandContext } from './command.ts';

/** Every saved session whose name (behind `#`: whose id) begins with `typed`, newest first; `all`: also those that do not load. */
export async function completeNames(
  { engine }: Pick<CommandContext, 'engine'>,
  typed: string,
  all = false,
): Promise<string[]> {
  const saved = await engine.store.list();
  return saved
    .filter(({ problem }) => all || problem === undefined)
    .map(({ name, id }) => (typed.startsWith('#') ? `#${id}` : name))
    .filter((selector) => selector !== '#' && selector.startsWith(typed));
}

/** Lets `use` read the session that `--run` names, else the active one. Throws CommandError when there is neither. */
export async function readTargetOrActive<T>(
  { engine, run, read_along }: { engine: Sessions; run: Run | undefined; read_along?: Session | undefined },
  target: string | undefined,
  use: (stream: SessionStream) => Promise<T>,
): Promise<T> {
  if (target !== undefined) return readTarget(engine, target, use);
  const session = run?.session ?? read_along;
  if (session === undefined)
    throw new CommandError('No session is active yet. Name one: --run <name>, or load one with /session load <name>.');
  return use(streamOf(session));
}
