/** The session that the panel shows, remembered over a reload. Undefined means a new one, which gets its file with its first entry. */
import type { Engine } from '../agent/engine.ts';
import type { Run } from '../agent/run.ts';
import { Follower } from '../session/follow.ts';
import { HeldError, type Holder } from '../session/lock.ts';
import type { Session } from '../session/schema.ts';
import { LeftRuns } from './leftRuns.ts';
import type { Memory } from './memory.ts';
import type { PromptLedger } from './promptLedger.ts';

const KEY = 'polyglav.session';

export class ActiveSession {
  readonly #engine: Engine;
  readonly #ledger: PromptLedger;
  readonly #memory: Memory;
  readonly #listeners = new Set<() => void>();
  #run: Run | undefined;
  /** Shown instead of a run while another program holds the session. */
  #followed: Follower | undefined;
  /** What the composer's own lines have led away from, one after the other, to the session that is shown. */
  #ledFrom: readonly string[] = [];
  #problem: string | undefined;
  #restoring: Promise<void> | undefined;
  readonly #left: LeftRuns;
  #making: Promise<Run> | undefined;
  /** The newest wish to show a session; one that was overtaken while its session loaded shows nothing any more. */
  #wish = 0;

  constructor(engine: Engine, ledger: PromptLedger, memory: Memory) {
    this.#engine = engine;
    this.#ledger = ledger;
    this.#memory = memory;
    this.#left = new LeftRuns(engine, () => this.#changed());
  }

  /** Calls `listener` when another session is shown, or none; returns how to stop. */
  onDidChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get run(): Run | undefined {
    return this.#run;
  }

  /** The session that another program holds, and that is read along until it is free (R8). */
  get followed(): Follower | undefined {
    return this.#followed;
  }

  /** Why the remembered session, or one that was followed, could not be opened, or one that was left is not given back. */
  get problem(): string | undefined {
    return [this.#problem, this.#left.problem].filter((problem) => problem !== undefined).join('\n') || undefined;
  }

  /**
   * Whether a line that was written in `session` ('' for a new one) is for the one that is shown: a line behind a
   * `/session new`, or behind the first prompt of a new session, may leave the panel before it knows where that has led.
   */
  isFor(session: string): boolean {
    return session === this.#name || this.#ledFrom.includes(session);
  }

  /** Opens the remembered session, at the first call. Never rejects. */
  restore(): Promise<void> {
    this.#restoring ??= this.#restore();
    return this.#restoring;
  }

  /** The active run; made, with a generated name, when there is none. Throws SessionError, also when it is held elsewhere. */
  async ensure(): Promise<Run> {
    await this.restore();
    if (this.#followed !== undefined) throw new HeldError(this.#followed.name, this.#followed.holder);
    return this.#run ?? this.begin();
  }

  /** Makes a session, and shows it unless the person has gone to another one meanwhile. Throws SessionError. */
  begin(): Promise<Run> {
    this.#making ??= this.#show(this.#engine.create(), true).finally(() => (this.#making = undefined));
    return this.#making;
  }

  /**
   * Opens a session and makes it the active one, unless another was asked for since. One that another program holds is read
   * along, and opened as soon as it is free. `leads`: a slash command leads there. Throws SessionError.
   */
  async load(name: string, leads = false): Promise<{ session: Session }> {
    const opening = this.#engine.open(name);
    const wish = this.#wish + 1;
    try {
      return await this.#show(opening, leads);
    } catch (error) {
      if (!(error instanceof HeldError)) throw error;
      return this.#follow(name, error.holder, wish, leads);
    }
  }

  /** Shows the session that a slash command leads to. */
  async activate(run: Run): Promise<void> {
    await this.#show(Promise.resolve(run), true);
  }

  async startNew(): Promise<void> {
    const wish = (this.#wish += 1);
    await this.restore();
    if (wish === this.#wish) await this.#set(undefined, false);
  }

  /** Gives a session back unless it is shown, once nothing works in it and it is saved: others may want to write it (R8). */
  letGo(run: Run): void {
    if (run !== this.#run) this.#left.add(run);
  }

  async #show(opening: Promise<Run>, leads: boolean): Promise<Run> {
    const wish = (this.#wish += 1);
    let [run] = await Promise.all([opening, this.restore()]);
    await this.#ledger.recover(run);
    // Given back meanwhile, behind an earlier wish for it.
    if (wish === this.#wish && run.closed) run = await this.#opened(run.name);
    if (wish === this.#wish) await this.#set(run, leads);
    else this.letGo(run);
    return run;
  }

  async #opened(name: string): Promise<Run> {
    const run = await this.#engine.open(name);
    await this.#ledger.recover(run);
    return run;
  }

  async #follow(name: string, holder: Holder, wish: number, leads = false): Promise<Follower> {
    const followed: Follower = await Follower.start(this.#engine.store, name, holder, {
      changed: () => this.#changed(),
      free: () => this.#takeOver(followed),
      gone: () => this.#leave(`The session ${name} is not there any more: it was deleted, or its file was moved.`),
    });
    if (wish !== this.#wish) {
      followed.close();
      return followed;
    }
    this.#ledFrom = leads ? [...this.#ledFrom, this.#name] : [];
    this.#unfollow();
    this.#followed = followed;
    this.#replace(undefined);
    this.#problem = undefined;
    this.#changed();
    await this.#memory.update(KEY, name);
    return followed;
  }

  /**
   * No wish of the person: whatever they ask for meanwhile is shown in the end. Throws what keeps it from being opened, after the
   * person was told.
   */
  async #takeOver(followed: Follower): Promise<void> {
    try {
      const run = await this.#opened(followed.name);
      if (this.#followed === followed) await this.#set(run, false);
      else this.letGo(run);
    } catch (error) {
      if (this.#followed === followed) {
        const held = error instanceof HeldError; // another one was faster, and is read along from now on
        if (held) followed.holder = error.holder;
        const why = `The session ${followed.name} cannot be taken over yet: ${(error as Error).message} It is tried again.`;
        this.#problem = held ? undefined : why;
        this.#changed();
      }
      throw error;
    }
  }

  /** Shows none instead of the one that was followed. */
  #leave(why: string): void {
    this.#unfollow();
    this.#problem = `${why} Your next prompt begins a new one.`;
    this.#changed();
    void this.#memory.update(KEY, undefined);
  }

  #unfollow(): void {
    this.#followed?.close();
    this.#followed = undefined;
  }

  get #name(): string {
    return this.#run?.name ?? this.#followed?.name ?? '';
  }

  async #set(run: Run | undefined, leads: boolean): Promise<void> {
    this.#problem = undefined;
    if (run === this.#run && this.#followed === undefined) return;
    this.#ledFrom = leads ? [...this.#ledFrom, this.#name] : [];
    this.#unfollow();
    this.#replace(run);
    this.#changed();
    await this.#memory.update(KEY, run?.name);
  }

  #replace(run: Run | undefined): void {
    const before = this.#run;
    this.#run = run;
    if (run !== undefined) this.#left.remove(run);
    if (before !== undefined && before !== run) this.letGo(before);
  }

  async #restore(): Promise<void> {
    const name = this.#memory.get(KEY) as string | undefined;
    if (name === undefined) return;
    try {
      this.#run = await this.#opened(name);
    } catch (error) {
      // Of this window before it was reloaded, as a rule: free in a moment.
      if (error instanceof HeldError) {
        await this.#follow(name, error.holder, this.#wish);
        return;
      }
      this.#problem = `The session ${name} could not be opened again: ${(error as Error).message} Your next prompt begins a new one.`;
    }
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  dispose(): void {
    this.#wish += 1;
    this.#unfollow();
    this.#listeners.clear();
    this.#left.dispose();
  }
}
