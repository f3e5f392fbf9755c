/**
 * Takes what the panel's composer sends: a slash command is run, anything else goes to the active session. One at a time and in
 * order, so that no prompt overtakes another (H01); the same id is run once, however often it comes.
 */
import { Refusal } from '../agent/refusal.ts';
import type { CommandContext } from '../commands/command.ts';
import { parseCommand } from '../commands/registry.ts';
import { describeProblem } from '../config/load.ts';
import type { HostMessage } from '../protocol/messages.ts';
import type { Desk } from './desk.ts';
import { isForThePerson } from './report.ts';

type Answer = Extract<HostMessage, { type: 'accepted' | 'refused' | 'note' }>;

export class PromptIntake {
  readonly #post: (message: Answer) => void;
  readonly #onFault: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(post: (message: Answer) => void, onFault: (error: unknown) => void) {
    this.#post = post;
    this.#onFault = onFault;
  }

  /** Settles when the panel has its answer. Never rejects. */
  take(desk: Desk | undefined, id: string, text: string): Promise<void> {
    this.#last = this.#last.then(async () => {
      try {
        if (desk === undefined) throw new Refusal('Open a folder first: a session is kept in the folder it works on.');
        await this.#take(desk, id, text);
      } catch (error) {
        if (!isForThePerson(error)) this.#onFault(error);
        await desk?.ledger.forget(id);
        this.#post({ type: 'refused', id, reason: (error as Error).message });
      }
    });
    return this.#last;
  }

  async #take(desk: Desk, id: string, text: string): Promise<void> {
    const { engine, active, ledger } = desk;
    const line = parseCommand(text);
    await active.restore();
    const logged = line.kind === 'prompt' ? line.text : text;
    if (await ledger.has(id, logged, (name) => engine.store.read(name).catch(() => undefined))) {
      this.#post({ type: 'accepted', id });
      return;
    }
    if (line.kind === 'command') {
      await ledger.enter(id, null);
      const outcome = await line.command.run(contextOf(desk), line.args);
      this.#post({ type: 'accepted', id });
      if (outcome.text !== '') this.#post({ type: 'note', command: text, text: outcome.text, is_error: false });
      return;
    }
    // Before a session is made for it: what is refused leaves nothing behind.
    const { problems } = await engine.config();
    if (problems.length > 0) throw new Refusal(problems.map(describeProblem).join('\n'));
    const run = await active.ensure();
    await ledger.enter(id, run.session);
    await run.submit(line.text, id);
    await ledger.mirror(run);
    this.#post({ type: 'accepted', id });
  }
}

/** What a slash command may do to the panel that it was typed in. */
export function contextOf({ engine, active }: Desk): CommandContext {
  return {
    engine,
    run: active.run,
    ensureRun: () => active.ensure(),
    activate: (run) => active.activate(run),
  };
}
