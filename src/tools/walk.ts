/** Going through a folder as listing and searching see it: what is there, and what was skipped and why (P1). */
import { promises as fs, type Dirent } from 'node:fs';
import path from 'node:path';

import { IgnoreRules } from './gitignore.ts';

export interface Entry {
  /** Relative to where the walk began, with `/`. */
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

export interface Skipped {
  /** Like the path of an entry; a folder ends in `/` and stands for all that is in it. */
  path: string;
  why: 'ignored' | 'internal' | 'unreadable';
}

export interface Walk {
  /** A folder before what is in it, names in order. */
  entries: Entry[];
  skipped: Skipped[];
  /** False when the walk ended early because there is too much. */
  complete: boolean;
}

export interface WalkOptions {
  workspace: string;
  /** Also what is in the folders. Symbolic links are named, never followed. */
  deep: boolean;
  /** It ends after this many entries. */
  most: number;
  signal: AbortSignal;
}

/** Folders of git and of Polyglav: shown only to those who ask for them by name. */
export const INTERNAL: readonly string[] = ['.git', '.polyglav'];

/** `start` is the absolute real path of a folder. Rejects when that cannot be listed, or with the abort reason. */
export async function walk(start: string, options: WalkOptions): Promise<Walk> {
  const found: Walk = { entries: [], skipped: [], complete: true };
  const { rules } = await IgnoreRules.of(start, options.workspace);
  await visit(start, '', rules, options, found, await fs.readdir(start, { withFileTypes: true }));
  return found;
}

async function visit(
  folder: string,
  prefix: string,
  rules: IgnoreRules,
  options: WalkOptions,
  found: Walk,
  children: Dirent[],
): Promise<void> {
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const child of children) {
    options.signal.throwIfAborted();
    if (found.entries.length >= options.most) {
      found.complete = false;
      return;
    }
    const isFolder = child.isDirectory();
    const shown = `${prefix}${child.name}`;
    const real = path.join(folder, child.name);
    const why = skipReason(child.name, real, isFolder, rules);
    if (why !== undefined) {
      found.skipped.push({ path: isFolder ? `${shown}/` : shown, why });
      continue;
    }
    found.entries.push({ path: shown, kind: kindOf(child) });
    if (!options.deep || !isFolder) continue;
    try {
      const inner = await fs.readdir(real, { withFileTypes: true });
      await visit(real, `${shown}/`, await rules.within(real), options, found, inner);
    } catch (error) {
      options.signal.throwIfAborted();
      found.skipped.push({ path: `${shown}/`, why: 'unreadable' });
    }
  }
}

function skipReason(name: string, real: string, isFolder: boolean, rules: IgnoreRules): Skipped['why'] | undefined {
  if (INTERNAL.includes(name)) return 'internal';
  return rules.ignores(real, isFolder) ? 'ignored' : undefined;
}

function kindOf(child: Dirent): Entry['kind'] {
  if (child.isFile()) return 'file';
  if (child.isDirectory()) return 'folder';
  return child.isSymbolicLink() ? 'link' : 'other';
}

const MOST_NAMED = 8;

/** `[Skipped: 2 ignored by git (dist/, a.log), 1 internal (.git/). …]`, or nothing. */
export function skippedRemark(skipped: readonly Skipped[], how: string): string[] {
  const words = { ignored: 'ignored by git', internal: 'internal', unreadable: 'unreadable' } as const;
  const groups = (['ignored', 'internal', 'unreadable'] as const).flatMap((why) => {
    const paths = skipped.filter((entry) => entry.why === why).map((entry) => entry.path);
    if (paths.length === 0) return [];
    const named = paths.slice(0, MOST_NAMED).join(', ') + (paths.length > MOST_NAMED ? ', …' : '');
    return [`${paths.length} ${words[why]} (${named})`];
  });
  return groups.length === 0 ? [] : [`[Skipped: ${groups.join('; ')}. ${how}]`];
}
