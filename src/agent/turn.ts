/**
 * One turn: request → stream → log → tools → again (design: One turn). It appends to the log and returns how the turn ended;
 * the run writes the end. The call and the decision on it are on the disk before a tool runs (R6).
 */
import { messagesOf } from '../context/messages.ts';
import type { Asker } from '../permissions/ask.ts';
import {
  ProviderError,
  type FinishReason,
  type Provider,
  type StreamedCall,
  type TokenUsage,
} from '../providers/provider.ts';
import { deeperThan } from '../session/depth.ts';
import { runningTurn } from '../session/reduce.ts';
import {
  timestampOf,
  type ErrorEntry,
  type ToolPart,
  type Turn,
  type TurnStatus,
  type Usage,
} from '../session/schema.ts';
import { MOST_ARGUMENT_LEVELS } from '../tools/input.ts';
import { toolDefinition } from '../tools/definition.ts';
import type { Tool } from '../tools/tool.ts';
import { runCall, type CallContext } from './call.ts';
import type { Log } from './log.ts';
import { modeInstruction, type Mode } from './modes.ts';
import type { Secrets } from './secrets.ts';
import { Stopped } from './stopped.ts';

/** What does not change while a turn runs. */
export interface TurnPlan {
  provider: Provider;
  model: string;
  mode: Mode;
  tools: Tool[];
  reasoning: string | boolean | undefined;
  max_output_tokens: number | undefined;
  system_prompt: string;
  max_rounds: number;
  /** What must not reach the log or the panel. */
  secrets: Secrets;
}

export interface Ending {
  status: Exclude<TurnStatus, 'running'>;
  usage?: Usage;
  /** Goes to the session's `errors` (R12). */
  error?: Pick<ErrorEntry, 'code' | 'message'>;
}

export interface TurnEnvironment {
  log: Log;
  now(): Date;
  asker: Asker;
  /** Settles when the next piece of an answer may come. */
  pace(): Promise<void> | undefined;
  call: Omit<CallContext, 'log' | 'now' | 'asker' | 'signal' | 'secrets' | 'tools'>;
  /** Aborted with a {@link Stopped} the turn ends as cancelled, with any other reason as failed by that. */
  signal: AbortSignal;
}

/** What one request brought, already in the log. */
interface Answer {
  reason: FinishReason;
  text: boolean;
  /** Positions of the calls in the turn's parts, in the stream's order. */
  calls: { position: number; call: StreamedCall }[];
}

export async function runTurn(plan: TurnPlan, environment: TurnEnvironment): Promise<Ending> {
  const loop = new TurnLoop(plan, environment);
  const ending = await loop.run();
  const usage = loop.usage();
  return usage === undefined ? ending : { ...ending, usage };
}

class TurnLoop {
  readonly #plan: TurnPlan;
  readonly #environment: TurnEnvironment;
  #usage: (Usage & { requests: number }) | undefined;

  constructor(plan: TurnPlan, environment: TurnEnvironment) {
    this.#plan = plan;
    this.#environment = environment;
  }

  /** Sums over the turn's requests; `context_tokens` is the size of the context after the last one. */
  usage(): Usage | undefined {
    return this.#usage;
  }

  async run(): Promise<Ending> {
    const { signal } = this.#environment;
    try {
      for (let round = 1; round <= this.#plan.max_rounds; round++) {
        signal.throwIfAborted();
        const answer = await this.#request(round);
        if (answer.reason === 'length') return await this.#cutOff(answer);
        if (answer.reason === 'content_filter') return await this.#filtered(answer);
        if (answer.calls.length === 0) return answer.text ? { status: 'ok' } : emptyAnswer();
        for (const { position, call } of answer.calls) await this.#runCall(position, call);
      }
      const most = this.#plan.max_rounds;
      const message = `Stopped after ${most} round${most === 1 ? '' : 's'} of tool calls, the most that one turn may have. Send a message to go on.`;
      return { status: 'error', error: { code: 0, message } };
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #request(round: number): Promise<Answer> {
    const { log, signal } = this.#environment;
    const writer = new AnswerWriter(this.#environment, this.#plan, round);
    const stream = this.#plan.provider.stream({
      model: this.#plan.model,
      messages: messagesOf(log.session, {
        system_prompt: this.#plan.system_prompt,
        provider: this.#plan.provider.name,
        modeInstruction,
      }),
      tools: this.#plan.tools.map(toolDefinition),
      reasoning: this.#plan.reasoning,
      max_output_tokens: this.#plan.max_output_tokens,
      signal,
    });
    for await (const event of stream) {
      signal.throwIfAborted();
      if (event.type === 'thinking' || event.type === 'text') {
        await writer.write(event.type, event.text);
        await this.#environment.pace();
      } else {
        this.#count(event.usage);
        return await writer.finish(event);
      }
    }
    throw new ProviderError('The answer ended without an end.', { kind: 'malformed' });
  }

  #count(usage: TokenUsage | undefined): void {
    if (usage === undefined) return;
    const total = (this.#usage ??= { requests: 0 });
    total.requests++;
    for (const key of ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens'] as const) {
      const count = usage[key];
      if (count !== undefined) total[key] = (total[key] ?? 0) + count;
    }
    if (usage.input_tokens !== undefined) total['context_tokens'] = usage.input_tokens + (usage.output_tokens ?? 0);
  }

  async #runCall(position: number, call: StreamedCall): Promise<void> {
    const { signal, log, now, asker } = this.#environment;
    const context: CallContext = {
      ...this.#environment.call,
      log,
      now,
      asker,
      signal,
      tools: this.#plan.tools,
      secrets: this.#plan.secrets,
    };
    const fill = signal.aborted ? { output: STOPPED, is_error: true } : await runCall(position, call, context);
    await log.append({ type: 'part_filled', at: timestampOf(now()), part: position, fill });
  }

  /** A call that the output limit cut off is never run: its arguments may be whole JSON and still not what was meant. */
  async #cutOff(answer: Answer): Promise<Ending> {
    await this.#refuseCalls(
      answer,
      'Not run: the answer was cut off by the output limit, so this call may be incomplete.',
    );
    const message =
      'The answer was cut off by the output limit. Ask to go on, or raise max_output_tokens for this model.';
    return { status: 'truncated', error: { code: 0, message } };
  }

  async #filtered(answer: Answer): Promise<Ending> {
    await this.#refuseCalls(answer, "Not run: the provider's content filter stopped the answer.");
    return {
      status: 'error',
      error: { code: 0, message: "The provider's content filter stopped the answer. Put the request in other words." },
    };
  }

  async #refuseCalls(answer: Answer, output: string): Promise<void> {
    const { log, now } = this.#environment;
    for (const { position } of answer.calls)
      await log.append({
        type: 'part_filled',
        at: timestampOf(now()),
        part: position,
        fill: { output, is_error: true },
      });
  }

  #failed(error: unknown): Ending {
    const { signal } = this.#environment;
    // What an abort makes others throw may say nothing of why; the signal's reason does.
    const cause: unknown = signal.aborted ? signal.reason : error;
    if (cause instanceof Stopped) return { status: 'cancelled' };
    const message = cause instanceof Error ? cause.message : String(cause);
    return { status: 'error', error: { code: cause instanceof ProviderError ? cause.status : 0, message } };
  }
}

const STOPPED = 'Not run: the turn was stopped.';

function emptyAnswer(): Ending {
  return {
    status: 'empty',
    error: { code: 0, message: 'The model answered with nothing. Send the message again, or choose another model.' },
  };
}

/** Writes one answer into the log as it arrives. */
class AnswerWriter {
  readonly #environment: TurnEnvironment;
  readonly #plan: TurnPlan;
  readonly #round: number;
  #open: 'thinking' | 'text' | undefined;
  /** White space before the first visible character of a part is not worth a part. */
  readonly #blank = { thinking: '', text: '' };
  #text = false;
  #lastThinking: number | undefined;

  constructor(environment: TurnEnvironment, plan: TurnPlan, round: number) {
    this.#environment = environment;
    this.#plan = plan;
    this.#round = round;
  }

  async write(type: 'thinking' | 'text', piece: string): Promise<void> {
    const at = timestampOf(this.#environment.now());
    if (this.#open === type) return this.#environment.log.append({ type: 'part_extended', at, text: piece });
    const text = this.#blank[type] + piece;
    if (text.trim() === '') {
      this.#blank[type] = text;
      return;
    }
    this.#blank[type] = '';
    this.#open = type;
    if (type === 'text') this.#text = true;
    if (type === 'thinking') this.#lastThinking = this.#turn().parts.length;
    await this.#environment.log.append({ type: 'part_added', at, part: { type, text, timestamp: at } });
  }

  async finish(event: {
    reason: FinishReason;
    calls: StreamedCall[];
    thinking_data?: Record<string, unknown>;
  }): Promise<Answer> {
    await this.#fillThinking(event.thinking_data);
    const calls: Answer['calls'] = [];
    const at = timestampOf(this.#environment.now());
    const written: Promise<void>[] = [];
    for (const call of event.calls) {
      calls.push({ position: this.#turn().parts.length, call });
      written.push(this.#environment.log.append({ type: 'part_added', at, part: this.#toolPart(call, at) }));
    }
    await Promise.all(written);
    return { reason: event.reason, text: this.#text, calls };
  }

  async #fillThinking(data: Record<string, unknown> | undefined): Promise<void> {
    if (data === undefined) return;
    const at = timestampOf(this.#environment.now());
    const provider_data = { provider: this.#plan.provider.name, ...data };
    const position = this.#lastThinking;
    if (position !== undefined)
      await this.#environment.log.append({ type: 'part_filled', at, part: position, fill: { provider_data } });
    else
      await this.#environment.log.append({
        type: 'part_added',
        at,
        part: { type: 'thinking', text: '', timestamp: at, provider_data },
      });
  }

  #toolPart(call: StreamedCall, at: string): ToolPart {
    return {
      type: 'tool',
      name: call.name,
      input: objectOf(call.arguments) ?? {},
      timestamp: at,
      round: this.#round,
      provider_data: { provider: this.#plan.provider.name, ...(call.id === null ? {} : { id: call.id }), ...call.data },
    };
  }

  #turn(): Turn {
    const turn = runningTurn(this.#environment.log.session);
    if (turn === undefined) throw new Error('no running turn');
    return turn;
  }
}

/** The arguments when they are a JSON object that a record can hold; some providers send nothing for a call without arguments. */
function objectOf(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (deeperThan(value, MOST_ARGUMENT_LEVELS)) return undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
