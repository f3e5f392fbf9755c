/** `/sessions delete <name>`: a whole session, after a question (R5). */
import { Refusal } from '../agent/refusal.ts';
import { namedTarget } from '../agent/target.ts';
import { HeldError, type SessionStore } from '../session/store.ts';
import { code } from '../transcript/blocks.ts';
import type { Command, CommandContext } from './command.ts';
import { completeNames } from './sessionNames.ts';
import { oneName } from './words.ts';

export const sessionsDelete: Command = {
  name: 'sessions delete',
  args: '<name>',
  help: 'Delete a session, after a question.',
  async complete(context, typed) {
    return completeNames(context, typed, true);
  },
  async run(context, args) {
    const name = await namedTarget(context.engine, oneName(args));
    const deleted = await deleteSession(context, name);
    return { text: deleted ? `Deleted the session ${code(name)}.` : `The session ${code(name)} was not deleted.` };
  },
};

type Asking = Pick<CommandContext, 'confirm' | 'remove'>;

/**
 * A session that is open here and idle is closed first. False when the person said no. Throws, with nothing changed, when a turn
 * runs in it (Refusal) or another program has it (HeldError).
 */
export async function deleteSession(context: Omit<CommandContext, 'ensureRun'>, name: string): Promise<boolean> {
  const { engine, run, leave } = context;
  const live = engine.runs().find((candidate) => candidate.name === name);
  if (live !== undefined && live.state !== 'idle')
    throw new Refusal(`A turn runs in the session ${JSON.stringify(name)}. Stop it first, then delete it.`);
  return askedDelete(engine.store, name, context, live !== undefined, async () => {
    await engine.release(name);
    if (run?.name === name) await leave();
  });
}

/** The same for a session that is not open here; `ours` and `release`: it is, and gives it back after the yes. */
export async function askedDelete(
  store: SessionStore,
  name: string,
  { confirm, remove }: Asking,
  ours = false,
  release: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  const holder = ours ? undefined : await store.holder(name);
  if (holder !== undefined) throw new HeldError(name, holder);
  const title = (await store.list()).find((summary) => summary.name === name)?.title ?? '';
  const yes = await confirm({
    question: `Delete the session ${JSON.stringify(name)}?`,
    detail: `${title === '' ? '' : `It begins with: ${title}\n`}Its whole record goes. The sessions of its sub-agents stay.`,
    action: 'Delete',
  });
  if (!yes) return false;
  await release();
  await store.delete(name, remove);
  return true;
}
