/** A change of one file, worked out before anything is written: what the person is shown is what is then done. */
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
  let saved: Uint8Array;
  try {
    saved = await context.files.write(real, after, before);
  } catch (error) {
    throw fileError(error, shownPath(context.workspace, real), 'written');
  }
  return {
    output: isSame(saved, after) ? output : `${output}\n${CHANGED_ON_SAVING}`,
    files: [{ path: shown, before: before === null ? null : contentHash(before), after: contentHash(saved) }],
  };
}

/** By a formatter, mostly. */
const CHANGED_ON_SAVING = '[The editor changed it further on saving. Read it again before you change it.]';

function isSame(before: Uint8Array | null, after: Uint8Array): boolean {
  return before !== null && Buffer.compare(before, after) === 0;
}
