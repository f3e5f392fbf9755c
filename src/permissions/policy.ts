/**
 * May this call run? (P2, P4, R15) Every rule that matches is gathered and the strictest one holds: deny beats ask beats allow.
 * Nothing that a session's log says is looked at.
 */
import path from 'node:path';

import type { PermissionConfig, PermissionRules } from '../config/schema.ts';
import { ACTIONS, type Action } from '../session/schema.ts';
import { isInside, PathError, resolvePath, shownPath } from './paths.ts';
import { mayHoldSecrets, SECRET_GLOB } from './secretFiles.ts';

export type { PermissionConfig };

/** What the policy looks at of a tool. */
interface JudgedTool {
  readonly name: string;
  readonly reads_only: boolean;
  paths(input: Record<string, unknown>, cwd: string): string[];
  commandLine?(input: Record<string, unknown>): string;
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
  /** `default`, or `<layer>: <rule>` with layer `project`, `user`, or `shipped` for what no configuration lifts. */
  by: string;
  /** A path of the call is outside the workspace: neither a grant for the session nor `--yes` answers the question (P4). */
  outside: boolean;
  /**
   * Absolute real path of the first path that the tool names, the one to record (R13); undefined for a tool without paths,
   * and for a path that cannot be resolved: such a call fails with that error before it opens anything.
   */
  path: string | undefined;
  /**
   * Where each path that the tool named led when this was decided, by the path as it was given. Nothing else may be opened for
   * the call (`resolveAsDecided`).
   */
  resolved: ReadonlyMap<string, string>;
  /** For the model, when a shipped rule denies. */
  denied_reason?: string;
  /** For the person, when the call is asked whatever the configuration allows. */
  ask_reason?: string;
}

type Judgement = Pick<Verdict, 'action' | 'by' | 'denied_reason' | 'ask_reason'>;

/**
 * Decides on a call whose input fits the tool's schema. Reads link targets on the disk, changes nothing and does not throw for
 * anything that a model can send.
 */
export async function decide(call: Call, permissions: PermissionConfig): Promise<Verdict> {
  const given = call.tool.paths(call.input, call.cwd ?? call.workspace);
  const resolved = new Map<string, string>();
  for (const name of given) {
    const real = await realPathOf(call.workspace, name);
    if (real !== undefined) resolved.set(name, real);
  }
  const paths = [...resolved.values()];
  const judgements = [...(await shipped(call, paths)), configured(call.tool, permissions)] as const;
  return {
    ...strictest(judgements),
    outside: paths.some((real) => !isInside(call.workspace, real)),
    path: given[0] === undefined ? undefined : resolved.get(given[0]),
    resolved,
  };
}

/**
 * Whether the model may see, without a question, what is at these absolute real paths: whether `file_read` of them is allowed.
 * For texts that quote a file or name its neighbours.
 */
export async function mayRead(
  paths: readonly string[],
  workspace: string,
  permissions: PermissionConfig,
): Promise<boolean> {
  const tool = { name: 'file_read', reads_only: true, paths: () => [...paths] };
  return (await decide({ tool, input: {}, workspace }, permissions)).action === 'allow';
}

async function realPathOf(workspace: string, given: string): Promise<string | undefined> {
  try {
    return await resolvePath(workspace, given);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** Of equally strict ones the first, which is the more telling one. */
function strictest(judgements: readonly [...Judgement[], Judgement]): Judgement {
  return judgements.reduce((strict, next) =>
    ACTIONS.indexOf(next.action) > ACTIONS.indexOf(strict.action) ? next : strict,
  );
}

/** Of each layer its rule for the tool, else its `default`; so no layer lifts, by naming a tool, what another one holds for all. */
function configured(tool: JudgedTool, permissions: PermissionConfig): Judgement {
  const [first, ...others] = permissions.flatMap(({ layer, rules }) => {
    const named = actionFor(tool, rules);
    return named === undefined ? judge(layer, 'default', rules.default) : judge(layer, tool.name, named);
  });
  // Looking around inside the workspace and keeping a todo list harm nobody; everything else is the person's to allow.
  return first === undefined
    ? { action: tool.reads_only ? 'allow' : 'ask', by: 'default' }
    : strictest([...others, first]);
}

function actionFor(tool: JudgedTool, rules: PermissionRules): Action | undefined {
  const rule = (rules.tools as Readonly<Record<string, Action | { action: Action }>> | undefined)?.[tool.name];
  return typeof rule === 'object' ? rule.action : rule;
}

function judge(layer: string, name: string, action: Action | undefined): Judgement[] {
  return action === undefined ? [] : [{ action, by: `${layer}: ${name} ${action}` }];
}

/** What holds whatever is configured. */
async function shipped({ tool, workspace }: Call, paths: readonly string[]): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  if (!tool.reads_only)
    for (const { folder, reason } of CLOSED_FOLDERS)
      if (await touches(folder, workspace, paths))
        judgements.push({ action: 'deny', by: `shipped: ${folder}/ deny`, denied_reason: reason });
  for (const real of paths) {
    const shown = shownPath(workspace, real);
    if (!isInside(workspace, real))
      judgements.push({ action: 'ask', by: 'shipped: outside ask', ask_reason: `outside the workspace: ${real}` });
    else if (mayHoldSecrets(shown))
      judgements.push({
        action: 'ask',
        by: `shipped: ${SECRET_GLOB} ask`,
        ask_reason: `may hold passwords and keys: ${shown}`,
      });
  }
  return judgements;
}

const CLOSED_FOLDERS = [
  { folder: '.polyglav', reason: 'tools may not write inside .polyglav/, which is the record' },
  { folder: '.git', reason: 'tools may not write inside .git/; use git commands instead' },
] as const;

/** By name, in whatever folder, and also where the workspace's own one is a link to a folder of another name. */
async function touches(folder: string, workspace: string, paths: readonly string[]): Promise<boolean> {
  if (paths.some((real) => namesIn(workspace, real).includes(folder))) return true;
  const own = await realPathOf(workspace, folder);
  return own !== undefined && paths.some((real) => isInside(own, real));
}

/** The names that make up a path, below the workspace or else from the root; in lower case, since many disks do not tell it. */
function namesIn(workspace: string, real: string): string[] {
  const below = isInside(workspace, real) ? path.relative(workspace, real) : real;
  return below.toLowerCase().split(path.sep);
}
