/**
 * The tree of a shell line by tree-sitter's bash grammar. It is copied out of the parser's memory at once, with bounds for time,
 * size and depth, so that whoever reads it has nothing to free and no stack to fear.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';
import type { Parser, TreeCursor } from 'web-tree-sitter';

export interface ShellNode {
  readonly type: string;
  /** False for operators, quotes and words of the grammar itself. */
  readonly named: boolean;
  readonly field: string | undefined;
  /** In UTF-16 units of the line. */
  readonly start: number;
  readonly end: number;
  /** The parser gave up here, or put in what was missing. */
  readonly broken: boolean;
  readonly children: readonly ShellNode[];
}

/** In UTF-16 units. Parsing cannot be interrupted to let others go on, so all of these are small. */
const LONGEST = 16_384;
const MOST_NODES = 8000;
const DEEPEST = 150;
const LONGEST_MS = 100;

/** The tree, or why there is none, in words for a person. */
export async function parseShell(line: string): Promise<ShellNode | { error: string }> {
  if (line.length > LONGEST) return { error: `is longer than ${LONGEST} characters` };
  if (line.includes('\0')) return { error: 'has a NUL character in it' };
  if (/\p{Surrogate}/u.test(line)) return { error: 'has half a character in it' };
  let parser: Parser;
  try {
    parser = await sharedParser();
  } catch (error) {
    return { error: `cannot be read, since the shell grammar could not be loaded: ${(error as Error).message}` };
  }
  const until = performance.now() + LONGEST_MS;
  const tree = parser.parse(line, null, { progressCallback: () => performance.now() > until });
  if (tree === null) {
    parser.reset();
    return { error: 'takes too long to parse' };
  }
  const cursor = tree.walk();
  try {
    return copy(cursor);
  } finally {
    cursor.delete();
    tree.delete();
  }
}

interface OpenNode extends ShellNode {
  children: ShellNode[];
}

function copy(cursor: TreeCursor): ShellNode | { error: string } {
  const root = at(cursor);
  const path = [root];
  let nodes = 1;
  for (;;) {
    if (cursor.gotoFirstChild()) {
      if (path.length >= DEEPEST) return { error: 'is nested too deep' };
    } else {
      for (;;) {
        path.pop();
        if (path.length === 0) return root;
        if (cursor.gotoNextSibling()) break;
        cursor.gotoParent();
      }
    }
    const node = at(cursor);
    path.at(-1)?.children.push(node);
    path.push(node);
    if (++nodes > MOST_NODES) return { error: 'has too many parts' };
  }
}

function at(cursor: TreeCursor): OpenNode {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName ?? undefined,
    start: cursor.startIndex,
    end: cursor.endIndex,
    broken: cursor.nodeType === 'ERROR' || cursor.nodeIsMissing,
    children: [],
  };
}

let loading: Promise<Parser> | undefined;

/** Loaded with the first line. A failure is not kept: the next line tries again. */
function sharedParser(): Promise<Parser> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Parser> {
  const { Parser, Language } = await import('web-tree-sitter');
  const [runtime, grammar] = await Promise.all([
    findFile('web-tree-sitter', 'web-tree-sitter.wasm'),
    findFile('tree-sitter-bash', 'tree-sitter-bash.wasm'),
  ]);
  await Parser.init({ locateFile: () => runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await fs.readFile(grammar)));
  return parser;
}

/** Beside the bundle; in the sources, and in bundles of tests, in the folder of its package. */
async function findFile(packageName: string, name: string): Promise<string> {
  const here = import.meta.dirname;
  const places = [
    path.join(here, name),
    ...['../..', '../../..'].map((up) => path.join(here, up, 'node_modules', packageName, name)),
  ];
  for (const place of places) if (await isFile(place)) return place;
  throw new Error(`${name} is missing in ${here}; install Polyglav again`);
}

async function isFile(place: string): Promise<boolean> {
  return fs.stat(place).then(
    (found) => found.isFile(),
    () => false,
  );
}
