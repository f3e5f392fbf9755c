/** The text of a tool call's arguments, as the model wrote it → the checked object, or what the model should do better. */
import type { z } from 'zod';

import { deeperThan } from '../session/depth.ts';
import { shorten } from '../text/codePoints.ts';
import { toolDefinition } from './definition.ts';
import type { Tool } from './tool.ts';

const MOST_FAULTS = 10;
/** A record refuses what is nested much deeper, and no tool needs it. */
export const MOST_ARGUMENT_LEVELS = 100;
const MOST_QUOTED = 200;
const MOST_VALUE_QUOTED = 60;

/** Nothing is guessed or mended: a call runs with what the model sent, or not at all (P1). */
export function parseInput(tool: Tool, json: string): { input: Record<string, unknown> } | { error: string } {
  const text = json.trim();
  let value: unknown;
  try {
    // Some providers send nothing for a call without arguments.
    value = text === '' ? {} : JSON.parse(text);
  } catch (error) {
    return refuse(tool, [`they are no JSON: ${(error as Error).message}`], text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(tool, ['they are no JSON object'], text);
  if (deeperThan(value, MOST_ARGUMENT_LEVELS))
    return refuse(tool, [`they are nested more than ${MOST_ARGUMENT_LEVELS} levels deep`], text);
  const parsed = tool.schema.safeParse(value);
  if (!parsed.success)
    return refuse(
      tool,
      parsed.error.issues.flatMap((issue) => explain(issue, value)),
      text,
    );
  if (hasHalfCharacter(parsed.data))
    return refuse(tool, ['a text has half a character (a lone surrogate) in it'], text);
  return { input: parsed.data };
}

function refuse(tool: Tool, faults: string[], sent: string): { error: string } {
  const lines = [
    `${tool.name} was not run, its arguments do not fit:`,
    ...faults.slice(0, MOST_FAULTS).map((fault) => `- ${fault}`),
    ...(faults.length > MOST_FAULTS ? [`- and ${faults.length - MOST_FAULTS} more faults`] : []),
    `Accepted: ${accepted(tool)}.`,
    `You sent: ${sent === '' ? '(nothing)' : shorten(sent, MOST_QUOTED)}`,
  ];
  // The parser's own message may end within a character.
  return { error: lines.join('\n').replace(/\p{Surrogate}/gu, '\uFFFD') };
}

function explain(issue: z.core.$ZodIssue, input: object): string[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `${at === '' ? '' : `${at}: `}there is no argument ${JSON.stringify(shorten(key, MOST_VALUE_QUOTED))}`,
    );
  const value = issue.path.reduce<unknown>(
    (outer, key) => (outer as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  if (value === undefined) return [`${at} is missing`];
  const message = issue.message.replace(/^Invalid (input|option): /, '').replace(/, received .*$/, '');
  return [`${at}: ${message}, but it is ${quote(value)}`];
}

function quote(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return shorten(JSON.stringify(value), MOST_VALUE_QUOTED);
}

/** `path (string), from (integer, optional)` */
function accepted(tool: Tool): string {
  const { properties, required } = toolDefinition(tool).parameters as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  const keys = Object.entries(properties ?? {});
  return keys
    .map(([key, { type }]) => `${key} (${type ?? 'any'}${required?.includes(key) === true ? '' : ', optional'})`)
    .join(', ');
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasHalfCharacter);
}
