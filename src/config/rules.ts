/** The rules of a `permissions` section one by one: how each reads, and where in the section it stands. */
import type { Action } from '../session/schema.ts';
import type { PermissionRules, ToolName, ToolRule } from './permissionSchema.ts';

export interface Rule {
  action: Action;
  /** Undefined for `default`. */
  tool?: ToolName;
  /** Under which key of the tool it stands, and for what; undefined for all calls of the tool. */
  under?: 'paths' | 'commands';
  pattern?: string;
  /** Below the section: `['tools', 'file_edit', 'paths', 'src/**']`. */
  place: readonly string[];
}

/** A rule that allows one path, or one command, and nothing else. */
export interface AllowRule {
  tool: ToolName;
  under: 'paths' | 'commands';
  pattern: string;
}

/** In the order in which they stand. */
export function rulesIn({ default: otherwise, tools = {} }: PermissionRules): Rule[] {
  const named = Object.entries(tools) as [ToolName, ToolRule][];
  return [
    ...(otherwise === undefined ? [] : [{ action: otherwise, place: ['default'] }]),
    ...named.flatMap(([tool, rule]) => rulesFor(tool, rule)),
  ];
}

function rulesFor(tool: ToolName, rule: ToolRule): Rule[] {
  const place = ['tools', tool];
  if (typeof rule !== 'object') return [{ action: rule, tool, place }];
  const patterns = (['paths', 'commands'] as const).flatMap((under) =>
    Object.entries(rule[under] ?? {}).map(([pattern, action]) => ({
      action,
      tool,
      under,
      pattern,
      place: [...place, under, pattern],
    })),
  );
  const { action } = rule;
  return action === undefined ? patterns : [{ action, tool, place: [...place, 'action'] }, ...patterns];
}

/** `run_command "git *" allow`, `file_edit deny`, `default ask` */
export function ruleText({ tool, pattern, action }: Pick<Rule, 'tool' | 'pattern' | 'action'>): string {
  const name = tool ?? 'default';
  return pattern === undefined ? `${name} ${action}` : `${name} ${JSON.stringify(pattern)} ${action}`;
}

/** Every rule that allows something. */
export function allowsIn(rules: PermissionRules): Rule[] {
  return rulesIn(rules).filter(({ action }) => action === 'allow');
}
