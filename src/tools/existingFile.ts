/** Reading a file that a tool names, with an error that helps to find the right one. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { nearest } from '../text/nearest.ts';
import { shownPath } from '../permissions/paths.ts';
import { decodeText, NotTextError, type FileText } from './fileText.ts';
import { RealFolder } from './realFolder.ts';
import { shownName } from './shownName.ts';
import { similarity } from '../text/similarity.ts';
import type { ToolContext } from './tool.ts';
import { fileError, ToolError } from './toolError.ts';

export interface ExistingFile extends FileText {
  /** Absolute real path. */
  real: string;
  /** Relative to the workspace, for texts. */
  shown: string;
  bytes: Uint8Array;
}

/** Throws {@link ToolError} when there is no such file, when it cannot be read, and when it is no text. */
export async function readTextFile(context: ToolContext, given: string): Promise<ExistingFile> {
  const real = await context.resolve(given);
  const bytes = await readBytes(context, real);
  const shown = shownPath(context.workspace, real);
  if (bytes === null) throw new ToolError(`There is no file ${shown}.${await nearNames(context.workspace, real)}`);
  return { real, shown, bytes, ...decode(bytes, shown) };
}

/** Null when there is no such file. */
export async function readBytes(context: ToolContext, real: string): Promise<Uint8Array | null> {
  try {
    return await context.files.read(real);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw fileError(error, shownPath(context.workspace, real), 'read');
  }
}

export function decode(bytes: Uint8Array, shown: string): FileText {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof NotTextError)
      throw new ToolError(
        `${shown} is ${error.message} (${bytes.length} bytes), not text: it is neither shown nor changed.`,
      );
    throw error;
  }
}

const MOST_NAMES = 5;
/** Of a folder with more, the first ones. */
const MOST_COMPARED = 5000;
const ALIKE = 0.4;

/** ` Did you mean src/a.ts, src/b.ts?`: names like the missing one in its folder, or that the folder is missing too. */
export async function nearNames(workspace: string, missing: string): Promise<string> {
  const folder = path.dirname(missing);
  const wanted = path.basename(missing);
  try {
    const names = await namesIn(folder);
    const near = names
      .slice(0, MOST_COMPARED)
      .map((name) => ({ name, alike: likeness(name, wanted) }))
      .filter(({ alike }) => alike >= ALIKE)
      .sort((a, b) => b.alike - a.alike)
      .slice(0, MOST_NAMES);
    if (near.length === 0)
      return ` Nothing in ${shownPath(workspace, folder)} has a name like it; file_list shows what is there.`;
    return ` Did you mean ${near.map(({ name }) => shownName(shownPath(workspace, path.join(folder, name)))).join(', ')}?`;
  } catch {
    if (folder === path.dirname(folder)) return '';
    return ` There is no folder ${shownPath(workspace, folder)} either.${await nearNames(workspace, folder)}`;
  }
}

async function namesIn(real: string): Promise<string[]> {
  const folder = await RealFolder.open(real);
  try {
    return await fs.readdir(folder.at());
  } finally {
    await folder.close();
  }
}

/** Another ending or a slip of the finger weighs more than what the names share. */
function likeness(name: string, wanted: string): number {
  const stem = (file: string) => path.parse(file).name.toLowerCase();
  return stem(name) === stem(wanted) || nearest(wanted, [name]) !== undefined ? 1 : similarity(name, wanted);
}
