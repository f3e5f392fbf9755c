/**
 * One tool call: check the arguments, resolve the policy, ask if need be, write the decision down, run. What comes back fills
 * the call's part; a call that is declined, denied, unknown or malformed has a result like any other.
 */
import { ruleText, type AllowRule } from '../config/rules.ts';
import { narrowestRule, type Narrowest, type RuleBook } from '../permissions/always.ts';
import type { AskAnswer, Asker, PermissionAsk, ProposedChange } from '../permissions/ask.ts';
import { scopeText, type SessionGrants } from '../permissions/grants.ts';
import { resolveAsDecided } from '../permissions/paths.ts';
import { decide, type Call, type PermissionConfig, type Verdict } from '../permissions/policy.ts';
import { readingRules } from '../permissions/reading.ts';
import type { StreamedCall } from '../providers/provider.ts';
import type { PartFill } from '../session/events.ts';
import { runningTurn } from '../session/reduce.ts';
import { timestampOf, type Decision } from '../session/schema.ts';
import { sentence } from '../text/sentence.ts';
import { oneLine } from '../text/codePoints.ts';
import { parseInput } from '../tools/input.ts';
import type { FileAccess, Tool, ToolContext } from '../tools/tool.ts';
import type { Log } from './log.ts';
import type { Secrets } from './secrets.ts';
import { ShownFiles } from './shownFiles.ts';

export interface CallContext {
  log: Log;
  now(): Date;
  asker: Asker;
  /** The tools that the model was offered. */
  tools: readonly Tool[];
  /** The rules of the moment at which it is called. */
  permissions(): Promise<PermissionConfig>;
  grants: SessionGrants;
  rules: RuleBook | undefined;
  /** The workspace is not trusted: no rule allows anything (P5). */
  restricted: boolean;
  /** For the person, said once and not kept. */
  onProblem(message: string): void;
  tool: Omit<ToolContext, 'signal' | 'onOutput' | 'resolve' | 'holdsKey' | 'reading'>;
  signal: AbortSignal;
  /** What must not be shown of a running call's output, and in a question that the panel shows too. */
  secrets: Secrets;
  /** A piece of the running call's output, for the front end. Settles when the next one may come. */
  onOutput(part: number, piece: string): Promise<void> | undefined;
  /** Makes the id of an ask. */
  askId(): string;
}

type Input = Record<string, unknown>;

export async function runCall(position: number, call: StreamedCall, context: CallContext): Promise<PartFill> {
  const tool = context.tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    const known = context.tools.map((candidate) => candidate.name).join(', ');
    return failure(`There is no tool ${JSON.stringify(oneLine(call.name, 100))} here. The tools are: ${known}.`);
  }
  const parsed = parseInput(tool, call.arguments);
  if ('error' in parsed) return failure(parsed.error);
  const cwd = await context.tool.shell.folder();
  const resolution = new Resolution(tool, parsed.input, position, cwd, context);
  const refused = await resolution.resolve();
  if (refused !== undefined) return failure(refused);
  // Stop may have come while the decision was being written.
  if (context.signal.aborted) return failure('Not run: the turn was stopped.');
  return execute(tool, parsed.input, resolution.toolContext(), context);
}

async function execute(tool: Tool, input: Input, toolContext: ToolContext, context: CallContext): Promise<PartFill> {
  try {
    const result = await tool.execute(input, toolContext);
    return { ...result, is_error: result.is_error ?? false };
  } catch (error) {
    if (context.signal.aborted) return failure('Stopped before it finished.');
    return failure(failed(tool, error));
  }
}

/** The way from the policy to a recorded decision. */
class Resolution {
  readonly #tool: Tool;
  readonly #input: Input;
  readonly #position: number;
  readonly #cwd: string;
  readonly #context: CallContext;
  /** Those that the call is decided by. */
  #rules: PermissionConfig = [];
  /** Where each path of the call led when it was decided. */
  #paths: Verdict['resolved'] = new Map();

  /** What the tool gets: after a question, only for the change that was shown with it. */
  #files: FileAccess;

  constructor(tool: Tool, input: Input, position: number, cwd: string, context: CallContext) {
    this.#tool = tool;
    this.#input = input;
    this.#position = position;
    this.#cwd = cwd;
    this.#context = context;
    this.#files = context.tool.files;
  }

  /** Undefined when the call may run, which is then on record; else what to tell the model. */
  async resolve(): Promise<string | undefined> {
    this.#rules = await this.#context.permissions();
    const verdict = await decide(this.#call(), this.#rules);
    this.#paths = verdict.resolved;
    if (verdict.action === 'deny') {
      await this.#record(verdict, 'denied', verdict.by);
      const why = verdict.denied_reason ?? verdict.by;
      if (verdict.unusable === true) return failed(this.#tool, new Error(why));
      return `Denied by the permission rules: ${why}. Do not try it in another way.`;
    }
    if (verdict.action === 'allow') {
      await this.#record(verdict, 'granted', verdict.by);
      return undefined;
    }
    if (this.#context.grants.covers(this.#call(), verdict)) {
      await this.#record({ ...verdict, action: 'allow' }, 'granted', 'session');
      return undefined;
    }
    return this.#ask(verdict);
  }

  /** What the tool gets: its paths lead where they led when the call was decided, or nowhere. */
  toolContext(): ToolContext {
    const { tool, signal, secrets, onOutput } = this.#context;
    const redact = secrets.inPieces();
    return {
      ...tool,
      files: this.#files,
      signal,
      resolve: (given) => resolveAsDecided(tool.workspace, given, this.#paths.get(given)),
      reading: readingRules(tool.workspace, this.#rules),
      holdsKey: (text) => secrets.redact(text) !== text,
      onOutput: (piece) => {
        const clean = redact.push(piece);
        return clean === '' ? undefined : onOutput(this.#position, clean);
      },
    };
  }

  #call(): Call {
    return { tool: this.#tool, input: this.#input, workspace: this.#context.tool.workspace, cwd: this.#cwd };
  }

  async #ask(verdict: Verdict): Promise<string | undefined> {
    const { asker, signal, grants, tool } = this.#context;
    const shown = new ShownFiles();
    let change: ProposedChange | undefined;
    try {
      change = await this.#tool.preview?.(this.#input, { ...this.toolContext(), files: shown.keeping(tool.files) });
    } catch (error) {
      // The call would fail in the same way: the person is not asked for it, and nothing was decided. But the error tells what
      // is there; where the model may not read that unasked, the person is asked first, without a diff.
      const reading = readingRules(tool.workspace, this.#rules);
      if ([...this.#paths.values()].every((real) => reading(real) === 'allow')) return failed(this.#tool, error);
    }
    if (this.#tool.preview !== undefined) this.#files = shown.holding(tool.files);
    const narrowest = await this.#narrowest(verdict);
    const question = this.#question(verdict, change, narrowest);
    const answer = await asker.ask(question, signal);
    if (signal.aborted) {
      await this.#record(verdict, 'declined', 'withdrawn');
      return 'Not run: the turn was stopped while the person was asked.';
    }
    // What allows more than this call does not count where only a person may allow it, whatever a front end says (P4).
    const granted = answer.answer === 'once' || (BROAD.has(answer.answer) && !verdict.only_once);
    if (granted && answer.answer === 'always') await this.#always(verdict, narrowest);
    else await this.#record(verdict, granted ? 'granted' : 'declined', BY[answer.answer]);
    // What is not on record allows nothing.
    if (granted && answer.answer === 'session') grants.add(this.#call(), verdict);
    return granted ? undefined : declined(answer);
  }

  /**
   * Records the answer, then has the rule stand. Where it cannot be written, the person has allowed this call alone, which is what
   * is recorded, and is told so.
   */
  async #always(verdict: Verdict, narrowest: Narrowest): Promise<void> {
    const { rules, onProblem } = this.#context;
    let recorded: Promise<void> | undefined;
    const record = (by: string) => (recorded = this.#record(verdict, 'granted', by));
    if ('none' in narrowest || rules === undefined) return record(BY.once);
    const { rule } = narrowest;
    try {
      await rules.add(rule, () => record(BY.always));
    } catch (error) {
      // What went wrong may be that.
      await recorded;
      const why = sentence(error instanceof Error ? error.message : String(error));
      onProblem(`The rule ${allowText(rule)} could not be written, so this call alone was allowed. ${why}`);
    }
    await (recorded ?? record(BY.once));
  }

  /** What "always" would write; no key goes into a file by a rule (R15). */
  async #narrowest(verdict: Verdict): Promise<Narrowest> {
    const { rules, restricted, secrets } = this.#context;
    if (restricted) return { none: RESTRICTED };
    if (rules === undefined) return { none: 'there is no place to keep a rule' };
    const found = await narrowestRule(this.#call(), verdict, this.#rules);
    if ('none' in found || secrets.redact(found.rule.pattern) === found.rule.pattern) return found;
    return { none: 'the rule would hold a key' };
  }

  #question(verdict: Verdict, change: ProposedChange | undefined, narrowest: Narrowest): PermissionAsk {
    const { secrets } = this.#context;
    const words = this.#tool.words(this.#input);
    const scope = scopeText(this.#call(), verdict);
    const shown = secrets.redactAll({
      title: words.title,
      ...(words.detail === undefined ? {} : { detail: words.detail }),
      ...(verdict.path === undefined ? {} : { path: verdict.path }),
      ...(verdict.ask_reason === undefined ? {} : { reason: verdict.ask_reason }),
      ...(scope === undefined ? {} : { scope }),
      ...('none' in narrowest ? { no_rule: narrowest.none } : {}),
    });
    return {
      ...shown,
      id: this.#context.askId(),
      session: this.#context.log.session.session_name,
      tool: this.#tool.name,
      only_once: verdict.only_once,
      ...('rule' in narrowest ? { rule: allowText(narrowest.rule) } : {}),
      ...(change === undefined ? {} : { change }),
    };
  }

  async #record(verdict: Verdict, decision: Decision, by: string): Promise<void> {
    const { log, now } = this.#context;
    const at = timestampOf(now());
    const turn = runningTurn(log.session);
    await log.append({
      type: 'permission',
      at,
      entry: {
        tool: this.#tool.name,
        action: verdict.action,
        decision,
        ...(verdict.path === undefined ? {} : { path: verdict.path }),
        timestamp: at,
        ...(turn === undefined ? {} : { turn: turn.index, part: this.#position + 1 }),
        by,
      },
    });
  }
}

const BY: Record<AskAnswer['answer'], string> = {
  once: 'once',
  session: 'session',
  always: 'always',
  refused: 'refused',
  dismissed: 'dismissed',
  no_terminal: 'no terminal',
  yes_flag: '--yes',
};

const RESTRICTED = 'the folder is in Restricted Mode, where no rule allows anything, not even one of yours';

function allowText(rule: AllowRule): string {
  return ruleText({ ...rule, action: 'allow' });
}

/** The answers that allow more than one call. */
const BROAD: ReadonlySet<AskAnswer['answer']> = new Set(['session', 'always', 'yes_flag']);

/** Code points of a person's word to the model. */
const MAX_NOTE = 2000;

function declined(answer: AskAnswer): string {
  if (answer.answer === 'no_terminal')
    return 'Declined: nobody can be asked for permission here. Go on without it, or say what you would need.';
  if (answer.answer === 'refused' && answer.note !== undefined)
    return `The person declined this call and said: "${oneLine(answer.note, MAX_NOTE)}" Go by that; do not try the same in another way.`;
  return 'The person declined this call. Do not try it in another way; go on without it, or ask what they want instead.';
}

function failed(tool: Tool, error: unknown): string {
  return `${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`;
}

function failure(output: string): PartFill {
  return { output, is_error: true };
}
