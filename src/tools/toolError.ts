/** How a tool fails: with a text that tells the model what is wrong and what would be accepted. */
import path from 'node:path';

import { PathError } from '../permissions/paths.ts';
import { shorten } from '../text/codePoints.ts';
import { FileChangedError, type ToolContext, type ToolResult } from './tool.ts';

/** A failure that the model should see; the message is the whole output. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * Runs a tool's work and makes a result of every failure that the model can do something about; an abort and a fault of ours
 * are thrown on. Whatever happens, the output is no longer than `max_output_chars` code points.
 */
export async function answer(context: ToolContext, work: () => Promise<ToolResult>): Promise<ToolResult> {
  context.signal.throwIfAborted();
  let result: ToolResult;
  try {
    result = await work();
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isForTheModel(error)) throw error;
    result = { output: asShown(error.message, context.workspace), is_error: true };
  }
  return { ...result, output: shorten(result.output, context.max_output_chars) };
}

/** Paths in the workspace as all tools name them, also where what failed knew the whole ones only. */
function asShown(message: string, workspace: string): string {
  const before = /[\s"'(]$/;
  return message
    .split(workspace)
    .reduce((text, rest) =>
      rest.startsWith(path.sep) && (text === '' || before.test(text)) ? text + rest.slice(1) : text + workspace + rest,
    );
}

function isForTheModel(error: unknown): error is Error {
  return error instanceof ToolError || error instanceof PathError || error instanceof FileChangedError;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use by another program',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'the system does not permit it',
  EROFS: 'the disk is read-only',
};

/** `src/a.ts cannot be read: permission denied.` For an error of the file system; anything else comes back as it is. */
export function fileError(error: unknown, shown: string, doing: 'read' | 'written' | 'listed'): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (!(error instanceof Error) || typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return error;
  return new ToolError(`${shown} cannot be ${doing}: ${REASONS[code] ?? error.message}.`);
}
