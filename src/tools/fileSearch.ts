import { promises as fs } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

import { isInside, shownPath } from '../permissions/paths.ts';
import { oneLine, shorten } from '../text/codePoints.ts';
import { nearNames, readBytes } from './existingFile.ts';
import { fitLines } from './fitLines.ts';
import { ripgrep, type Found } from './ripgrep.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, fileError, ToolError } from './toolError.ts';
import { shownName } from './shownName.ts';
import { Turns } from './turns.ts';
import { INTERNAL, skippedRemarks, walk, type Walk } from './walk.ts';

const LONGEST_LINE = 300;
const MOST_SHOWN = 250;
/** What was skipped is counted among so many entries. */
const MOST_VISITED = 50_000;

const NOTHING: Found = { matches: [], binary: [], complete: true, unreadable: false };

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
  const unsaved = await unsavedIn(folder, where.file, around, context);
  const saved = where.file !== undefined && unsaved.has(where.file) ? NOTHING : await ripgrep(pattern, where, context);
  const all = await withUnsaved(withoutSkipped(saved, around), { folder, unsaved, pattern }, context);
  const held = isFolder ? await heldBack(real, filesOf(all, around), context) : new Set<string>();
  const found = without(all, (file) => held.has(file));
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
  return around === undefined || around.unheeded.length === 0
    ? found
    : without(found, (file) => isSkipped(file, around));
}

function isSkipped(file: string, { skipped }: Walk): boolean {
  return skipped.some(({ path: name }) => (name.endsWith('/') ? file.startsWith(name) : file === name));
}

function without(found: Found, isOut: (file: string) => boolean): Found {
  return {
    ...found,
    matches: found.matches.filter(({ file }) => !isOut(file)),
    binary: found.binary.filter((file) => !isOut(file)),
  };
}

/** The files that an editor holds with unsaved changes, of those that are searched: by their path from the folder, the absolute one. */
async function unsavedIn(
  folder: string,
  only: string | undefined,
  around: Walk | undefined,
  { files }: ToolContext,
): Promise<ReadonlyMap<string, string>> {
  const unsaved = new Map<string, string>();
  for (const real of await files.unsaved()) {
    const file = path.relative(folder, real);
    const names = file.split(path.sep);
    const isSearched =
      around === undefined
        ? file === only
        : isInside(folder, real) &&
          !names.some((name) => INTERNAL.includes(name)) &&
          !isSkipped(names.join('/'), around);
    if (isSearched) unsaved.set(file, real);
  }
  return unsaved;
}

/** What the person sees in an editor is searched in place of what the disk has. */
async function withUnsaved(
  saved: Found,
  { folder, unsaved, pattern }: { folder: string; unsaved: ReadonlyMap<string, string>; pattern: string },
  context: ToolContext,
): Promise<Found> {
  if (unsaved.size === 0) return saved;
  const found = without(saved, (file) => unsaved.has(file));
  for (const [file, real] of unsaved) {
    const text = await readBytes(context, real);
    if (text === null) continue;
    const own = await ripgrep(pattern, { folder, file, text, everything: true }, context);
    found.matches.push(...own.matches);
    found.binary.push(...own.binary);
    found.complete &&= own.complete;
  }
  found.matches.sort((a, b) => comparePaths(a.file, b.file));
  return found;
}

/** As ripgrep puts them in order: name by name. */
function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split(path.sep), b.split(path.sep)];
  const at = left.findIndex((name, index) => name !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

/** All that was met, relative to the folder. */
function filesOf({ matches, binary }: Found, around: Walk | undefined): Set<string> {
  const walked = around?.entries.filter(({ kind }) => kind === 'file') ?? [];
  return new Set([...walked.map(({ path: name }) => name), ...matches.map(({ file }) => file), ...binary]);
}

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
  const turns = new Turns(signal);
  for (const file of files) {
    await turns.pause();
    const action = reading(path.join(folder, file));
    if (action === 'deny' || (action === 'ask' && least === 'allow')) held.add(file);
  }
  return held;
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
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && (await context.files.unsaved()).includes(real)) return false;
    if (isMissing) throw new ToolError(`There is no ${shown}.${await nearNames(context.workspace, real)}`);
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
