/** The rule that "always" writes: it allows what was asked and nothing else (P3). */
import { shownPath } from './paths.ts';
import type { Call, Verdict } from './policy.ts';

/** A rule of the user for one folder. */
export interface AllowRule {
  tool: string;
  /** Under which key of the tool it stands. */
  under: 'paths' | 'commands';
  pattern: string;
}

/** Where such rules are kept. */
export interface RuleBook {
  /** Settles when the rule is durable and counts from the next call on. Rejects, having changed nothing, with a reason for the person. */
  add(rule: AllowRule): Promise<void>;
}

/** `run_command "git status" allow` */
export function ruleText({ tool, pattern }: AllowRule): string {
  return `${tool} ${JSON.stringify(pattern)} allow`;
}

/** Undefined when no rule can allow the call and nothing but it. */
export function narrowestRule(call: Call, verdict: Verdict): AllowRule | undefined {
  const { tool, workspace } = call;
  if (verdict.action !== 'ask' || verdict.outside || verdict.ask_reason !== undefined) return undefined;
  // What a command does is not told by its folder.
  if (tool.name === 'run_command' || verdict.resolved.size !== 1 || verdict.path === undefined) return undefined;
  return { tool: tool.name, under: 'paths', pattern: escapeGlob(shownPath(workspace, verdict.path)) };
}

/** The glob that matches exactly this text. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}!,]/g, (character) => `\\${character}`);
}
