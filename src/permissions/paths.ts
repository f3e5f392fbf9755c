/**
 * Where a path that a model gave really leads (P4). Symbolic links are followed and `..` is applied after them, as the system
 * does, so that what is judged is what would be opened.
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

/** A path that cannot be used: the message says why and what would be accepted. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

/** As many as Linux follows before it speaks of a loop. */
const MOST_LINKS = 40;
const LONGEST_PATH = 4096;
const SEPARATOR = path.sep === '\\' ? /[\\/]/ : /\//;

/**
 * The absolute real path of `given`, relative to `workspace` (an absolute real path) or absolute. What does not exist yet is
 * kept as it is behind the real path of the folder it would be in; a link that leads to nothing counts as what it names.
 * Throws {@link PathError}.
 */
export async function resolvePath(workspace: string, given: string): Promise<string> {
  refuseUnusable(given);
  let { real, rest } = startOf(given, workspace);
  let links = 0;
  for (;;) {
    const name = rest.shift();
    if (name === undefined) return real;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      real = path.dirname(real);
      continue;
    }
    const next = path.join(real, name);
    const found = await follow(next, given);
    if ('real' in found) real = found.real;
    else {
      if (++links > MOST_LINKS) throw new PathError(`${quote(given)} leads through a loop of symbolic links.`);
      const target = startOf(found.link, real);
      real = target.real;
      rest = [...target.rest, ...rest];
    }
  }
}

/** True for the folder itself and all that is in it. Both are absolute real paths. */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** {@link resolvePath}, which throws unless the path still leads to `decided`, the real path that the policy decided on. */
export async function resolveAsDecided(workspace: string, given: string, decided: string | undefined): Promise<string> {
  const real = await resolvePath(workspace, given);
  if (real !== decided)
    throw new PathError(
      `${quote(given)} led elsewhere when it was decided whether this call may run. Nothing was done.`,
    );
  return real;
}

/** How a path is named to model and person: relative to the workspace and with `/`, or absolute when it is outside. */
export function shownPath(workspace: string, real: string): string {
  if (!isInside(workspace, real)) return real;
  return path.relative(workspace, real).split(path.sep).join('/') || 'the workspace';
}

function refuseUnusable(given: string): void {
  const accepted = 'Give a path relative to the workspace, or an absolute one.';
  if (given === '') throw new PathError(`The path is empty. ${accepted}`);
  if (given.includes('\0')) throw new PathError(`The path ${quote(given)} has a NUL character in it. ${accepted}`);
  if (/\p{Surrogate}/u.test(given))
    throw new PathError(`The path ${quote(given)} has half a character in it. ${accepted}`);
  if (given.length > LONGEST_PATH) throw new PathError(`The path is ${given.length} characters long. ${accepted}`);
  if (/^~([\\/]|$)/.test(given)) throw new PathError(`"~" is not the home folder here. ${accepted}`);
  const fault = path.sep === '\\' ? windowsFault(given) : undefined;
  if (fault !== undefined) throw new PathError(`The path ${quote(given)} ${fault}. ${accepted}`);
}

/** Names that open a device in whatever folder they stand. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;

/**
 * What is wrong with a path on Windows: roots that reach over the network or to devices, and names that would be read as another file
 * (`.git.`, `.git::$DATA`). Undefined when nothing is.
 */
export function windowsFault(given: string): string | undefined {
  const { root } = path.win32.parse(given);
  if (/^[\\/]{2}/.test(root) || (root !== '' && !path.win32.isAbsolute(given)))
    return 'does not start at a folder or a drive';
  const names = given.slice(root.length).split(/[\\/]/);
  if (names.some((name) => name.includes(':') || (/[. ]$/.test(name) && name !== '.' && name !== '..')))
    return 'has a name with ":" in it, or with a dot or space at its end';
  return names.some((name) => DEVICE.test(name)) ? 'names a device' : undefined;
}

function startOf(given: string, folder: string): { real: string; rest: string[] } {
  const { root } = path.parse(given);
  return { real: root === '' ? folder : path.resolve(folder, root), rest: given.slice(root.length).split(SEPARATOR) };
}

/** The real path of one step, or the target of a link that leads to nothing. */
async function follow(step: string, given: string): Promise<{ real: string } | { link: string }> {
  try {
    return { real: await fs.realpath(step) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw new PathError(`${quote(given)} leads through a loop of symbolic links.`);
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new PathError(`${quote(given)} cannot be looked up: ${(error as Error).message}`);
  }
  try {
    return { link: await fs.readlink(step) };
  } catch {
    return { real: step };
  }
}

function quote(given: string): string {
  return JSON.stringify(given);
}
