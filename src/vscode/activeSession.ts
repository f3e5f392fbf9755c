/** The session that the panel shows, remembered over a reload. Undefined means a new one, which gets its file with its first entry. */
import * as vscode from 'vscode';

import type { Engine } from '../agent/engine.ts';
import type { Run } from '../agent/run.ts';
import type { Memory, PromptLedger } from './promptLedger.ts';

const KEY = 'polyglav.session';

export class ActiveSession implements vscode.Disposable {
  readonly #engine: Engine;
  readonly #ledger: PromptLedger;
  readonly #memory: Memory;
  readonly #changed = new vscode.EventEmitter<void>();
  #run: Run | undefined;
  #problem: string | undefined;
  #restoring: Promise<void> | undefined;
  #making: Promise<Run> | undefined;

  constructor(engine: Engine, ledger: PromptLedger, memory: Memory) {
    this.#engine = engine;
    this.#ledger = ledger;
    this.#memory = memory;
  }

  /** Calls `listener` when another session is shown, or none; returns how to stop. */
  onDidChange(listener: () => void): () => void {
    const subscription = this.#changed.event(listener);
    return () => {
      subscription.dispose();
    };
  }

  get run(): Run | undefined {
    return this.#run;
  }

  /** Why the remembered session could not be opened again. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Opens the remembered session, at the first call. Never rejects. */
  restore(): Promise<void> {
    this.#restoring ??= this.#restore();
    return this.#restoring;
  }

  /** The active run; made, with a generated name, when there is none. Throws SessionError. */
  async ensure(): Promise<Run> {
    await this.restore();
    if (this.#run !== undefined) return this.#run;
    this.#making ??= this.#engine.create().finally(() => (this.#making = undefined));
    const run = await this.#making;
    await this.activate(run);
    return run;
  }

  /** Opens a session and makes it the active one. Throws SessionError. */
  async load(name: string): Promise<Run> {
    const run = await this.#engine.open(name);
    await this.activate(run);
    return run;
  }

  async activate(run: Run): Promise<void> {
    await this.restore();
    await this.#ledger.recover(run);
    await this.#set(run);
  }

  async startNew(): Promise<void> {
    await this.restore();
    await this.#set(undefined);
  }

  async #set(run: Run | undefined): Promise<void> {
    this.#problem = undefined;
    if (run === this.#run) return;
    this.#run = run;
    this.#changed.fire();
    await this.#memory.update(KEY, run?.name);
  }

  async #restore(): Promise<void> {
    const name = this.#memory.get(KEY) as string | undefined;
    if (name === undefined) return;
    try {
      const run = await this.#engine.open(name);
      await this.#ledger.recover(run);
      this.#run = run;
    } catch (error) {
      this.#problem = `The session ${name} could not be opened again: ${(error as Error).message} Your next prompt begins a new one.`;
    }
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
