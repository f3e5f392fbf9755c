import { promises as fs } from 'node:fs';
import path from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';

import { shownPath } from '../permissions/paths.ts';
import { oneLine } from './codePoints.ts';
import { nearNames } from './existingFile.ts';
import { fitLines } from './fitLines.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, fileError, ToolError } from './toolError.ts';
import { skippedRemark, walk, type Entry, type Walk } from './walk.ts';

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
  const found = await walkFolder(real, shown, pattern !== undefined, context);
  const entries = pattern === undefined ? found.entries : matching(found.entries, pattern);
  const lines = await Promise.all(entries.slice(0, MOST_SHOWN).map((entry) => line(real, entry)));
  const remarks = [
    ...(found.complete
      ? []
      : [`[Looked at the first ${MOST_VISITED} entries only; give a folder further down as path.]`]),
    ...skippedRemark(found.skipped, 'Give one as path to see it.'),
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

/** A pattern without a slash matches names at any depth. */
function matching(entries: readonly Entry[], pattern: string): Entry[] {
  const glob = pattern.replace(/^(\.?\/)+/, '');
  const isMatch = picomatch(glob, { dot: true, basename: !glob.includes('/'), noextglob: true });
  return entries.filter((entry) => isMatch(entry.path));
}

async function line(folder: string, { path: name, kind }: Entry): Promise<string> {
  if (kind === 'folder') return `${name}/`;
  if (kind !== 'link') return name;
  return `${name} -> ${await fs.readlink(path.join(folder, name)).catch(() => '?')}`;
}
