/**
 * Runs of a window that shows another session by now. Each is given back as soon as nothing works in it and all of it is on the
 * disk (R8): what only memory holds must not go with it.
 */
import type { Engine } from '../agent/engine.ts';
import type { Run } from '../agent/run.ts';
import { sentence } from '../text/sentence.ts';

/** As often as a session file itself tries again what the disk refused. */
const RETRY_MS = 30_000;

export class LeftRuns {
  readonly #engine: Engine;
  readonly #changed: () => void;
  readonly #retryMs: number;
  /** With what ends the waiting. */
  readonly #left = new Map<Run, () => void>();
  readonly #problems = new Map<Run, string>();

  /** `changed` is called when there is another problem, or none any more. */
  constructor(engine: Engine, changed: () => void, retryMs = RETRY_MS) {
    this.#engine = engine;
    this.#changed = changed;
    this.#retryMs = retryMs;
  }

  /** Why sessions that are not shown stay open here, for the person. */
  get problem(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('\n');
  }

  /** Gives it back now, or as soon as it can be. Never throws. */
  add(run: Run): void {
    if (this.#left.has(run)) return;
    const tryNow = (): void => void this.#tryNow(run);
    const unsubscribe = run.subscribe(({ type }) => {
      if (type === 'state') tryNow();
    });
    const retry = setInterval(tryNow, this.#retryMs).unref();
    this.#left.set(run, () => {
      unsubscribe();
      clearInterval(retry);
    });
    tryNow();
  }

  /** It is shown again, or was given back. */
  remove(run: Run): void {
    this.#left.get(run)?.();
    this.#left.delete(run);
    this.#tell(run, undefined);
  }

  async #tryNow(run: Run): Promise<void> {
    if (!isIdle(run)) return;
    const fault = run.closed ? undefined : await this.#save(run);
    // Shown again meanwhile, or at work again.
    if (!this.#left.has(run) || !isIdle(run)) return;
    if (fault !== undefined) return this.#tell(run, fault);
    // Closed by somebody else, its name may be that of another run by now.
    const closed = run.closed ? undefined : this.#engine.release(run.name);
    this.remove(run);
    await closed?.catch(() => undefined); // the disk has it all, and whoever opens it next puts it in order
  }

  /** What keeps it here; undefined when nothing does. */
  async #save(run: Run): Promise<string | undefined> {
    try {
      await run.save();
      return undefined;
    } catch (error) {
      if (await this.#isTaken(run)) return undefined;
      const why = sentence(error instanceof Error ? error.message : String(error));
      return `The session ${run.name} stays open in this window, because it could not be saved: ${why} It is tried again every half minute.`;
    }
  }

  /** Another program has taken it over, so that nothing of ours can be saved there; the run has said what. */
  async #isTaken({ name }: Run): Promise<boolean> {
    const { store } = this.#engine;
    try {
      const holder = await store.holder(name);
      // Without a lock: the other is done with it, or the folder is gone, in which it is made again.
      if (holder === undefined) return (await store.names()).has(name);
      // The name of a machine may change under it.
      return holder.pid !== process.pid;
    } catch {
      return false;
    }
  }

  #tell(run: Run, problem: string | undefined): void {
    if (this.#problems.get(run) === problem) return;
    if (problem === undefined) this.#problems.delete(run);
    else this.#problems.set(run, problem);
    this.#changed();
  }

  dispose(): void {
    for (const run of [...this.#left.keys()]) this.remove(run);
  }
}

function isIdle({ state, queue }: Run): boolean {
  return state === 'idle' && queue.length === 0;
}
