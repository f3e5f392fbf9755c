/** An engine over real files in a temp folder, with a model and a person that do what a test's script says. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

import { Engine } from '../../src/agent/engine.ts';
import type { RunEvent } from '../../src/agent/events.ts';
import type { EngineOptions } from '../../src/agent/parts.ts';
import type { Run } from '../../src/agent/run.ts';
import { EMPTY_CONFIG, type Config } from '../../src/config/schema.ts';
import type { ConfigProblem } from '../../src/config/load.ts';
import type { AskAnswer, Asker, PermissionAsk } from '../../src/permissions/ask.ts';
import {
  ProviderError,
  type FinishReason,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type TokenUsage,
} from '../../src/providers/provider.ts';
import { isKind, type Session, type ToolPart, type TurnStatus } from '../../src/session/schema.ts';
import { SessionStore } from '../../src/session/store.ts';
import { diskFiles } from '../../src/tools/diskFiles.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../../src/tools/tool.ts';
import { requestFaults } from './strictMessages.ts';
import { guardedFolder } from './tempFolder.ts';

/** What one answer of the model does, in order: a string is a piece of text, an error is thrown, a function is waited for. */
export type Step =
  | string
  | { thinking: string }
  | { call: string; arguments?: string | Record<string, unknown>; id?: string | null }
  /** Without one: `tool_calls` after a call, else `stop`. */
  | { finish: FinishReason }
  | { usage: TokenUsage }
  | { thinking_data: Record<string, unknown> }
  /** The stream ends here without an end. */
  | { cut: true }
  | Error
  | ((request: ProviderRequest) => Promise<unknown>);

/** Nothing more comes until the turn is stopped. */
export function silence({ signal }: ProviderRequest): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** Refuses what the strictest provider would refuse; `faults` says what that was. */
export class ScriptedProvider implements Provider {
  readonly name: string;
  readonly requests: Omit<ProviderRequest, 'signal'>[] = [];
  readonly faults: string[] = [];
  readonly answers: Step[][] = [];
  /** What it answers when the script has nothing left. */
  otherwise: ((request: Omit<ProviderRequest, 'signal'>) => Step[]) | undefined;
  /** How many streams are open. */
  open = 0;

  constructor(name = 'mock') {
    this.name = name;
  }

  /** Adds answers behind those that are left; each request takes one. */
  answer(...answers: Step[][]): void {
    this.answers.push(...answers);
  }

  async *stream({ signal, ...request }: ProviderRequest): AsyncGenerator<ProviderEvent> {
    this.requests.push(structuredClone(request));
    const faults = requestFaults(request.messages, this.name);
    this.faults.push(...faults);
    if (faults.length > 0) throw new ProviderError(faults.join('; '), { kind: 'bad_request', status: 400 });
    const steps = this.answers.shift() ?? this.otherwise?.(request);
    if (steps === undefined) throw new ProviderError('The script has no answer left.', { kind: 'bad_request' });
    this.open++;
    try {
      yield* play(steps, { ...request, signal });
    } finally {
      this.open--;
    }
  }

  models(): Promise<string[]> {
    return Promise.resolve(['m', 'n']);
  }
}

async function* play(steps: readonly Step[], request: ProviderRequest): AsyncGenerator<ProviderEvent> {
  const end: Extract<ProviderEvent, { type: 'finished' }> = { type: 'finished', reason: 'stop', calls: [] };
  for (const step of steps) {
    request.signal.throwIfAborted();
    if (typeof step === 'string') yield { type: 'text', text: step };
    else if (typeof step === 'function') await step(request);
    else if (step instanceof Error) throw step;
    else if ('thinking' in step) yield { type: 'thinking', text: step.thinking };
    else if ('call' in step) {
      const given = step.arguments ?? {};
      const id = step.id === undefined ? `id_${request.messages.length}_${end.calls.length}` : step.id;
      end.calls.push({ id, name: step.call, arguments: typeof given === 'string' ? given : JSON.stringify(given) });
      end.reason = 'tool_calls';
    } else if ('finish' in step) end.reason = step.finish;
    else if ('cut' in step) return;
    else Object.assign(end, step);
  }
  yield end;
}

/** Answers each ask with the next answer of its script, and with `once` when there is none left. */
export class ScriptedPerson implements Asker {
  readonly asks: PermissionAsk[] = [];
  readonly answers: (AskAnswer | ((ask: PermissionAsk, signal: AbortSignal) => Promise<AskAnswer>))[] = [];

  async ask(ask: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> {
    this.asks.push(ask);
    const answer = this.answers.shift() ?? { answer: 'once' };
    return typeof answer === 'function' ? answer(ask, signal) : answer;
  }
}

/** A person who does not answer; the prompt goes away when the turn is stopped. */
export function noAnswer(_: PermissionAsk, signal: AbortSignal): Promise<AskAnswer> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ answer: 'dismissed' })));
}

type Execute = (
  input: Record<string, unknown>,
  context: ToolContext,
) => string | ToolResult | Promise<string | ToolResult>;

/** A small tool; the policy knows it by the name of a real one. `path` is what it touches, if it is given one. */
export function tool(name: string, execute: Execute, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: `Does what ${name} does.`,
    schema: z.strictObject({ path: z.string().optional(), text: z.string().optional() }),
    reads_only: name === 'file_read',
    paths: ({ path }) => (path === undefined ? [] : [path]),
    words: ({ path }) => ({ title: `${name} ${path ?? ''}` }),
    async execute(input, context) {
      const result = await execute(input, context);
      return typeof result === 'string' ? { output: result } : result;
    },
    ...(more as object),
  });
}

/**
 * What a test has in hand. `beforeEach(async () => (bench = await Bench.make()))`, `afterEach(() => bench.close())`; what is to be
 * set is set before the first run is made.
 */
export class Bench {
  static async make(): Promise<Bench> {
    return new Bench(await guardedFolder());
  }

  readonly folder: string;
  readonly provider = new ScriptedProvider();
  readonly person = new ScriptedPerson();
  /** Read at the start of each turn, as a file would be. */
  config: Config = { ...EMPTY_CONFIG, model: 'mock/m' };
  problems: ConfigProblem[] = [];
  env: NodeJS.ProcessEnv = {};
  tools: Tool[] = [
    tool('file_read', ({ path }) => `content of ${String(path)}`),
    tool('file_write', () => 'written'),
    tool('run_command', () => 'ran'),
  ];
  /** Other providers that are configured. */
  others: ScriptedProvider[] = [];
  /** What the runs of this test said, oldest first. */
  readonly events: RunEvent[] = [];
  readonly #engines: Engine[] = [];
  readonly #remove: () => Promise<void>;
  #tick = 0;

  private constructor({ path, remove }: Awaited<ReturnType<typeof guardedFolder>>) {
    this.folder = path;
    this.#remove = remove;
  }

  get engine(): Engine {
    return this.#engines.at(-1) ?? this.restart();
  }

  /** A new engine on the same folder, as after a crash: what the earlier ones still write counts no more. */
  restart(options: Partial<EngineOptions> = {}): Engine {
    this.#breakLocks();
    const engine = new Engine({
      store: new SessionStore(this.folder, { version: '1.0.0' }),
      loadConfig: () => Promise.resolve({ config: this.config, problems: this.problems }),
      providers: () => setOf([this.provider, ...this.others]),
      tools: this.tools,
      asker: this.person,
      files: diskFiles,
      ripgrep: undefined,
      env: this.env,
      // Each look at the clock is a millisecond later.
      now: () => new Date(Date.UTC(2026, 7, 17, 12, 0, 0, this.#tick++)),
      ...options,
    });
    this.#engines.push(engine);
    return engine;
  }

  async create(name?: string): Promise<Run> {
    return this.#watch(await this.engine.create(name));
  }

  async open(name: string): Promise<Run> {
    return this.#watch(await this.engine.open(name));
  }

  /** A run whose turn goes on until it is stopped: the model does not answer its prompt. */
  async hanging(): Promise<{ run: Run; done: Promise<TurnStatus> }> {
    this.provider.answer([silence]);
    const run = await this.create();
    const { done } = await run.submit('first');
    await until(() => this.provider.open === 1);
    return { run, done };
  }

  /** The texts that came back to the composer. */
  returned(): string[] {
    return this.events.flatMap((event) => (event.type === 'returned' ? [event.text] : []));
  }

  /** What is durable of a session at this moment. */
  onDisk({ name }: Pick<Run, 'name'>): Promise<Session> {
    return new SessionStore(this.folder, { version: '1.0.0' }).read(name);
  }

  /** The process that held them is dead. */
  #breakLocks(): void {
    const journal = join(this.folder, '.polyglav', 'sessions', '.journal');
    if (!existsSync(journal)) return;
    for (const file of readdirSync(journal)) if (file.includes('.lock.')) rmSync(join(journal, file));
  }

  fileOf(name: string): string {
    return join(this.folder, '.polyglav', 'sessions', `${name}.json`);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#engines.map((engine) => engine.close()));
    await this.#remove();
    for (const provider of [this.provider, ...this.others]) {
      assert.deepEqual(provider.faults, [], 'a request that the strictest provider would refuse');
      assert.equal(provider.open, 0, 'a stream that nobody ended');
    }
  }

  #watch(run: Run): Run {
    run.subscribe((event) => this.events.push(event));
    return run;
  }
}

function setOf(providers: readonly Provider[]): ReturnType<EngineOptions['providers']> {
  return {
    names: () => providers.map(({ name }) => name),
    get(name) {
      const found = providers.find((provider) => provider.name === name);
      if (found === undefined) throw new ProviderError(`There is no provider ${name}.`, { kind: 'bad_request' });
      return found;
    },
  };
}

/** Sends a prompt and waits for the end of its turn. */
export async function turn(run: Run, text = 'Go.'): Promise<TurnStatus> {
  return (await run.submit(text)).done;
}

/** The prompts of all turns. */
export function promptsOf(session: Session): string[] {
  return session.turns.flatMap(({ parts }) => parts.filter((part) => isKind(part, 'user')).map(({ text }) => text));
}

/** The tool parts of the last turn. */
export function callsOf(session: Session): ToolPart[] {
  return session.turns.at(-1)!.parts.filter((part) => isKind(part, 'tool'));
}

/** Waits for a condition; fails when it does not come true within a few seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  while (!(await condition())) {
    assert.ok(performance.now() < end, `it did not happen within 5 s: ${condition.toString()}`);
    await wait(2);
  }
}

/** A promise and the function that settles it. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
