/** The rule that "always" writes: it allows what was asked and nothing else (P3). */
import path from 'node:path';

import type { AllowRule } from '../config/rules.ts';
import { TOOL_NAMES, type PermissionConfig } from '../config/permissionSchema.ts';
import type { CommandWords } from './commandLine.ts';
import { narrowestPattern } from './commandPattern.ts';
import { decide, type Call, type Verdict } from './policy.ts';
import { PathSubject } from './subjects.ts';

/** Where such rules are kept. */
export interface RuleBook {
  /**
   * Settles when the rule is durable and counts from the next call on. `before` is awaited when all is ready and the rule does not
   * stand yet. Rejects, having changed nothing, with a reason for the person, or because `before` does.
   */
  add(rule: AllowRule, before: () => Promise<void>): Promise<void>;
}

/**
 * The rule that allows this call and nothing but its like: one path, or one command. Undefined when there is none: what leaves the
 * workspace and what is asked for whatever the rules allow stays a question, and so does a call that needs several rules.
 */
export async function narrowestRule(
  call: Call,
  verdict: Verdict,
  permissions: PermissionConfig,
): Promise<AllowRule | undefined> {
  if (verdict.action !== 'ask' || verdict.only_once) return undefined;
  const rule = candidate(call, verdict);
  if (rule === undefined) return undefined;
  // The policy itself says whether it is enough.
  const rules = { tools: { [rule.tool]: { [rule.under]: { [rule.pattern]: 'allow' } } } };
  const { action } = await decide(call, [...permissions, { layer: 'folder', rules }]);
  return action === 'allow' ? rule : undefined;
}

function candidate({ tool, workspace }: Call, verdict: Verdict): AllowRule | undefined {
  const name = TOOL_NAMES.find((each) => each === tool.name);
  if (name === undefined) return undefined;
  if (tool.commandLine !== undefined) {
    // The rule counts wherever the shell stands, and `./build.sh` is another program in each folder.
    if (verdict.open_commands.some(isNamedByPlace)) return undefined;
    // Of several the person would allow one and think of all.
    const patterns = new Set(verdict.open_commands.map(narrowestPattern));
    const [pattern] = patterns;
    return pattern === undefined || patterns.size > 1 ? undefined : { tool: name, under: 'commands', pattern };
  }
  if (verdict.resolved.size !== 1 || verdict.path === undefined) return undefined;
  return { tool: name, under: 'paths', pattern: escapeGlob(new PathSubject(workspace, verdict.path).relative) };
}

function isNamedByPlace([program]: CommandWords): boolean {
  return typeof program === 'string' && /[\\/]/.test(program) && !path.isAbsolute(program);
}

/** The glob that matches exactly this text. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}!,]|^~/g, (character) => `\\${character}`);
}
