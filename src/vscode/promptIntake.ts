/**
 * Takes what the panel's composer sends: a slash command is run, anything else goes to the session it was written in. One at a
 * time and in order, so that no prompt overtakes another; the same id is run once, however often it comes.
 */
import { Refusal } from '../agent/refusal.ts';
import type { Run } from '../agent/run.ts';
import type { CommandContext } from '../commands/command.ts';
import { parseCommand } from '../commands/registry.ts';
import type { HostMessage, WebviewMessage } from '../protocol/messages.ts';
import type { Desk } from './desk.ts';
import { ForThePerson } from '../session/forThePerson.ts';
import { HeldError } from '../session/lock.ts';

type Prompt = Omit<Extract<WebviewMessage, { type: 'send' }>, 'type'>;
type Answer = Extract<HostMessage, { type: 'accepted' | 'refused' | 'note' }>;

export class PromptIntake {
  readonly #post: (message: Answer) => void;
  readonly #contextOf: (desk: Desk) => CommandContext;
  readonly #onFault: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  /** `contextOf`: what a slash command may do to the panel that it was typed in. */
  constructor(
    post: (message: Answer) => void,
    contextOf: (desk: Desk) => CommandContext,
    onFault: (error: unknown) => void,
  ) {
    this.#post = post;
    this.#contextOf = contextOf;
    this.#onFault = onFault;
  }

  /** Settles when the panel has its answer. Never rejects. */
  take(desk: Desk | undefined, prompt: Prompt): Promise<void> {
    this.#last = this.#last.then(() => this.#answer(desk, prompt)).catch(this.#onFault);
    return this.#last;
  }

  async #answer(desk: Desk | undefined, prompt: Prompt): Promise<void> {
    const { id } = prompt;
    try {
      if (desk === undefined) throw new Refusal('Open a folder first: a session is kept in the folder it works on.');
      await this.#take(desk, prompt);
    } catch (error) {
      if (!(error instanceof ForThePerson)) this.#onFault(error);
      await desk?.ledger.forget(id).catch(this.#onFault);
      this.#post({ type: 'refused', id, reason: (error as Error).message, ...passing(error) });
    }
  }

  async #take(desk: Desk, { id, session, text }: Prompt): Promise<void> {
    const { engine, active, ledger } = desk;
    const line = parseCommand(text);
    await active.restore();
    const logged = line.kind === 'prompt' ? line.text : text;
    if (await ledger.has(id, logged, (name) => engine.store.read(name).catch(() => undefined))) {
      this.#post({ type: 'accepted', id });
      return;
    }
    if (line.kind === 'command') {
      if (!active.isFor(session))
        throw new Refusal('Not run: another session was opened meanwhile. Send it again where it is meant.');
      await ledger.enter(id, null);
      const outcome = await line.command.run(this.#contextOf(desk), line.args);
      this.#post({ type: 'accepted', id });
      if (outcome.text !== '') this.#post({ type: 'note', command: text, text: outcome.text, is_error: false });
      return;
    }
    // Before a session is made for it: what is refused leaves nothing behind.
    if (active.isFor(session)) await engine.assertReady(active.run?.session);
    else if (session === '') await engine.assertReady();
    let run = await runOf(desk, session);
    await ledger.enter(id, run.session);
    // Given back meanwhile, because another one is shown now.
    if (run.closed) run = await engine.open(run.name);
    await run.submit(line.text, id);
    active.letGo(run);
    // It is taken: to call it refused now would make the person send it twice.
    await ledger.mirror(run).catch(this.#onFault);
    this.#post({ type: 'accepted', id });
  }
}

function passing(error: unknown): Pick<Extract<Answer, { type: 'refused' }>, 'due_to'> {
  const due_to = error instanceof HeldError ? 'holder' : error instanceof Refusal ? error.due_to : undefined;
  return due_to === undefined ? {} : { due_to };
}

/** The run of the session that a prompt was written in, also when the panel shows another by now. Throws SessionError. */
async function runOf({ engine, active }: Desk, session: string): Promise<Run> {
  if (active.isFor(session)) return active.run ?? active.ensure();
  return session === '' ? engine.create() : engine.open(session);
}
