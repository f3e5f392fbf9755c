import { promises as fs } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';

import { shownPath } from '../permissions/paths.ts';
import { oneLine, shorten } from './codePoints.ts';
import { nearNames } from './existingFile.ts';
import { fitLines } from './fitLines.ts';
import { ripgrep, type Found } from './ripgrep.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, fileError, ToolError } from './toolError.ts';
import { shownName } from './shownName.ts';
import { skippedRemarks, walk, type Walk } from './walk.ts';

const LONGEST_LINE = 300;
const MOST_SHOWN = 250;
/** What was skipped is counted among so many entries. */
const MOST_VISITED = 50_000;

const schema = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression (ripgrep), matched line by line'),
  path: z.string().optional().describe('Folder or file; the workspace when absent'),
});

type Input = z.infer<typeof schema>;

/** Searches file contents with ripgrep; respects .gitignore and says what it did not search (P1). */
export const fileSearch = defineTool({
  name: 'file_search',
  description: 'Searches the content of files; answers with path:line:text. Skips what git ignores and says so.',
  schema,
  reads_only: true,
  paths: ({ path: where }) => [where ?? '.'],
  words: ({ pattern, path: where }) => ({ title: oneLine(`Search ${pattern} in ${where ?? 'the workspace'}`) }),
  execute: (input, context) => answer(context, () => search(input, context)),
});

async function search({ pattern, path: given = '.' }: Input, context: ToolContext): Promise<ToolResult> {
  const real = await context.resolve(given);
  const shown = shownPath(context.workspace, real);
  const isFolder = await kindOf(real, shown, context);
  const folder = isFolder ? real : path.dirname(real);
  const around = isFolder ? await lookAround(real, shown, context) : undefined;
  const where = { folder, file: isFolder ? undefined : path.basename(real), everything: mustSeeAll(around) };
  const all = withoutSkipped(await ripgrep(pattern, where, context), around);
  const held = isFolder ? await heldBack(real, filesOf(all, around), context) : new Set<string>();
  const found = withoutHeld(all, held);
  const lines = found.matches.slice(0, MOST_SHOWN).map(({ file, line, text }) => {
    const name = shownName(shownPath(context.workspace, path.join(folder, file)));
    return shorten(`${name}:${line}:${text}`, LONGEST_LINE + name.length);
  });
  const missing = (count: number) =>
    `[${found.complete ? '' : 'At least '}${count} more matches are not shown; narrow it down with pattern or path.]`;
  const remarks = [...outcome(found, shown, around), ...unsearched(around, context.workspace, held)];
  return { output: fitLines(lines, found.matches.length, context.max_output_chars, missing, remarks) };
}

/** An ignored place that was named is searched; and ripgrep would read ignore files of any size, for minutes. */
function mustSeeAll(around: Walk | undefined): boolean {
  return around === undefined || around.ignored || around.unheeded.length > 0;
}

/** Where ripgrep had to look at everything, what other rules skip is left out here. */
function withoutSkipped(found: Found, around: Walk | undefined): Found {
  if (around === undefined || around.unheeded.length === 0) return found;
  const isSkipped = (file: string) =>
    around.skipped.some(({ path: skipped }) => (skipped.endsWith('/') ? file.startsWith(skipped) : file === skipped));
  return {
    ...found,
    matches: found.matches.filter(({ file }) => !isSkipped(file)),
    binary: found.binary.filter((file) => !isSkipped(file)),
  };
}

/** All that was met, relative to the folder. */
function filesOf({ matches, binary }: Found, around: Walk | undefined): Set<string> {
  const walked = around?.entries.filter(({ kind }) => kind === 'file') ?? [];
  return new Set([...walked.map(({ path: name }) => name), ...matches.map(({ file }) => file), ...binary]);
}

/** For so long at most rules are compared without a pause. */
const PIECE_MS = 20;

/**
 * Of which files nothing may be shown. A folder that was searched by the person's leave gives what it holds, but for what is denied; a
 * file that was named was decided about. Many files times a project's rules may be much work, which leaves others their turn.
 */
async function heldBack(
  folder: string,
  files: ReadonlySet<string>,
  { reading, signal }: ToolContext,
): Promise<Set<string>> {
  const held = new Set<string>();
  const least = reading(folder);
  let rested = performance.now();
  for (const file of files) {
    if (performance.now() - rested > PIECE_MS) {
      await setImmediate();
      signal.throwIfAborted();
      rested = performance.now();
    }
    const action = reading(path.join(folder, file));
    if (action === 'deny' || (action === 'ask' && least === 'allow')) held.add(file);
  }
  return held;
}

function withoutHeld(found: Found, held: ReadonlySet<string>): Found {
  return {
    ...found,
    matches: found.matches.filter(({ file }) => !held.has(file)),
    binary: found.binary.filter((file) => !held.has(file)),
  };
}

/** What is in the folder and what of it was skipped. */
async function lookAround(real: string, shown: string, context: ToolContext): Promise<Walk> {
  try {
    return await walk(real, { workspace: context.workspace, deep: true, most: MOST_VISITED, signal: context.signal });
  } catch (error) {
    throw fileError(error, shown, 'listed');
  }
}

/** True for a folder, false for a file. */
async function kindOf(real: string, shown: string, context: ToolContext): Promise<boolean> {
  try {
    const stats = await fs.stat(real);
    if (!stats.isDirectory() && !stats.isFile()) throw new ToolError(`${shown} is neither a file nor a folder.`);
    return stats.isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ToolError(`There is no ${shown}.${await nearNames(context.workspace, real)}`);
    throw fileError(error, shown, 'read');
  }
}

function outcome({ matches, binary, unreadable }: Found, shown: string, around: Walk | undefined): string[] {
  const remarks: string[] = [];
  if (matches.length === 0 && binary.length === 0) {
    const files = around?.entries.filter(({ kind }) => kind === 'file').length;
    const searched = around?.complete === true ? ` (${files} files; binary ones are not searched)` : '';
    remarks.push(`No line matches in ${shown}${searched}.`);
  }
  if (binary.length > 0)
    remarks.push(`[Matches in binary files, not shown: ${oneLine(binary.map(shownName).join(', '))}]`);
  if (unreadable) remarks.push('[Some files could not be read.]');
  return remarks;
}

function unsearched(around: Walk | undefined, workspace: string, held: ReadonlySet<string>): string[] {
  if (around === undefined) return [];
  const secret = around.entries
    .filter(({ kind, path: name }) => kind === 'file' && held.has(name))
    .map(({ path: name }) => shownName(name));
  return [
    ...(secret.length === 0
      ? []
      : [
          `[Not searched, since they may hold keys or a rule holds them back: ${oneLine(secret.join(', '))}. Give one as path to search it.]`,
        ]),
    ...skippedRemarks(around, workspace, 'Give one as path to search it.'),
    ...(around.complete
      ? []
      : [`[What was skipped was counted among the first ${around.entries.length} entries only.]`]),
  ];
}
