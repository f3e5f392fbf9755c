/**
 * One live run: a session that is open to be continued, its queue of prompts and the turn that runs. Everything it knows of the
 * conversation is in the session's log; the rest (queue, pending asks, grants) lives as long as the run.
 */
import { effectiveLimit, outputLimitChars } from '../context/budget.ts';
import { describeProblem } from '../config/load.ts';
import type { Config, ModelConfig } from '../config/schema.ts';
import type { Asker, PermissionAsk, AskAnswer } from '../permissions/ask.ts';
import { SessionGrants } from '../permissions/grants.ts';
import { DEFAULT_MODEL, type ProviderSet } from '../providers/registry.ts';
import type { SessionEvent } from '../session/events.ts';
import type { SessionFile } from '../session/file.ts';
import { nextIndex, runningTurn } from '../session/reduce.ts';
import { timestampOf, type Session, type Turn, type TurnStatus } from '../session/schema.ts';
import { firstModeOf, modelOf, modeOf } from '../session/state.ts';
import type { PendingAsk, QueuedPrompt, RunEvent, RunState } from './events.ts';
import { unfinishedCalls } from './log.ts';
import { DEFAULT_MODE, findMode, modeNames, type Mode } from './modes.ts';
import type { EngineParts } from './parts.ts';
import { Refusal } from './refusal.ts';
import { systemPrompt } from './systemPrompt.ts';
import { runTurn, type Ending, type TurnPlan } from './turn.ts';

export interface Submitted {
  queued: boolean;
  /** How the turn of this prompt ended; never rejects. `cancelled` for a prompt that was taken back. */
  done: Promise<TurnStatus>;
}

interface Waiting extends QueuedPrompt {
  settle(status: TurnStatus): void;
  done: Promise<TurnStatus>;
}

/** What holds for one turn, from the configuration at its start. */
interface RunPlan extends TurnPlan {
  config: Config;
  limits: ModelConfig | Record<string, never>;
}

export class Run {
  readonly name: string;
  /** Text of the prompt that a crash or reload interrupted, to be offered in the composer. */
  readonly interrupted: string | undefined;
  /** What the person must know of how the session was found on disk: told once by whoever shows it. */
  readonly notices: readonly string[];
  readonly #parts: EngineParts;
  readonly #file: SessionFile;
  readonly #grants = new SessionGrants();
  readonly #listeners = new Set<(event: RunEvent) => void>();
  #state: RunState = 'idle';
  #since: number | undefined;
  #queue: Waiting[] = [];
  #asks: PendingAsk[] = [];
  #stop: AbortController | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #suspended = false;

  constructor(file: SessionFile, parts: EngineParts, interrupted: string | undefined, notices: readonly string[] = []) {
    this.name = file.session.session_name;
    this.interrupted = interrupted;
    this.notices = notices;
    this.#file = file;
    this.#parts = parts;
    file.onNotice((text) => this.#problem(text));
    file.onFailure((error) => {
      // Text that streams could not be saved: nothing may go on unrecorded.
      this.#problem(`${notSaved(error)} The turn was stopped.`);
      this.#stop?.abort(error);
    });
  }

  get session(): Session {
    return this.#file.session;
  }
  get state(): RunState {
    return this.#asks.length > 0 && this.#state === 'running' ? 'asking' : this.#state;
  }
  /** Milliseconds since the epoch when the running turn began. */
  get since(): number | undefined {
    return this.#since;
  }
  get queue(): readonly QueuedPrompt[] {
    return this.#queue.map(({ id, text }) => ({ id, text }));
  }
  get asks(): readonly PendingAsk[] {
    return this.#asks;
  }

  /** The selector in force for the next turn. A recorded one counts only if its provider is configured (R15). */
  async model(): Promise<string> {
    const { config } = await this.#parts.loadConfig();
    return this.#model(config, this.#parts.providers(config));
  }

  async mode(): Promise<string> {
    const { config } = await this.#parts.loadConfig();
    return this.#mode(config).name;
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
    await this.#begin(waiting, false);
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

  /** Stops the turn: stream, wait, ask and child processes. Settles when all of it has ended and the log says so (T7). */
  async stop(): Promise<void> {
    this.#returnQueue();
    if (this.#stop !== undefined && this.#state !== 'stopping') {
      this.#state = 'stopping';
      this.#changed();
      this.#stop.abort(new Error('stopped'));
    }
    await this.#turn;
  }

  /** Switches the model by a command turn. Throws {@link Refusal}. */
  async setModel(selector: string): Promise<void> {
    const { config } = await this.#parts.loadConfig();
    checkModel(selector, this.#parts.providers(config));
    await this.#command(`/model ${selector}`);
  }

  async setMode(mode: string): Promise<void> {
    if (findMode(mode) === undefined)
      throw new Refusal(`There is no mode ${JSON.stringify(mode)}. The modes are: ${modeNames().join(', ')}.`);
    await this.#command(`/mode ${mode}`);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#file.close();
  }

  /**
   * What a crash would do, in good order: all work ends, and the log keeps the turn open. Whoever continues the session closes
   * it and offers its prompt again (R9). The queue stays as it was last told.
   */
  async suspend(): Promise<void> {
    this.#suspended = true;
    this.#stop?.abort(new Error('suspended'));
    await this.#turn;
    await this.#file.close();
  }

  async #command(text: string): Promise<void> {
    if (this.#state !== 'idle')
      throw new Refusal(
        `Not while a turn runs. Stop it, or wait for its end, then use ${text.split(' ', 1)[0]} again.`,
      );
    this.#state = 'running';
    const at = timestampOf(this.#parts.now());
    const turn: Turn = { index: nextIndex(this.session), started_at: at, status: 'running', parts: [] };
    let status: TurnStatus = 'error';
    try {
      await Promise.all([
        this.#append({ type: 'turn_started', at, turn }),
        this.#append({ type: 'part_added', at, part: { type: 'command', text, timestamp: at } }),
        this.#append({ type: 'turn_ended', at, status: 'ok' }),
      ]);
      status = 'ok';
    } catch (error) {
      throw new Refusal(notSaved(error));
    } finally {
      await this.#next(status);
    }
  }

  /**
   * Settles when the prompt is durable and its turn runs; rejects when it cannot be sent. From here to the end of the turn the
   * state is not `idle`, so that no prompt can slip in between, and Stop has something to stop.
   */
  async #begin(prompt: Waiting, queued: boolean): Promise<void> {
    const stop = new AbortController();
    this.#state = 'running';
    this.#stop = stop;
    const started = this.#start(prompt.text);
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
    this.#since = undefined;
    this.#returnQueue();
    this.#state = 'idle';
    this.#changed();
  }

  async #start(text: string): Promise<RunPlan> {
    const plan = await this.#plan();
    await this.#write(plan, text);
    this.#since = this.#parts.now().getTime();
    this.#changed();
    return plan;
  }

  /** Checks all that can be checked before anything is written. */
  async #plan(): Promise<RunPlan> {
    const { config, problems } = await this.#parts.loadConfig();
    if (problems.length > 0) throw new Refusal(problems.map(describeProblem).join('\n'));
    const providers = this.#parts.providers(config);
    const selector = this.#model(config, providers);
    const { provider, model } = checkModel(selector, providers);
    const mode = this.#mode(config);
    const entry = config.models[selector];
    const secrets = this.#parts.secrets(config);
    return {
      config,
      provider: providers.get(provider),
      model,
      mode,
      tools: mode.tools(this.#parts.tools),
      reasoning: entry?.reasoning ?? config.reasoning,
      max_output_tokens: entry?.max_output_tokens,
      limits: entry ?? {},
      system_prompt: systemPrompt(this.#parts.store.workspace, config.system_prompt),
      max_rounds: this.#parts.max_rounds,
      redact: (text) => secrets.redact(text),
    };
  }

  async #write(plan: TurnPlan, text: string): Promise<void> {
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
    try {
      await Promise.all([
        this.#append({ type: 'turn_started', at, turn }),
        this.#append({ type: 'part_added', at, part: { type: 'user', text: text.toWellFormed(), timestamp: at } }),
      ]);
    } catch (error) {
      // The prompt stands in memory and goes to the disk with the next write that works; no request is made for it.
      this.#append({ type: 'turn_ended', at, status: 'cancelled' }).catch(() => undefined);
      throw new Refusal(`${notSaved(error)} Nothing was sent.`);
    }
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
      signal,
      call: {
        permissions: plan.config.permissions,
        grants: this.#grants,
        askId: this.#parts.newId,
        onOutput: (part, piece) => this.#emit({ type: 'output', part, piece }),
        tool: {
          workspace: this.#parts.store.workspace,
          files: this.#parts.files,
          ripgrep: this.#parts.ripgrep,
          max_output_chars: outputLimitChars(effectiveLimit(plan.limits)),
          secret_env: this.#parts.secrets(plan.config).names,
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

  /** The next queued prompt, without passing through `idle`; after a failure or a stop nothing is sent by itself. */
  async #next(status: TurnStatus): Promise<void> {
    if (this.#suspended) return;
    const prompt = status === 'error' || status === 'cancelled' ? undefined : this.#queue.shift();
    if (prompt === undefined) return this.#idle();
    try {
      await this.#begin(prompt, true);
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

  #model(config: Config, providers: ProviderSet): string {
    const recorded = modelOf(this.session);
    if (recorded !== undefined && providers.names().includes(providerOf(recorded))) return recorded;
    return config.model ?? DEFAULT_MODEL;
  }

  #mode(config: Config): Mode {
    for (const name of [modeOf(this.session), firstModeOf(this.session), config.mode, DEFAULT_MODE]) {
      const mode = name === undefined ? undefined : findMode(name);
      if (mode !== undefined) return mode;
    }
    throw new Error(`the mode ${DEFAULT_MODE} is missing`);
  }

  #append(event: SessionEvent): Promise<void> {
    const written = this.#file.append(event);
    this.#emit({ type: 'log', event });
    return written;
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

function providerOf(selector: string): string {
  return selector.split('/', 1)[0] as string;
}

/** Splits a selector at its first slash and checks the provider. Throws {@link Refusal}. */
function checkModel(selector: string, providers: ProviderSet): { provider: string; model: string } {
  const slash = selector.indexOf('/');
  const provider = selector.slice(0, Math.max(slash, 0));
  const model = selector.slice(slash + 1);
  const known = providers.names();
  if (slash <= 0 || model === '')
    throw new Refusal(
      `${JSON.stringify(selector)} is no model. Write <provider>/<model>; the providers are: ${known.join(', ')}.`,
    );
  if (!known.includes(provider))
    throw new Refusal(
      `There is no provider ${JSON.stringify(provider)}. The providers are: ${known.join(', ')}; others go into .polyglav/config.json.`,
    );
  return { provider, model };
}

function notSaved(error: unknown): string {
  return `The session could not be saved: ${error instanceof Error ? error.message : String(error)}.`;
}
