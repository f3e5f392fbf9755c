import { z } from 'zod';

import { shownPath } from '../permissions/paths.ts';
import { oneLine } from '../text/codePoints.ts';
import { contentHash } from './contentHash.ts';
import { decode, readBytes } from './existingFile.ts';
import { applyChange, proposed, type PlannedChange } from './fileChange.ts';
import { encodeText, faultOf } from './fileText.ts';
import { joinEndings, mainEnding, replaceAt, splitEndings } from './lines.ts';
import { defineTool, type ToolContext, type ToolResult } from './tool.ts';
import { answer, ToolError } from './toolError.ts';

const schema = z.strictObject({
  path: z.string().describe('Relative to the workspace, or absolute; missing folders are made'),
  content: z.string().describe('The whole content'),
});

type Input = z.infer<typeof schema>;

/** Makes a file or replaces its whole content; an existing one keeps encoding, byte-order mark, endings and mode (P1). */
export const fileWrite = defineTool({
  name: 'file_write',
  description:
    'Makes a file, or replaces all of its content, which you must have read. For changes in a file use file_edit.',
  schema,
  reads_only: false,
  paths: ({ path }) => [path],
  words: ({ path }) => ({ title: `Write ${oneLine(path)}` }),
  preview: async (input, context) => proposed(await plan(input, context)),
  execute: (input, context) => answer(context, () => write(input, context)),
});

async function write(input: Input, context: ToolContext): Promise<ToolResult> {
  const change = await plan(input, context);
  const size = `${change.after.length} bytes`;
  if (change.before === null) return applyChange(change, context, `Created ${change.shown} (${size}).`);
  return applyChange(change, context, `Replaced the content of ${change.shown} (${size}).`);
}

async function plan({ path, content }: Input, context: ToolContext): Promise<PlannedChange> {
  if (/[\\/]$/.test(path)) throw new ToolError(`${path} names a folder. Give the path of a file.`);
  const fault = faultOf(content, 'content');
  if (fault !== undefined) throw new ToolError(fault);
  const real = await context.resolve(path);
  const shown = shownPath(context.workspace, real);
  const before = await readBytes(context, real);
  if (before === null) {
    const after = encodeText(content, { encoding: 'utf-8', bom: false });
    return { real, shown, before, after, text: { before: null, after: content } };
  }
  const file = decode(before, shown);
  if (file.lossy)
    throw new ToolError(`${shown} is not UTF-8, so writing text would damage it. Convert it or move it away first.`);
  refuseUnseen(before, shown, context);
  const text = inStyleOf(file.text, file.bom ? content.replace(/^\uFEFF/, '') : content);
  return { real, shown, before, after: encodeText(text, file), text: { before: file.text, after: text } };
}

/** What is replaced whole must be known in its present state, or somebody's work would be gone unseen. */
function refuseUnseen(before: Uint8Array, shown: string, { seen }: ToolContext): void {
  const known = seen(shown);
  if (before.length === 0 || known === contentHash(before)) return;
  throw new ToolError(
    known === undefined || known === null
      ? `${shown} exists already, and you have not read it. Read it with file_read first; nothing was written.`
      : `${shown} has changed since you last read it. Read it again with file_read first; nothing was written.`,
  );
}

/** Plain line feeds become the file's own endings; content that brings other endings is meant as it is. */
function inStyleOf(existing: string, content: string): string {
  if (content.includes('\r')) return content;
  const lines = splitEndings(existing);
  return joinEndings(replaceAt(lines, [0], lines.text.length, content, mainEnding(lines.endings)));
}
