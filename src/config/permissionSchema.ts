/** The `permissions` section of a configuration file: what the agent may do (P2). */
import { z } from 'zod';

import { parseCommandPattern } from '../permissions/commandPattern.ts';
import { ACTIONS, type Action } from '../session/schema.ts';
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

/** A text in which `parse` finds no error; `what` is what it must be. */
function patternText(what: string, parse: (text: string) => { error: string } | object) {
  return z.string({ error: expected(what) }).superRefine((value, context) => {
    const parsed = parse(value);
    if ('error' in parsed) context.addIssue({ code: 'custom', message: `is no ${what}: ${parsed.error}` });
  });
}

const paths = z
  .record(patternText('path pattern', parsePathPattern), action, {
    error: expected('an object of path patterns and actions, such as { "src/**": "allow" }'),
  })
  .optional()
  .describe(
    'By path: patterns such as "src/**", relative to the folder that is open and with "/"; others begin with "/".',
  );

const commands = z
  .record(patternText('command pattern', parseCommandPattern), action, {
    error: expected('an object of command patterns and actions, such as { "git status": "allow" }'),
  })
  .optional()
  .describe('By command: "git status" is that alone, "git status *" also with more words.');

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
