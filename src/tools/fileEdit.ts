import { z } from 'zod';

import { oneLine } from '../text/codePoints.ts';
import { contentHash } from './contentHash.ts';
import { readTextFile, type ExistingFile } from './existingFile.ts';
import { applyChange, proposed, type PlannedChange } from './fileChange.ts';
import { encodeText, faultOf } from './fileText.ts';
import { joinEndings, mainEnding, replaceAt, splitEndings } from './lines.ts';
import { occurrences } from '../text/occurrences.ts';
import { noMatch } from './noMatch.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, ToolError } from './toolError.ts';

const schema = z.strictObject({
  path: z.string().describe('Relative to the workspace, or absolute'),
  old: z.string().min(1).describe('Exact text to replace, without line numbers; with enough lines to be there once'),
  new: z.string().describe('Text in its place'),
  all: z.boolean().optional().describe('Replace every occurrence'),
});

type Input = z.infer<typeof schema>;

/** Replaces a stretch of a file and leaves every other byte as it is: encoding, mark, line endings (P1). */
export const fileEdit = defineTool({
  name: 'file_edit',
  description: 'Replaces exact text in a file that you have read.',
  schema,
  reads_only: false,
  paths: ({ path }) => [path],
  words: ({ path }) => ({ title: `Edit ${oneLine(path)}` }),
  preview: async (input, context) => proposed((await plan(input, context)).change),
  execute: (input, context) => answer(context, () => edit(input, context)),
});

async function edit(input: Input, context: ToolContext): Promise<ToolResult> {
  const { change, lines } = await plan(input, context);
  const where = lines.length === 1 ? `at line ${lines.join()}` : `in ${lines.length} places, at ${listed(lines)}`;
  const known = context.seen(change.shown);
  const stale = typeof known === 'string' && change.before !== null && known !== contentHash(change.before);
  const remark = stale ? ' It had changed since you last read it; the rest of it may not be what you know.' : '';
  return applyChange(change, context, `Edited ${change.shown} ${where}.${remark}`);
}

/** `lines` are the numbers, from 1, of the lines where the replaced stretches begin. */
async function plan(input: Input, context: ToolContext): Promise<{ change: PlannedChange; lines: number[] }> {
  const fault = faultOf(input.new, 'new');
  if (fault !== undefined) throw new ToolError(fault);
  const file = await readTextFile(context, input.path);
  if (file.lossy)
    throw new ToolError(
      `${file.shown} is not UTF-8, so an edit would damage it. Change it by a command, or convert it first.`,
    );
  const lines = splitEndings(file.text);
  const old = splitEndings(input.old).text;
  const replacement = splitEndings(input.new).text;
  const all = input.all === true;
  // Overlapping finds count when the one to replace must be told apart, not when all are replaced.
  const starts = occurrences(lines.text, old, all ? MOST_REPLACED + 1 : MOST_COUNTED, !all);
  if (starts.length === 0) throw new ToolError(noMatch(file.shown, lines.text, old));
  const numbers = lineNumbers(lines.text, starts);
  if (starts.length > MOST_REPLACED)
    throw new ToolError(
      `The text to replace (old) is in ${file.shown} more than ${MOST_REPLACED} times, too often for one edit. Give more text around it, or change the file by a command.`,
    );
  if (starts.length > 1 && !all)
    throw new ToolError(
      `The text to replace (old) is in ${file.shown} ${starts.length === MOST_COUNTED ? 'at least ' : ''}${starts.length} times, at ${listed(numbers)}. Give it with more lines around it, or set all to true to replace each.`,
    );
  if (old === replacement)
    throw new ToolError(
      'The text to replace (old) and the one in its place (new) are the same, line endings aside; nothing was changed.',
    );
  if (lines.text.length + starts.length * replacement.length > MOST_LENGTH)
    throw new ToolError(
      `${file.shown} would become too large: more than ${MOST_LENGTH} characters. Nothing was changed.`,
    );
  const after = joinEndings(replaceAt(lines, starts, old.length, replacement, mainEnding(lines.endings)));
  return { change: changeOf(file, after), lines: numbers };
}

function changeOf(file: ExistingFile, after: string): PlannedChange {
  const { real, shown, bytes } = file;
  return { real, shown, before: bytes, after: encodeText(after, file), text: { before: file.text, after } };
}

const MOST_COUNTED = 1000;
const MOST_REPLACED = 10_000;
/** What is larger cannot be read again either. */
const MOST_LENGTH = 20_000_000;

function lineNumbers(text: string, starts: readonly number[]): number[] {
  let line = 1;
  let at = 0;
  return starts.map((start) => {
    for (; at < start; at++) if (text[at] === '\n') line++;
    return line;
  });
}

const MOST_LISTED = 20;

/** `lines 3, 8 and 12` */
function listed(lines: readonly number[]): string {
  const distinct = [...new Set(lines)];
  const few = distinct.slice(0, MOST_LISTED).join(', ');
  const rest = distinct.length > MOST_LISTED ? ` and ${distinct.length - MOST_LISTED} more` : '';
  return `${distinct.length === 1 ? 'line' : 'lines'} ${few}${rest}`;
}
