import { promises as fs } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

import { shownPath } from '../permissions/paths.ts';
import { matchesGlob, parseGlob } from '../text/glob.ts';
import { oneLine } from '../text/codePoints.ts';
import { nearNames } from './existingFile.ts';
import { fitLines } from './fitLines.ts';
import { shownName } from './shownName.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, fileError, ToolError } from './toolError.ts';
import { Turns } from './turns.ts';
import { skippedRemarks, walk, type Entry, type Walk } from './walk.ts';

/** So many entries are looked at, and so many shown. */
const MOST_VISITED = 100_000;
const MOST_SHOWN = 1000;

const schema = z.strictObject({
  path: z.string().optional().describe('Folder; the workspace when absent'),
  pattern: z.string().min(1).max(500).optional().describe('Glob, such as *.ts or src/**/*.test.ts'),
});

type Input = z.infer<typeof schema>;

/** Lists a folder, or what matches a glob below it; respects .gitignore and says what it skipped (P1). */
export const fileList = defineTool({
  name: 'file_list',
  description: 'Lists a folder; with a pattern, all below it that match. Skips what git ignores and says so.',
  schema,
  reads_only: true,
  paths: ({ path: folder }) => [folder ?? '.'],
  words: ({ path: folder, pattern }) => ({
    title: oneLine(
      pattern === undefined ? `List ${folder ?? 'the workspace'}` : `List ${pattern} in ${folder ?? 'the workspace'}`,
    ),
  }),
  execute: (input, context) => answer(context, () => list(input, context)),
});

async function list({ path: given = '.', pattern }: Input, context: ToolContext): Promise<ToolResult> {
  const real = await context.resolve(given);
  const shown = shownPath(context.workspace, real);
  const matches = pattern === undefined ? undefined : matcher(pattern);
  const found = await walkFolder(real, shown, matches !== undefined, context);
  const entries = matches === undefined ? found.entries : await those(matches, found.entries, context.signal);
  const lines = await Promise.all(entries.slice(0, MOST_SHOWN).map((entry) => line(real, entry)));
  const remarks = [
    ...(found.complete
      ? []
      : [`[Looked at the first ${found.entries.length} entries only; give a folder further down as path.]`]),
    ...skippedRemarks(found, context.workspace, 'Give one as path to see it.'),
  ];
  if (entries.length === 0)
    remarks.unshift(pattern === undefined ? `${shown} has no entries.` : `Nothing in ${shown} matches ${pattern}.`);
  const missing = (count: number) => `[${count} more entries are not shown; narrow it down with path or pattern.]`;
  return { output: fitLines(lines, entries.length, context.max_output_chars, missing, remarks) };
}

async function walkFolder(real: string, shown: string, deep: boolean, context: ToolContext): Promise<Walk> {
  try {
    return await walk(real, { workspace: context.workspace, deep, most: MOST_VISITED, signal: context.signal });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new ToolError(`There is no folder ${shown}.${await nearNames(context.workspace, real)}`);
    if (code === 'ENOTDIR') throw new ToolError(`${shown} is a file, not a folder; file_read shows it.`);
    throw fileError(error, shown, 'listed');
  }
}

/** A pattern without a slash matches names at any depth; one with a slash at its end matches folders only. */
function matcher(pattern: string): (entry: Entry) => boolean {
  const body = pattern.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  const glob = parseGlob(body);
  if ('error' in glob) throw new ToolError(`The pattern ${JSON.stringify(pattern)} does not do: ${glob.error}`);
  const foldersOnly = pattern.endsWith('/');
  return ({ path: entry, kind }) =>
    (!foldersOnly || kind === 'folder') &&
    matchesGlob(glob, body.includes('/') ? entry : path.posix.basename(entry), { slash: true });
}

async function those(
  matches: (entry: Entry) => boolean,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<Entry[]> {
  const found: Entry[] = [];
  const turns = new Turns(signal);
  for (const entry of entries) {
    await turns.pause();
    if (matches(entry)) found.push(entry);
  }
  return found;
}

async function line(folder: string, { path: name, kind }: Entry): Promise<string> {
  if (kind === 'folder') return shownName(`${name}/`);
  if (kind !== 'link') return shownName(name);
  return `${shownName(name)} -> ${shownName(await fs.readlink(path.join(folder, name)).catch(() => '?'))}`;
}
