/**
 * One live run: a session that is open to be continued, its queue of prompts and the turn that runs. Everything it knows of the
 * conversation is in the session's log; the rest (queue, pending asks) lives as long as the run.
 */
import { SessionGrants } from '../permissions/grants.ts';
import type { SessionFile } from '../session/file.ts';
import { nextIndex } from '../session/reduce.ts';
import { timestampOf, type Part, type Session, type Turn, type TurnStatus } from '../session/schema.ts';
import { lastSeen } from '../session/state.ts';
import type { PendingAsk, QueuedPrompt, RunEvent, RunState } from './events.ts';
import { SessionShell } from '../tools/sessionShell.ts';
import { OpenAsks } from './openAsks.ts';
import type { EngineParts } from './parts.ts';
import { checkMode, checkSelector, modeInForce, modelInForce, planOf, type RunPlan } from './plan.ts';
import { newWaiting, PromptQueue, type Waiting } from './promptQueue.ts';
import { Refusal } from './refusal.ts';
import { notSaved, RunLog } from './runLog.ts';
import { Stopped } from './stopped.ts';
import { runTurn } from './turn.ts';

export interface Submitted {
  queued: boolean;
  /** How the turn of this prompt ended; never rejects. `cancelled` for a prompt that was taken back. */
  done: Promise<TurnStatus>;
}

/** How a session was found that is continued. */
export interface Found {
  interrupted?: string | undefined;
  notices?: readonly string[];
  /** Of the session's folder, for the model (R9). */
  note?: string | undefined;
  /** What the person allowed for this session so far. */
  grants?: SessionGrants;
  /** As the session's commands left it. */
  shell?: SessionShell;
}

export class Run {
  readonly name: string;
  /** Text of the prompt that a crash or reload interrupted, to be offered in the composer. */
  readonly interrupted: string | undefined;
  /** What the person must know of how the session was found on disk: told once by whoever shows it. */
  readonly notices: readonly string[];
  /** Told to the model with the next prompt. */
  #note: string | undefined;
  readonly #parts: EngineParts;
  readonly #file: SessionFile;
  readonly #grants: SessionGrants;
  readonly #shell: SessionShell;
  readonly #log: RunLog;
  readonly #asks: OpenAsks;
  readonly #queue = new PromptQueue();
  readonly #listeners = new Set<(event: RunEvent) => void>();
  #state: RunState = 'idle';
  #stop: AbortController | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #suspended = false;
  #closing = false;

  constructor(file: SessionFile, parts: EngineParts, found: Found = {}) {
    const { interrupted, notices = [], note, grants = new SessionGrants() } = found;
    const { shell = new SessionShell(parts.store.workspace) } = found;
    this.name = file.session.session_name;
    this.interrupted = interrupted;
    this.notices = notices;
    this.#note = note;
    this.#grants = grants;
    this.#shell = shell;
    this.#file = file;
    this.#parts = parts;
    this.#log = new RunLog(file, parts.now, {
      onEvent: (event) => this.#emit({ type: 'log', event }),
      onProblem: (message) => this.#problem(message),
    });
    this.#asks = new OpenAsks(parts.asker, parts.now, () => this.#changed());
    file.onNotice((text) => this.#problem(text));
    // Text that streams could not be saved: nothing may go on unrecorded.
    file.onFailure((error) => this.#stop?.abort(new Error(`${notSaved(error)} The turn was stopped.`)));
  }

  get session(): Session {
    return this.#file.session;
  }
  get state(): RunState {
    return this.#asks.open.length > 0 && this.#state === 'running' ? 'asking' : this.#state;
  }
  /** It was given back: who has more to do opens the session again. */
  get closed(): boolean {
    return this.#closing || this.#suspended;
  }
  get queue(): readonly QueuedPrompt[] {
    return this.#queue.prompts;
  }
  get asks(): readonly PendingAsk[] {
    return this.#asks.open;
  }

  /** Writes what is pending and puts the file in order; returns its path. Throws SessionError when the disk does not take it. */
  async save(): Promise<string> {
    await this.#file.flush();
    return this.#file.path;
  }

  /** The selector in force for the next turn, whether or not it can be used now. */
  async model(): Promise<string> {
    const { config } = await this.#parts.loadConfig();
    return modelInForce(this.session, config);
  }

  async mode(): Promise<string> {
    const { config } = await this.#parts.loadConfig();
    return modeInForce(this.session, config).name;
  }

  subscribe(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Sends a prompt, or queues it while a turn runs. Settles when it is durable in the log, or queued; throws
   * {@link Refusal} when it cannot be sent, having changed nothing.
   */
  async submit(text: string, id: string = this.#parts.newId()): Promise<Submitted> {
    if (text.trim() === '') throw new Refusal('The message is empty. Write what you want done.');
    const waiting = newWaiting(id, text);
    if (this.#state !== 'idle') {
      this.#queue.add(waiting);
      this.#changed();
      return { queued: true, done: waiting.done };
    }
    this.#assertOpen();
    await this.#send(waiting, false);
    return { queued: false, done: waiting.done };
  }

  /** Takes a queued prompt back; undefined when it is not waiting any more. */
  unqueue(id: string): string | undefined {
    const text = this.#queue.remove(id);
    if (text !== undefined) this.#changed();
    return text;
  }

  /**
   * Stops the turn: stream, wait, ask and child processes. Settles when all of it has ended and the log says so (T7). Prompts
   * that wait are handed back; one that is sent from here on waits for the end of the turn.
   */
  async stop(): Promise<void> {
    this.#returnQueue();
    if (this.#stop !== undefined && this.#state !== 'stopping') {
      this.#state = 'stopping';
      this.#changed();
      this.#stop.abort(new Stopped());
    }
    await this.#turn;
  }

  /** Switches the model by a command turn. Throws {@link Refusal}. */
  async setModel(selector: string): Promise<void> {
    const loaded = await this.#parts.loadConfig();
    const { config } = loaded;
    checkSelector(selector, this.#parts.providers(config).names(), loaded);
    this.#log.hide(this.#parts.secrets(config));
    await this.#command(`/model ${selector}`);
  }

  /** Switches the mode by a command turn. Throws {@link Refusal}. */
  async setMode(mode: string): Promise<void> {
    checkMode(mode);
    await this.#command(`/mode ${mode}`);
  }

  /** The next command starts in the workspace folder again, with nothing that earlier ones exported. Throws {@link Refusal}. */
  resetShell(): void {
    this.#assertIdle('/reset-shell');
    this.#shell.reset();
  }

  /** Stops the turn, and sends nothing more. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.stop();
    await this.#file.close();
  }

  /**
   * What a crash would do, in good order: all work ends, and the log keeps the turn open. Whoever continues the session closes
   * it and offers its prompt again (R9). The queue stays as it was last told.
   */
  async suspend(): Promise<void> {
    this.#suspended = true;
    this.#stop?.abort(new Stopped());
    await this.#turn;
    // What the disk does not take is told by the close.
    await this.#log.writeHeld().catch(() => undefined);
    await this.#file.close();
  }

  #assertOpen(): void {
    if (this.closed) throw new Refusal(`The session ${JSON.stringify(this.name)} was closed. Load it again to go on.`);
  }

  #assertIdle(command: string): void {
    this.#assertOpen();
    if (this.#state !== 'idle')
      throw new Refusal(`Not while a turn runs. Stop it, or wait for its end, then use ${command} again.`, 'turn');
  }

  async #command(text: string): Promise<void> {
    this.#assertIdle(text.split(' ', 1)[0] ?? '');
    this.#state = 'running';
    const done = this.#runCommand(text);
    // Whoever closes the session waits for it.
    this.#turn = done.catch(() => undefined);
    await done;
  }

  async #runCommand(text: string): Promise<void> {
    const at = timestampOf(this.#parts.now());
    const turn: Turn = { index: nextIndex(this.session), started_at: at, status: 'running', parts: [] };
    try {
      await this.#log.begin(turn, { type: 'command', text, timestamp: at });
    } catch (error) {
      await this.#next('error');
      throw error;
    }
    await this.#next(await this.#log.end({ status: 'ok' }));
  }

  /**
   * Settles when the prompt is durable and its turn runs; rejects when it cannot be sent. From here to the end of the turn the
   * state is not `idle`, so that no prompt can slip in between, and Stop has something to stop.
   */
  async #send(prompt: Waiting, queued: boolean): Promise<void> {
    const stop = new AbortController();
    this.#state = 'running';
    this.#stop = stop;
    const started = this.#open(prompt.text);
    this.#turn = started.then(
      (plan) => this.#finish(plan, prompt, stop.signal),
      () => {
        if (queued) this.#queue.putBack(prompt);
        this.#idle();
      },
    );
    await started;
  }

  /** Nothing runs any more, and nothing is sent by itself. */
  #idle(): void {
    this.#stop = undefined;
    this.#returnQueue();
    this.#state = 'idle';
    this.#changed();
  }

  async #open(text: string): Promise<RunPlan> {
    const plan = await planOf(this.session, this.#parts);
    this.#log.hide(plan.secrets);
    const at = timestampOf(this.#parts.now());
    const turn: Turn = {
      index: nextIndex(this.session),
      started_at: at,
      mode: plan.mode.name,
      ...(plan.reasoning === undefined ? {} : { reasoning: plan.reasoning }),
      model: plan.model,
      provider: plan.provider.name,
      status: 'running',
      parts: [],
    };
    // Before the prompt: what stands behind one goes to the model with the next.
    await this.#log.begin(turn, { type: 'user', text, timestamp: at }, this.#takeNote(at));
    this.#changed();
    return plan;
  }

  #takeNote(timestamp: string): Part[] {
    const text = this.#note;
    this.#note = undefined;
    return text === undefined ? [] : [{ type: 'system', kind: 'resume', text, timestamp }];
  }

  async #finish(plan: RunPlan, prompt: Waiting, signal: AbortSignal): Promise<void> {
    const ending = await runTurn(plan, {
      log: this.#log,
      now: this.#parts.now,
      asker: this.#asks,
      pace: () => this.#parts.pace?.(signal),
      signal,
      call: {
        permissions: plan.permissions,
        grants: this.#grants,
        rules: this.#parts.rules,
        restricted: plan.restricted,
        onProblem: (message) => this.#problem(message),
        askId: this.#parts.newId,
        onOutput: (part, piece) => {
          this.#emit({ type: 'output', part, piece });
          return this.#parts.pace?.(signal);
        },
        tool: {
          workspace: this.#parts.store.workspace,
          files: this.#parts.files,
          seen: (file) => lastSeen(this.session, file),
          shell: this.#shell,
          watchdog: this.#parts.watchdog,
          ripgrep: this.#parts.ripgrep,
          max_output_chars: plan.max_output_chars,
          secret_env: plan.secrets.names,
          command_secs: COMMAND_SECS,
        },
      },
    });
    if (this.#suspended && ending.status === 'cancelled') return prompt.settle('cancelled');
    const status = await this.#log.end(ending);
    prompt.settle(status);
    await this.#next(status);
  }

  /**
   * The next queued prompt, without passing through `idle`; after a failure nothing is sent by itself. After a stop there are only
   * prompts that were sent since.
   */
  async #next(status: TurnStatus): Promise<void> {
    if (this.#suspended) return;
    const prompt = status === 'error' || this.#closing ? undefined : this.#queue.next();
    if (prompt === undefined) return this.#idle();
    try {
      await this.#send(prompt, true);
    } catch (error) {
      this.#problem((error as Error).message);
    }
  }

  #returnQueue(): void {
    const text = this.#queue.removeAll();
    if (text === undefined) return;
    this.#emit({ type: 'returned', text });
    this.#changed();
  }

  #problem(message: string): void {
    this.#emit({ type: 'problem', message });
  }

  #changed(): void {
    this.#emit({ type: 'state' });
  }

  #emit(event: RunEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/** A command without a limit of its own may run this long. */
const COMMAND_SECS = 600;
