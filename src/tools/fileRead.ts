import { z } from 'zod';

import { codePointLength, oneLine, takeStart } from '../text/codePoints.ts';
import { contentHash } from './contentHash.ts';
import { readTextFile, type ExistingFile } from './existingFile.ts';
import { splitEndings } from './lines.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, ToolError } from './toolError.ts';

const LONGEST_LINE = 2000;
/** Room for the remarks at the end. */
const REMARKS = 400;

const schema = z.strictObject({
  path: z.string().describe('Relative to the workspace, or absolute'),
  from: z.number().int().positive().optional().describe('First line, from 1'),
  lines: z.number().int().positive().optional().describe('How many lines; as many as fit when absent'),
});

type Input = z.infer<typeof schema>;

/** Shows a text file with line numbers; says what it left out and how to get it (P1). */
export const fileRead = defineTool({
  name: 'file_read',
  description: 'Reads a text file. Each line is shown as its number, a tab and its text.',
  schema,
  reads_only: true,
  paths: ({ path }) => [path],
  words: ({ path }) => ({ title: `Read ${oneLine(path)}` }),
  execute: (input, context) => answer(context, () => read(input, context)),
});

async function read(input: Input, context: ToolContext): Promise<ToolResult> {
  const file = await readTextFile(context, input.path);
  const hash = contentHash(file.bytes);
  const files = [{ path: file.shown, before: hash, after: hash }];
  if (file.text === '') return { output: `${file.shown} is empty.`, files };
  const lines = splitEndings(file.text).text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const from = input.from ?? 1;
  if (from > lines.length) throw new ToolError(`${file.shown} has ${lines.length} lines; there is no line ${from}.`);
  const wanted = lines.slice(from - 1, input.lines === undefined ? undefined : from - 1 + input.lines);
  const { shown, cut } = number(wanted, from, Math.max(1, context.max_output_chars - REMARKS));
  const output = [...shown, ...remarks(file, { from, shown: shown.length, all: lines.length, cut })].join('\n');
  return { output, files };
}

/** Numbered lines, as many whole ones as fit into `room` code points, and the first in any case; `cut` are the long ones. */
function number(lines: readonly string[], from: number, room: number): { shown: string[]; cut: number[] } {
  const shown: string[] = [];
  const cut: number[] = [];
  let left = room;
  for (const [index, line] of lines.entries()) {
    const start = takeStart(line, Math.min(LONGEST_LINE, room));
    const isCut = start.length < line.length;
    const more = isCut ? `… (${codePointLength(line) - codePointLength(start)} more characters)` : '';
    const numbered = `${from + index}\t${start}${more}`;
    left -= codePointLength(numbered) + 1;
    if (left < 0 && shown.length > 0) break;
    shown.push(numbered);
    if (isCut) cut.push(from + index);
  }
  return { shown, cut };
}

function remarks(
  file: ExistingFile,
  { from, shown, all, cut }: { from: number; shown: number; all: number; cut: number[] },
): string[] {
  const to = from + shown - 1;
  const texts: string[] = [];
  if (from > 1 || to < all) {
    const next = to < all ? ` Read on with from: ${to + 1}.` : '';
    texts.push(`[Lines ${from} to ${to} of ${all}.${next}]`);
  }
  if (cut.length > 0) {
    const which = cut.length === 1 ? `Line ${cut.join()} is` : `${cut.length} lines are`;
    texts.push(`[${which} too long to be shown whole; run_command can print a part, for example with cut -c.]`);
  }
  if (file.lossy)
    texts.push('[Some bytes are not UTF-8 and shown as \uFFFD. file_edit and file_write leave such a file alone.]');
  return texts;
}
