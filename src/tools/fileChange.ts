/** A change of one file, worked out before anything is written: what the person is shown is what is then done. */
import { lstat } from 'node:fs/promises';

import { shownPath } from '../permissions/paths.ts';
import { contentHash } from './contentHash.ts';
import type { ProposedChange } from '../permissions/ask.ts';
import type { ToolContext, ToolResult } from './tool.ts';
import { fileError } from './toolError.ts';

export interface PlannedChange {
  /** Absolute real path. */
  real: string;
  /** Relative to the workspace and with `/`; absolute when it is outside. */
  shown: string;
  /** Null when there is no such file yet. */
  before: Uint8Array | null;
  after: Uint8Array;
  text: { before: string | null; after: string };
}

/** For the diff; undefined when nothing would change. */
export function proposed({ shown, before, after, text }: PlannedChange): ProposedChange | undefined {
  return isSame(before, after) ? undefined : { path: shown, ...text };
}

/** Writes the change, unless the file is no longer what the change was based on (FileChangedError). */
export async function applyChange(change: PlannedChange, context: ToolContext, output: string): Promise<ToolResult> {
  const { real, shown, before, after } = change;
  if (isSame(before, after)) return { output: `${shown} has exactly this content already; nothing was written.` };
  const names = before === null ? 1 : await namesOf(real);
  let saved: Uint8Array;
  try {
    saved = await context.files.write(real, after, before);
  } catch (error) {
    throw fileError(error, shownPath(context.workspace, real), 'written');
  }
  const remarks = [
    ...(isSame(saved, after) ? [] : [CHANGED_ON_SAVING]),
    ...(names > 1 && (await namesOf(real)) === 1
      ? [`[It had ${names} names (hard links); the others keep the old content.]`]
      : []),
  ];
  return {
    output: [output, ...remarks].join('\n'),
    files: [{ path: shown, before: before === null ? null : contentHash(before), after: contentHash(saved) }],
  };
}

/** By a formatter, mostly. */
const CHANGED_ON_SAVING = '[The editor changed it further on saving. Read it again before you change it.]';

/** How many names the file has, for the remark alone. What takes the place of a file whole is no longer what its other names mean. */
async function namesOf(real: string): Promise<number> {
  return lstat(real).then(
    ({ nlink }) => nlink,
    () => 1,
  );
}

function isSame(before: Uint8Array | null, after: Uint8Array): boolean {
  return before !== null && Buffer.compare(before, after) === 0;
}
