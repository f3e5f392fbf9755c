/**
 * One live run: a session that is open to be continued, its queue of prompts and the turn that runs. Everything it knows of the
 * conversation is in the session's log; the rest (queue, pending asks) lives as long as the run.
 */
import type { Asker, PermissionAsk, AskAnswer } from '../permissions/ask.ts';
import { SessionGrants } from '../permissions/grants.ts';
import type { SessionEvent } from '../session/events.ts';
import type { SessionFile } from '../session/file.ts';
import { nextIndex, runningTurn } from '../session/reduce.ts';
import {
  timestampOf,
  type CommandPart,
  type Part,
  type Session,
  type Turn,
  type TurnStatus,
  type UserPart,
} from '../session/schema.ts';
import { lastSeen } from '../session/state.ts';
import type { PendingAsk, QueuedPrompt, RunEvent, RunState } from './events.ts';
import { sentence } from '../text/sentence.ts';
import { SessionShell } from '../tools/sessionShell.ts';
import { unfinishedCalls } from './log.ts';
import type { EngineParts } from './parts.ts';
import { checkMode, checkSelector, modeInForce, modelInForce, planOf, type RunPlan } from './plan.ts';
import { Redaction } from './redaction.ts';
import { Refusal } from './refusal.ts';
import { Stopped } from './stopped.ts';
import { runTurn, type Ending } from './turn.ts';

export interface Submitted {
  queued: boolean;
  /** How the turn of this prompt ended; never rejects. `cancelled` for a prompt that was taken back. */
  done: Promise<TurnStatus>;
}

interface Waiting extends QueuedPrompt {
  settle(status: TurnStatus): void;
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
  readonly #redaction = new Redaction();
  readonly #listeners = new Set<(event: RunEvent) => void>();
  #state: RunState = 'idle';
  #queue: Waiting[] = [];
  #asks: PendingAsk[] = [];
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
    file.onNotice((text) => this.#problem(text));
    // Text that streams could not be saved: nothing may go on unrecorded.
    file.onFailure((error) => this.#stop?.abort(new Error(`${notSaved(error)} The turn was stopped.`)));
  }

  get session(): Session {
    return this.#file.session;
  }
  get state(): RunState {
    return this.#asks.length > 0 && this.#state === 'running' ? 'asking' : this.#state;
  }
  /** It was given back: who has more to do opens the session again. */
  get closed(): boolean {
    return this.#closing || this.#suspended;
  }
  get queue(): readonly QueuedPrompt[] {
    return this.#queue.map(({ id, text }) => ({ id, text }));
  }
  get asks(): readonly PendingAsk[] {
    return this.#asks;
  }

  /** Writes what is pending and puts the file in order; returns its path. Throws SessionError when the disk does not take it. */
  async save(): Promise<string> {
    await this.#file.flush();
    return this.#file.path;
  }

  /** The selector in force for the next turn. */
  async model(): Promise<string> {
    const { config } = await this.#parts.loadConfig();
    return modelInForce(this.session, config, this.#parts.providers(config).names());
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
      this.#queue.push(waiting);
      this.#changed();
      return { queued: true, done: waiting.done };
    }
    this.#assertOpen();
    await this.#send(waiting, false);
    return { queued: false, done: waiting.done };
  }

  /** Takes a queued prompt back; undefined when it is not waiting any more. */
  unqueue(id: string): string | undefined {
    const found = this.#queue.find((waiting) => waiting.id === id);
    if (found === undefined) return undefined;
    this.#queue = this.#queue.filter((waiting) => waiting !== found);
    found.settle('cancelled');
    this.#changed();
    return found.text;
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
    const { config, unconfirmed } = await this.#parts.loadConfig();
    checkSelector(selector, this.#parts.providers(config).names(), unconfirmed);
    this.#redaction.use(this.#parts.secrets(config));
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
    await this.#write(this.#redaction.end(timestampOf(this.#parts.now()))).catch(() => undefined);
    await this.#file.close();
  }

  #assertOpen(): void {
    if (this.closed) throw new Refusal(`The session ${JSON.stringify(this.name)} was closed. Load it again to go on.`);
  }

  #assertIdle(command: string): void {
    this.#assertOpen();
    if (this.#state !== 'idle')
      throw new Refusal(`Not while a turn runs. Stop it, or wait for its end, then use ${command} again.`);
  }

  async #command(text: string): Promise<void> {
    this.#assertIdle(text.split(' ', 1)[0] ?? '');
    this.#state = 'running';
    const at = timestampOf(this.#parts.now());
    const turn: Turn = { index: nextIndex(this.session), started_at: at, status: 'running', parts: [] };
    try {
      await this.#begin(turn, { type: 'command', text, timestamp: at });
    } catch (error) {
      await this.#next('error');
      throw error;
    }
    await this.#next(await this.#end({ status: 'ok' }));
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
        if (queued) this.#queue.unshift(prompt);
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
    this.#redaction.use(plan.secrets);
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
    await this.#begin(turn, { type: 'user', text, timestamp: at });
    this.#changed();
    return plan;
  }

  /** Settles when a turn and its first part are durable; when they cannot be saved the turn has failed. Throws {@link Refusal}. */
  async #begin(turn: Turn, part: UserPart | CommandPart): Promise<void> {
    const at = part.timestamp;
    // Before the prompt: what stands behind one goes to the model with the next.
    const parts = [...(part.type === 'user' ? this.#takeNote(at) : []), part];
    try {
      await Promise.all([
        this.#append({ type: 'turn_started', at, turn }),
        ...parts.map((part) => this.#append({ type: 'part_added', at, part })),
      ]);
    } catch (error) {
      const message = `${notSaved(error)} Nothing was ${part.type === 'user' ? 'sent' : 'changed'}.`;
      this.#endUnsaved(part, message);
      throw new Refusal(message);
    }
  }

  #takeNote(timestamp: string): Part[] {
    const text = this.#note;
    this.#note = undefined;
    return text === undefined ? [] : [{ type: 'system', kind: 'resume', text, timestamp }];
  }

  /** What could not be saved stands in memory, and goes to the disk with the next write that works. */
  #endUnsaved(part: UserPart | CommandPart, message: string): void {
    const at = timestampOf(this.#parts.now());
    const events: SessionEvent[] = [
      { type: 'error', at, entry: { code: 0, message, timestamp: at } },
      { type: 'turn_ended', at, status: 'error' },
    ];
    // The person will send it again: the model is told why it is there twice.
    const text = 'This message could not be saved, so it was not sent at that time.';
    if (part.type === 'user')
      events.unshift({ type: 'part_added', at, part: { type: 'system', kind: 'reminder', text, timestamp: at } });
    for (const event of events) this.#append(event).catch(() => undefined);
  }

  async #finish(plan: RunPlan, prompt: Waiting, signal: AbortSignal): Promise<void> {
    const ending = await runTurn(plan, {
      log: {
        session: this.session,
        append: (event) =>
          this.#append(event).catch((error: unknown) => {
            throw new Error(notSaved(error));
          }),
      },
      now: this.#parts.now,
      asker: this.#asker(),
      pace: () => this.#parts.pace?.(signal),
      signal,
      call: {
        permissions: plan.permissions,
        grants: this.#grants,
        rules: plan.restricted ? undefined : this.#parts.rules,
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
    const status = await this.#end(ending);
    prompt.settle(status);
    await this.#next(status);
  }

  /** Writes the end of the turn: results for calls that have none, the error, the status. */
  async #end(ending: Ending): Promise<TurnStatus> {
    const at = timestampOf(this.#parts.now());
    const open = unfinishedCalls(runningTurn(this.session)?.parts ?? []);
    const events: SessionEvent[] = open.map((part) => ({
      type: 'part_filled',
      at,
      part,
      fill: { output: 'Not run: the turn ended first.', is_error: true },
    }));
    // The error carries the turn's end as its time: that is how a reader finds the turn it belongs to.
    if (ending.error !== undefined) events.push({ type: 'error', at, entry: { ...ending.error, timestamp: at } });
    events.push({
      type: 'turn_ended',
      at,
      status: ending.status,
      ...(ending.usage === undefined ? {} : { usage: ending.usage }),
    });
    try {
      await Promise.all(events.map((event) => this.#append(event)));
    } catch (error) {
      this.#problem(notSaved(error));
    }
    return ending.status;
  }

  /**
   * The next queued prompt, without passing through `idle`; after a failure nothing is sent by itself. After a stop there are only
   * prompts that were sent since.
   */
  async #next(status: TurnStatus): Promise<void> {
    if (this.#suspended) return;
    const prompt = status === 'error' || this.#closing ? undefined : this.#queue.shift();
    if (prompt === undefined) return this.#idle();
    try {
      await this.#send(prompt, true);
    } catch (error) {
      this.#problem((error as Error).message);
    }
  }

  #returnQueue(): void {
    if (this.#queue.length === 0) return;
    const waiting = this.#queue;
    this.#queue = [];
    for (const prompt of waiting) prompt.settle('cancelled');
    this.#emit({ type: 'returned', text: waiting.map((prompt) => prompt.text).join('\n\n') });
    this.#changed();
  }

  /** Keeps count of the asks that wait, so that every front end can show them. */
  #asker(): Asker {
    return {
      ask: async (ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> => {
        this.#asks = [...this.#asks, { ...ask, since: this.#parts.now().getTime() }];
        this.#changed();
        try {
          return await this.#parts.asker.ask(ask, signal);
        } finally {
          this.#asks = this.#asks.filter((pending) => pending.id !== ask.id);
          this.#changed();
        }
      },
    };
  }

  #append(event: SessionEvent): Promise<void> {
    return this.#write(this.#redaction.clean(event));
  }

  async #write(events: readonly SessionEvent[]): Promise<void> {
    const written = events.map((event) => {
      const durable = this.#file.append(event);
      this.#emit({ type: 'log', event });
      return durable;
    });
    await Promise.all(written);
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

function newWaiting(id: string, text: string): Waiting {
  let settle: Waiting['settle'] = () => undefined;
  const done = new Promise<TurnStatus>((resolve) => {
    settle = resolve;
  });
  return { id, text, done, settle };
}

/** How a message begins that says that the disk did not take an entry. */
export const NOT_SAVED = 'The session could not be saved';

function notSaved(error: unknown): string {
  return `${NOT_SAVED}: ${sentence(error instanceof Error ? error.message : String(error))}`;
}
