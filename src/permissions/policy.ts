/**
 * May this call run? (P2, P4, R15) Every rule that matches is gathered, shipped and configured, for each thing that the call would
 * do, and the strictest one holds: deny beats ask beats allow. Nothing that a session's log says is looked at.
 */
import type { PermissionConfig } from '../config/permissionSchema.ts';
import type { Action } from '../session/schema.ts';
import { judgeLine, type CommandWords, type Judgements } from './commandLine.ts';
import { PathError, resolvePath } from './paths.ts';
import { isPrivateAddress } from './privateAddress.ts';
import { READING } from './reading.ts';
import { Rules, strictest, type Judgement } from './rules.ts';
import type { ShellLanguage } from './shell/findings.ts';
import { OUTSIDE, SHELL_LINE, shipped } from './shipped.ts';
import { PathSubject } from './subjects.ts';
import { shorten } from '../text/codePoints.ts';

export type { PermissionConfig };

/** What the policy looks at of a tool. */
interface JudgedTool {
  readonly name: string;
  readonly reads_only: boolean;
  paths(input: Record<string, unknown>, cwd: string): string[];
  commandLine?(input: Record<string, unknown>): string;
  language?(): Promise<ShellLanguage>;
  address?(input: Record<string, unknown>): string;
}

export interface Call {
  tool: JudgedTool;
  input: Record<string, unknown>;
  /** Absolute real path. */
  workspace: string;
  /** Absolute path of where the session's shell stands; the workspace when it is left out. */
  cwd?: string;
}

export interface Verdict {
  action: Action;
  /**
   * `default`, or `<layer>: <rule>` with layer `project`, `user`, `folder` (the user's rules for this folder), or `shipped`; of a
   * command line that several rules allow, all of them.
   */
  by: string;
  /**
   * Only a person may allow it, and only this once, because it leaves the workspace or the public internet (P4), or may turn out to
   * be what a rule denies: neither a grant for the session, nor "always", nor `--yes` answers the question.
   */
  only_once: boolean;
  /**
   * Absolute real path of the first path that the tool names, the one to record (R13); undefined for a tool without paths,
   * and for a path that cannot be looked up.
   */
  path: string | undefined;
  /**
   * Where each path that the tool named led when this was decided, by the path as it was given. Nothing else may be opened for
   * the call (`resolveAsDecided`).
   */
  resolved: ReadonlyMap<string, string>;
  /** For the model, when it is denied and the rule's text does not say enough. */
  denied_reason?: string;
  /** It is denied because a path that the tool named cannot be looked up; the model may give another. */
  unusable?: true;
  /** For the person: why it is asked, when it is not the plain policy; a reason a line, the more telling ones first. */
  ask_reason?: string;
  /** Of a command line the commands that no rule allows. */
  open_commands: readonly CommandWords[];
}

/** How long the reasons of a question may be together: a front end shows what there is room for, and all of it when it is asked for. */
const LONGEST_REASON = 20_000;
/** Likewise of the rules that allow a command line. */
const LONGEST_BY = 400;

/**
 * Decides on a call whose input fits the tool's schema. Reads link targets on the disk, changes nothing and does not throw for
 * anything that a model can send.
 */
export async function decide(call: Call, permissions: PermissionConfig): Promise<Verdict> {
  const { tool, input, workspace } = call;
  const rules = new Rules(permissions);
  const given = tool.paths(input, call.cwd ?? workspace);
  const { resolved, unusable } = await resolveAll(workspace, given);
  const subjects = [...resolved.values()].map((real) => new PathSubject(workspace, real));
  const path = given[0] === undefined ? undefined : resolved.get(given[0]);

  const [folder] = subjects;
  const found =
    tool.commandLine !== undefined && folder !== undefined
      ? await judgeLine(tool.commandLine(input), {
          tool: tool.name,
          folder,
          workspace,
          rules,
          language: await tool.language?.(),
        })
      : tool.address !== undefined
        ? judgeAddress(tool, tool.address(input), rules)
        : await judgePaths(tool, subjects, workspace, rules);
  const judgements = [...unusable, ...found.judgements];
  const { action, by, denied_reason } = strictest(judgements);
  const reasons = judgements
    .filter(({ action: each }) => each === 'ask')
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap(({ ask_reason }) => ask_reason ?? []);
  return {
    action,
    by: action === 'allow' ? allowedBy(judgements) : by,
    only_once: judgements.some(({ only_once }) => only_once === true),
    path,
    resolved,
    ...(denied_reason === undefined ? {} : { denied_reason }),
    ...(unusable.length === 0 ? {} : { unusable: true }),
    ...(action === 'ask' && reasons.length > 0 ? { ask_reason: shorten(distinctLines(reasons), LONGEST_REASON) } : {}),
    open_commands: found.open,
  };
}

/** Of the reasons for a question: what leads outside first, then what a line hides, then the rest. */
function rank({ by }: Judgement): number {
  return by === OUTSIDE || by === PRIVATE ? 0 : by === SHELL_LINE ? 1 : 2;
}

async function resolveAll(
  workspace: string,
  given: readonly string[],
): Promise<{ resolved: Map<string, string>; unusable: Judgement[] }> {
  const resolved = new Map<string, string>();
  const unusable: Judgement[] = [];
  for (const name of given)
    try {
      resolved.set(name, await resolvePath(workspace, name));
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      unusable.push({ action: 'deny', by: UNUSABLE, denied_reason: error.message });
    }
  return { resolved, unusable };
}

/** What cannot be looked up cannot be allowed by anybody. */
export const UNUSABLE = 'shipped: unusable path deny';

async function judgePaths(
  tool: JudgedTool,
  subjects: readonly PathSubject[],
  workspace: string,
  rules: Rules,
): Promise<Judgements> {
  // Looking around inside the workspace and keeping a todo list harm nobody; everything else is the person's to allow.
  const otherwise: Judgement = { action: tool.reads_only ? 'allow' : 'ask', by: 'default' };
  const use = tool.reads_only ? 'read' : 'write';
  const own: Judgement[] = [];
  const configured: Judgement[] = [];
  for (const subject of subjects) {
    own.push(...(await shipped(subject, use, { tool: tool.name, workspace, rules })));
    configured.push(rules.judge(tool.name, (rule) => subject.matches(rule), otherwise));
    if (tool.reads_only && tool.name !== READING)
      configured.push(...rules.holding(READING, (rule) => subject.matches(rule)));
  }
  const whole = subjects.length === 0 ? [rules.judge(tool.name, () => false, otherwise)] : [];
  return { judgements: [...own, ...configured, ...whole], open: [] };
}

const PRIVATE = 'shipped: private address ask';

function judgeAddress(tool: JudgedTool, address: string, rules: Rules): Judgements {
  const configured = rules.judge(tool.name, () => false, { action: 'ask', by: 'default' });
  if (!isPrivateAddress(address)) return { judgements: [configured], open: [] };
  const ask_reason = `an address of this machine or its network: ${address}`;
  const asked: Judgement = { action: 'ask', by: PRIVATE, ask_reason, only_once: true };
  return { judgements: [asked, configured], open: [] };
}

function allowedBy(judgements: readonly Judgement[]): string {
  return shorten([...new Set(judgements.map(({ by }) => by))].join(', '), LONGEST_BY);
}

/** Each once, on a line of its own. */
function distinctLines(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.replaceAll(/\s+/g, ' ')))].join('\n');
}
