/** The `permissions` section of a configuration file: what the agent may do (P2). */
import { z } from 'zod';

import { costOfCommandPattern, parseCommandPattern } from '../permissions/commandPattern.ts';
import { ACTIONS, type Action } from '../session/schema.ts';
import { costOfGlob } from '../text/glob.ts';
import { choice, expected, expectedKeys } from './explain.ts';
import { parsePathPattern } from './pathPattern.ts';
import { oneOf, section } from './shapes.ts';

/** The tools that a file may name. A test keeps them equal to what there is: this room does not know them. */
export const TOOL_NAMES = [
  'file_read',
  'file_list',
  'file_search',
  'file_write',
  'file_edit',
  'run_command',
  'web_fetch',
  'todo_write',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];
/** What they do is told by no path: a rule can only be for all their calls. */
const WITHOUT_PATHS: readonly ToolName[] = ['web_fetch', 'todo_write'];

const action = oneOf(ACTIONS);

/** Of one tool under one key. Anybody's project may have rules, and each of them is compared with each file of a search. */
const MOST_PATTERNS = 1000;
/** Characters of those that have wildcards, about: braces count for each way to choose. */
const MOST_WILD = 5000;

/** Patterns and their actions. `cost` is that of a pattern in which `parse` finds no error; `what` is what each must be. */
function patterns<Pattern extends object>(
  { what, examples }: { what: string; examples: string },
  parse: (text: string) => Pattern | { error: string },
  cost: (pattern: Pattern) => number,
) {
  return z
    .record(z.string(), action, { error: expected(`an object of ${what}s and actions, such as ${examples}`) })
    .superRefine((rules, context) => {
      const texts = Object.keys(rules);
      const fault = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path });
      if (texts.length > MOST_PATTERNS)
        return fault(`has ${texts.length} patterns, and ${MOST_PATTERNS} are the most; write fewer and wider ones.`);
      let wild = 0;
      for (const text of texts) {
        const parsed = parse(text);
        if ('error' in parsed) fault(`is no ${what}: ${parsed.error}`, [text]);
        else wild += cost(parsed);
        // What follows would be too much as well, and has not been paid for.
        if (wild > MOST_WILD)
          return fault(
            `is too much: the patterns with wildcards up to here come to more than ${MOST_WILD} characters, each way to ` +
              'choose among {a,b} counted. Write fewer and wider ones.',
            [text],
          );
      }
    })
    .optional();
}

const paths = patterns(
  { what: 'path pattern', examples: '{ "src/**": "allow" }' },
  parsePathPattern,
  costOfGlob,
).describe(
  'By path: patterns such as "src/**", relative to the folder that is open and with "/"; others begin with "/".',
);

const commands = patterns(
  { what: 'command pattern', examples: '{ "git status": "allow" }' },
  parseCommandPattern,
  costOfCommandPattern,
).describe('By command: "git status" is that alone, "git status *" also with more words.');

/** What a file says of one tool: an action for all its calls, or rules of their own for some. */
export type ToolRule =
  | Action
  | {
      action?: Action | undefined;
      paths?: Readonly<Record<string, Action>> | undefined;
      commands?: Readonly<Record<string, Action>> | undefined;
    };

const oneAction = action.optional().describe('For the calls that no rule beside it matches.');

function toolRule(name: ToolName): z.ZodType<ToolRule> {
  const rules =
    name === 'run_command'
      ? section({ action: oneAction, paths, commands })
      : WITHOUT_PATHS.includes(name)
        ? section({ action: oneAction })
        : section({ action: oneAction, paths });
  return z
    .union([action, rules], { error: expected(`${choice(ACTIONS)}, or an object of rules: { … }`, ACTIONS) })
    .describe('What happens when the model calls this tool.');
}

const toolRules = Object.fromEntries(TOOL_NAMES.map((name) => [name, toolRule(name).optional()])) as Record<
  ToolName,
  z.ZodOptional<z.ZodType<ToolRule>>
>;

export const permissions = section({
  default: action.optional().describe('For the calls that no rule matches.'),
  tools: z.strictObject(toolRules, { error: expectedKeys(TOOL_NAMES, 'an object of tool names and rules') }).optional(),
});

/** The section, checked. */
export type PermissionRules = z.infer<typeof permissions>;

/** Where a file stands: beside the project's sessions, or in the user's own folder. */
export type Layer = 'project' | 'user';

/** `folder`: under `folders` in the user's file, and there for the folder that is open. */
export type PermissionLayer = Layer | 'folder';

/** Permissions are not merged: each rule counts, in whatever layer it stands, and a decision names its layer (P2). */
export type PermissionConfig = readonly { readonly layer: PermissionLayer; readonly rules: PermissionRules }[];
