/** One configuration file: its text → a checked value, or what is wrong with it and where. */
import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import type { z } from 'zod';

import { visible } from '../session/visible.ts';
import { configFile, type ConfigFile } from './schema.ts';

export interface ConfigProblem {
  /** Absolute path of the file. */
  file: string;
  /** `providers.ollama.base_url`; empty when it is the file as a whole. */
  key: string;
  /** What is wrong, and what would be accepted. */
  message: string;
  /** Both from 1, when the place is known. */
  line?: number;
  column?: number;
}

/** Of objects, lists and the keys in them: far more than any setting has. */
const MOST_LEVELS = 100;
const TOO_DEEP = 'is nested too deeply; no setting needs more than a few levels.';

type Path = readonly (string | number)[];

/** What is wrong at a place within a file. */
export interface LayerFault {
  path: Path;
  message: string;
}

/** Where in a file something is said. */
export type ConfigPlace = Omit<ConfigProblem, 'message'>;

export interface ParsedLayer {
  value: ConfigFile;
  /** Not empty: then nothing of the file counts. */
  problems: ConfigProblem[];
  /** Where that stands which `value` has at this path. */
  at(path: Path): ConfigPlace;
}

/** JSON with comments and trailing commas; an empty text is an empty layer. `limits` says what this layer may not set. */
export function parseLayer(
  text: string,
  file: string,
  limits: (value: ConfigFile) => LayerFault[] = () => [],
): ParsedLayer {
  const place = (offset: number) => positionIn(text, offset);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return emptyLayer(file, { message: TOO_DEEP });
  }
  const [first] = errors;
  // What follows the first mistake is mostly a consequence of it.
  if (first !== undefined) return emptyLayer(file, { message: syntaxMessage(first.error), ...place(first.offset) });
  if (root === undefined) return emptyLayer(file);
  const deep = nodeBelow(root, MOST_LEVELS);
  if (deep !== undefined) return emptyLayer(file, { message: TOO_DEEP, ...place(deep.offset) });

  const at = (path: Path) => ({ file, key: keyOf(path), ...place(nodeAt(root, path).offset) });
  const problems: ConfigProblem[] = ambiguousKeys(root).map(({ path, message, offset }) => ({
    ...at(path),
    message,
    ...place(offset),
  }));
  const parsed = configFile.safeParse(getNodeValue(root));
  const faults = parsed.success ? limits(parsed.data) : parsed.error.issues.flatMap(faultsOf);
  for (const { path, message } of faults) problems.push({ ...at(path), message });
  return { value: parsed.success && problems.length === 0 ? parsed.data : {}, problems, at };
}

/** The first thing that is nested deeper. Level by level: what is read here may be too deep to be walked. */
function nodeBelow(root: Node, levels: number): Node | undefined {
  let nodes = [root];
  for (let level = 0; level < levels && nodes.length > 0; level++)
    nodes = nodes.flatMap(({ children = [] }) => children);
  return nodes[0];
}

function faultsOf(issue: z.core.$ZodIssue): LayerFault[] {
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys')
    return issue.message.split('\n').map((message, index) => ({ path: [...path, issue.keys[index] ?? ''], message }));
  // Of the shapes that a value may have, the one that it has but for what is wrong within.
  const meant = issue.code === 'invalid_union' ? issue.errors.find(isWithin) : undefined;
  if (meant !== undefined) return meant.flatMap((inner) => faultsOf({ ...inner, path: [...path, ...inner.path] }));
  return [
    { path, message: issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message },
  ];
}

function isWithin(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');
}

/** A layer of which nothing counts. */
export function emptyLayer(file: string, problem?: Omit<ConfigProblem, 'file' | 'key'>): ParsedLayer {
  return {
    value: {},
    problems: problem === undefined ? [] : [{ file, key: '', ...problem }],
    at: (path) => ({ file, key: keyOf(path) }),
  };
}

/** The property that a path ends in, or the nearest thing around it when there is none. */
function nodeAt(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const value = findNodeAtLocation(root, path.slice(0, length));
    if (value !== undefined) return value.parent?.type === 'property' ? value.parent : value;
  }
  return root;
}

/** Keys that would silently count for nothing: JSON readers differ in which of two they take, and in what `__proto__` is. */
function ambiguousKeys(node: Node, path: Path = []): (LayerFault & { offset: number })[] {
  const seen = new Set<unknown>();
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type !== 'object') return ambiguousKeys(child, [...path, index]);
    const [key, value] = child.children ?? [];
    const name: unknown = key?.value;
    const inner = [...path, String(name)];
    const found = value === undefined ? [] : ambiguousKeys(value, inner);
    if (seen.has(name))
      found.unshift({ path: inner, message: 'is written twice; remove one of them.', offset: child.offset });
    if (name === '__proto__') found.unshift({ path: inner, message: 'is not a usable name.', offset: child.offset });
    seen.add(name);
    return found;
  });
}

/** `models."ollama/llama3.2".context_window`: quoted where a dot or a slash would mislead. */
function keyOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' || /^[\w$-]+$/.test(part) ? String(part) : visible(JSON.stringify(part))))
    .join('.');
}

function positionIn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** By the numbers of jsonc-parser's `ParseErrorCode`, a const enum that does not exist at run time. */
const SYNTAX: Readonly<Record<number, string>> = {
  1: 'is not JSON here: a value is text in double quotes, a number, true, false, null, { … } or [ … ].',
  2: 'has a number that is not written as JSON writes numbers.',
  3: 'needs a key in double quotes here.',
  4: 'needs a value here.',
  5: 'needs a ":" between key and value here.',
  6: 'needs a "," here, after the value before it.',
  7: 'needs a "}" here.',
  8: 'needs a "]" here.',
  9: 'has something after its end; a file is one object { … }.',
  10: 'has a comment that is not allowed here.',
  11: 'has a comment that is never closed; "*/" closes it.',
  12: 'has a text that is never closed; a double quote on the same line closes it.',
  13: 'has a number that breaks off.',
  14: 'has a "\\u" in a text that four hexadecimal digits do not follow.',
  15: 'has a backslash in a text that means nothing; "\\\\" is a backslash itself.',
  16: 'has a control character in a text; "\\n" and "\\t" stand for line break and tab.',
};

function syntaxMessage(code: number): string {
  return SYNTAX[code] ?? 'is not JSON here.';
}
