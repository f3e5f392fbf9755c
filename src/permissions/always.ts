/** The rule that "always" writes: it allows what was asked and nothing else (P3). */
import path from 'node:path';

import type { AllowRule } from '../config/rules.ts';
import { TOOL_NAMES, type PermissionConfig } from '../config/permissionSchema.ts';
import type { CommandWords } from './commandLine.ts';
import { narrowestPattern } from './commandPattern.ts';
import { decide, type Call, type Verdict } from './policy.ts';
import { PathSubject } from './subjects.ts';
import { shorten } from '../text/codePoints.ts';

/** Where such rules are kept. */
export interface RuleBook {
  /**
   * Settles when the rule is durable and counts from the next call on. `before` is awaited when all is ready and the rule does not
   * stand yet. Rejects, having changed nothing, with a reason for the person, or because `before` does.
   */
  add(rule: AllowRule, before: () => Promise<void>): Promise<void>;
}

/** What "always" can offer for a call; `none` completes "not offered: …", for the person. */
export type Narrowest = { rule: AllowRule } | { none: string };

/**
 * The rule that allows this call, which is asked for, and nothing but its like: one path, or one command. There is none where the
 * call leaves the workspace, is asked for whatever the rules allow, or needs several rules.
 */
export async function narrowestRule(call: Call, verdict: Verdict, permissions: PermissionConfig): Promise<Narrowest> {
  if (verdict.only_once) return WHATEVER;
  const found = candidate(call, verdict);
  if ('none' in found) return found;
  const { rule } = found;
  // The policy itself says whether it is enough.
  const rules = { tools: { [rule.tool]: { [rule.under]: { [rule.pattern]: 'allow' } } } };
  const { action, by } = await decide(call, [...permissions, { layer: 'folder', rules }]);
  if (action === 'allow') return found;
  return by.startsWith('shipped:') ? WHATEVER : { none: `another rule would ask all the same, ${by}` };
}

const WHATEVER: Narrowest = { none: 'this is asked whatever the rules allow' };
const LONGEST_NAME = 60;

function candidate({ tool, workspace }: Call, { open_commands, resolved, path: real }: Verdict): Narrowest {
  const name = TOOL_NAMES.find((each) => each === tool.name);
  if (name === undefined) return { none: `no rule can name ${tool.name}` };
  if (tool.commandLine !== undefined) {
    // The rule counts wherever the shell stands, and `./build.sh` is another program in each folder.
    const [placed] = open_commands.flatMap(programNamedByPlace);
    if (placed !== undefined)
      return { none: `${shorten(placed, LONGEST_NAME)} is another program in each folder that the shell stands in` };
    // Of several the person would allow one and think of all.
    const patterns = new Set(open_commands.map(narrowestPattern));
    const [pattern] = patterns;
    if (patterns.size > 1) return { none: 'each command of this line would need a rule' };
    if (patterns.size === 0) return WHATEVER;
    return pattern === undefined
      ? { none: 'no rule can say this command word by word' }
      : { rule: { tool: name, under: 'commands', pattern } };
  }
  if (resolved.size !== 1 || real === undefined) return { none: `a rule for ${name} can only be for all its calls` };
  const pattern = escapeGlob(new PathSubject(workspace, real).relative);
  return { rule: { tool: name, under: 'paths', pattern } };
}

function programNamedByPlace([program]: CommandWords): string[] {
  return typeof program === 'string' && /[\\/]/.test(program) && !path.isAbsolute(program) ? [program] : [];
}

/** The glob that matches exactly this text. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}!,]|^~/g, (character) => `\\${character}`);
}
