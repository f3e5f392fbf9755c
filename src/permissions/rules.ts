/**
 * What the configured rules say of one thing that a call would do (P2): a path, a command of a line, or the call as a whole.
 *
 * Within one layer a rule for a path or command goes before the tool's action, and that before `default`: the narrower one is the
 * exception from the wider. Between layers there are no exceptions, and the strictest holds: otherwise a project could lift what
 * its user denies by writing something narrower. But one: the user's rules for a folder, where "always" writes, go before an `ask`
 * that their file says more widely. A deny is never lifted.
 */
import { rulesIn, ruleText, type Rule } from '../config/rules.ts';
import type { PermissionConfig, PermissionLayer, PermissionRules } from '../config/permissionSchema.ts';
import { ACTIONS, type Action } from '../session/schema.ts';
import { parseGlob, type Glob } from '../text/glob.ts';
import { parseCommandPattern, type CommandPattern } from './commandPattern.ts';
import { shorten } from '../text/codePoints.ts';

/** Characters of a rule's text in a record or a question. */
export const LONGEST_RULE = 200;

/** What one rule, shipped or configured, means for a call. */
export interface Judgement {
  action: Action;
  /** `<layer>: <rule>`, or `default`. */
  by: string;
  /** For the model, when it is denied and the rule's text does not say enough. */
  denied_reason?: string;
  /** For the person, when it is asked for a reason of its own. */
  ask_reason?: string;
  /** Only a person may allow it, and only this once. */
  only_once?: true;
}

export interface LayerRule extends Rule {
  layer: PermissionLayer;
  /** Of a path's pattern: as it is written, and in one form of its letters. */
  globs: readonly Glob[];
  /** Of a command's pattern. */
  command: CommandPattern | undefined;
}

/** Of equally strict ones the first, which is the more telling one. What nobody has judged is denied. */
export function strictest(judgements: readonly Judgement[]): Judgement {
  const [first = UNJUDGED, ...others] = judgements;
  return others.reduce(
    (strict, next) => (ACTIONS.indexOf(next.action) > ACTIONS.indexOf(strict.action) ? next : strict),
    first,
  );
}

const UNJUDGED: Judgement = {
  action: 'deny',
  by: 'shipped: no rule deny',
  denied_reason: 'No rule says anything about this call.',
};

export class Rules {
  readonly #rules: readonly LayerRule[];

  constructor(permissions: PermissionConfig) {
    this.#rules = permissions.flatMap(({ layer, rules }) => parsed(rules).map((rule) => ({ ...rule, layer })));
  }

  /** `matches` says whether a rule for a path or command is about it; `otherwise` holds where nothing is configured. */
  judge(tool: string, matches: (rule: LayerRule) => boolean, otherwise: Judgement): Judgement {
    const layers = new Set(this.#rules.map(({ layer }) => layer));
    const counting = [...layers].flatMap((name) =>
      narrowest(
        this.#rules.filter(({ layer }) => layer === name),
        tool,
        matches,
      ),
    );
    const inFolder = Math.min(...counting.filter(({ layer }) => layer === 'folder').map(width));
    const isLifted = (rule: LayerRule) =>
      rule.layer === 'user' && rule.action === 'ask' && width(rule) > 0 && inFolder <= width(rule);
    const left = counting.filter((rule) => !isLifted(rule)).map(judgementOf);
    return left.length === 0 ? otherwise : strictest(left);
  }

  /** The rules of a tool for paths or commands that ask or deny, of those that `matches` finds to be about it. */
  holding(tool: string, matches: (rule: LayerRule) => boolean): Judgement[] {
    return this.matching(tool, (rule) => rule.action !== 'allow' && matches(rule)).map(judgementOf);
  }

  /** All rules of a tool for paths or commands that `matches` finds to be about it. */
  matching(tool: string, matches: (rule: LayerRule) => boolean): LayerRule[] {
    return this.#rules.filter((rule) => rule.tool === tool && rule.pattern !== undefined && matches(rule));
  }
}

/** A rule for a path or command that asks does so for a reason of its own. */
function judgementOf(rule: LayerRule): Judgement {
  const text = shorten(ruleText(rule), LONGEST_RULE);
  const by = `${rule.layer}: ${text}`;
  const special = rule.action === 'ask' && rule.pattern !== undefined;
  return { action: rule.action, by, ...(special ? { ask_reason: `by the rule ${text}` } : {}) };
}

/** Of one layer the rules that count: those of the narrowest kind that is about it at all. */
function narrowest(layer: readonly LayerRule[], tool: string, matches: (rule: LayerRule) => boolean): LayerRule[] {
  const about = layer.filter(
    (rule) => rule.tool === undefined || (rule.tool === tool && (rule.pattern === undefined || matches(rule))),
  );
  const least = Math.min(...about.map(width));
  return about.filter((rule) => width(rule) === least);
}

/** How many calls a rule is about: 0 for a path or command, 1 for a tool, 2 for all. */
function width({ tool, pattern }: Rule): number {
  return tool === undefined ? 2 : pattern === undefined ? 1 : 0;
}

const PARSED = new WeakMap<PermissionRules, Omit<LayerRule, 'layer'>[]>();

function parsed(rules: PermissionRules): Omit<LayerRule, 'layer'>[] {
  const known = PARSED.get(rules);
  if (known !== undefined) return known;
  const made = rulesIn(rules).map((rule) => ({ ...rule, globs: globsOf(rule), command: commandOf(rule) }));
  PARSED.set(rules, made);
  return made;
}

function globsOf({ under, pattern = '' }: Rule): Glob[] {
  if (under !== 'paths') return [];
  return [...new Set([pattern, pattern.normalize('NFC')])].flatMap((text) => {
    const glob = parseGlob(text);
    return 'error' in glob ? [] : [glob];
  });
}

function commandOf({ under, pattern = '' }: Rule): CommandPattern | undefined {
  const parsed = under === 'commands' ? parseCommandPattern(pattern) : undefined;
  return parsed === undefined || 'error' in parsed ? undefined : parsed;
}
