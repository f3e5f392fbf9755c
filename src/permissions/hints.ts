/**
 * What is worth a word to the author of a rule: that it matches less than it seems to, or allows nothing. Such a rule counts as it is
 * written all the same. Where it may be meant so, as with another rule beside it for what it leaves out, nothing is said.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';

import type { PermissionLayer, PermissionRules } from '../config/permissionSchema.ts';
import { rulesIn, type Rule } from '../config/rules.ts';
import { ACTIONS, type Action } from '../session/schema.ts';
import { parseCommandPattern } from './commandPattern.ts';
import { isNamed } from './names.ts';
import { isInside } from './paths.ts';
import { secretKinds } from './secretFiles.ts';
import { namesIn } from './subjects.ts';

export interface Hint {
  /** Of the rule, below its section. */
  place: readonly string[];
  /** Follows the rule's key. */
  message: string;
}

/** A rule for paths or commands. */
type PatternRule = Rule & Required<Pick<Rule, 'tool' | 'under' | 'pattern'>>;

interface Context {
  layer: PermissionLayer;
  /** Absolute real path. */
  workspace: string;
  /** All rules of the section. */
  all: readonly Rule[];
}

const WRITING: readonly string[] = ['file_write', 'file_edit'];
/** What they are called for may be a folder itself. */
const FOR_FOLDERS: readonly string[] = ['file_list', 'file_search'];

/** In the order of the rules; one for each at most. Links and the content of files are not looked at. */
export async function ruleHints(layer: PermissionLayer, rules: PermissionRules, workspace: string): Promise<Hint[]> {
  const context = { layer, workspace, all: rulesIn(rules) };
  const found = await Promise.all(
    context.all.filter(hasPattern).map(async (rule) => {
      const message =
        beaten(rule, context) ??
        withoutEffect(rule, context) ??
        commandAlone(rule, context) ??
        (await folderAlone(rule, context));
      return message === undefined ? [] : [{ place: rule.place, message }];
    }),
  );
  return found.flat();
}

function hasPattern(rule: Rule): rule is PatternRule {
  return rule.pattern !== undefined;
}

/** What stands beside an exception and goes before it. */
function beaten(rule: PatternRule, { all }: Context): string | undefined {
  if (rule.action !== 'allow') return undefined;
  const wider = around(rule, all).find(({ action }) => action !== 'allow');
  if (wider === undefined) return undefined;
  const { pattern, action } = wider;
  const instead = pattern === '**' || pattern === '*' ? ` Write "action": "${action}" in place of that.` : '';
  return `has no effect: ${JSON.stringify(pattern)} beside it matches the same, and ${action} goes before allow.${instead}`;
}

/** What no rule allows, or none that stands here. */
function withoutEffect(
  { action, tool, under, pattern }: PatternRule,
  { layer, workspace }: Context,
): string | undefined {
  if (action !== 'allow' || under !== 'paths') return undefined;
  if (isOutside(pattern, workspace))
    return 'has no effect here: what is outside the workspace is asked each time, whatever a rule allows.';
  const names = namesIn(pattern);
  if (WRITING.includes(tool) && names.some((name) => isNamed(name, '.polyglav')))
    return 'has no effect: nothing may be written in .polyglav/, which holds the record.';
  const isGit = tool !== 'file_read' && !FOR_FOLDERS.includes(tool) && names.some((name) => isNamed(name, '.git'));
  const lifts = isGit || secretKinds(names.join('/')).length > 0;
  if (lifts && layer === 'project')
    return "has no effect in a project's file: only a rule in your own file lifts what holds for this path.";
  if (tool === 'run_command' && !lifts)
    return 'has no effect: a rule for paths allows no command. Commands are allowed under "commands".';
  return undefined;
}

function commandAlone(rule: PatternRule, { all }: Context): string | undefined {
  const { action, under, pattern } = rule;
  if (action === 'allow' || under !== 'commands' || isOpen(pattern)) return undefined;
  const wide = `${pattern} *`;
  if (beside(rule, all).some((other) => other.pattern === wide)) return undefined;
  return isAtLeast(otherwise(rule, all), action)
    ? undefined
    : `matches the command without further words only. Write ${JSON.stringify(wide)} for it with or without them.`;
}

async function folderAlone(rule: PatternRule, { all, layer, workspace }: Context): Promise<string | undefined> {
  const { action, tool, under, pattern } = rule;
  if (under !== 'paths' || /[*?[\]{}\\]/.test(pattern) || (action === 'allow' && FOR_FOLDERS.includes(tool)))
    return undefined;
  const wide = pattern === '.' ? '**' : `${pattern.replace(/\/$/, '')}/**`;
  if (beside(rule, all).some((other) => other.pattern === wide)) return undefined;
  const inside = otherwise(rule, all);
  if (action === 'allow' ? inside === 'allow' : isAtLeast(inside, action)) return undefined;
  const real = path.resolve(workspace, pattern);
  // What somebody else names is not touched where it leads elsewhere.
  if (layer === 'project' && !isInside(workspace, real)) return undefined;
  const isFolder = await stat(real).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isFolder
    ? `matches the folder alone and nothing in it. Write ${JSON.stringify(wide)} for all of it.`
    : undefined;
}

/** What the section says where the rule does not match, of what it seems to be about. */
function otherwise(rule: PatternRule, all: readonly Rule[]): Action {
  const wider = around(rule, all).map(({ action }) => action);
  if (wider.length > 0) return ACTIONS.findLast((action) => wider.includes(action)) ?? 'ask';
  const { tool } = rule;
  const whole = all.find((other) => other.tool === tool && other.pattern === undefined);
  const rest = whole ?? all.find((other) => other.tool === undefined);
  return rest?.action ?? (tool === 'file_read' || FOR_FOLDERS.includes(tool) ? 'allow' : 'ask');
}

function isAtLeast(action: Action, other: Action): boolean {
  return ACTIONS.indexOf(action) >= ACTIONS.indexOf(other);
}

function beside({ tool, under, pattern }: PatternRule, all: readonly Rule[]): PatternRule[] {
  return all
    .filter(hasPattern)
    .filter((other) => other.tool === tool && other.under === under && other.pattern !== pattern);
}

/** The rules beside it whose patterns match all that it matches, as far as their words show. */
function around(rule: PatternRule, all: readonly Rule[]): PatternRule[] {
  const { under, pattern } = rule;
  return beside(rule, all).filter((other) => {
    if (under === 'commands') return `${pattern} `.startsWith(other.pattern.slice(0, -1)) && isOpen(other.pattern);
    if (other.pattern === '**') return !isAbsolute(pattern) && !pattern.startsWith('..');
    return other.pattern.endsWith('/**') && `${pattern}/`.startsWith(other.pattern.slice(0, -2));
  });
}

/** Whether any words may follow. */
function isOpen(command: string): boolean {
  const parsed = parseCommandPattern(command);
  return 'rest' in parsed && parsed.rest;
}

function isAbsolute(pattern: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(pattern);
}

/** That nothing in the workspace can match it. */
function isOutside(pattern: string, workspace: string): boolean {
  if (!isAbsolute(pattern)) return /^\.\.(?:\/|$)/.test(pattern);
  // What is the same in all that it matches: whole names.
  const [known = ''] = /^[^*?[\]{}\\]*/.exec(pattern) ?? [];
  const folder = path.resolve(known === pattern ? known : known.slice(0, known.lastIndexOf('/') + 1));
  return !isInside(workspace, folder) && !isInside(folder, workspace);
}
