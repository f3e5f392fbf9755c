/** Going through a folder as listing and searching see it: what is there, and what was skipped and why (P1). */
import { promises as fs, type Dirent } from 'node:fs';
import path from 'node:path';

import { shownPath } from '../permissions/paths.ts';
import { IgnoreRules } from './gitignore.ts';
import { RealFolder } from './realFolder.ts';
import { shownName } from './shownName.ts';
import { Turns } from './turns.ts';

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
  /** The folder where it began is ignored itself, so that nothing in it was skipped for that reason. */
  ignored: boolean;
  /** Absolute paths of ignore files that are too large to be heeded. */
  unheeded: string[];
}

export interface WalkOptions {
  workspace: string;
  /** Also what is in the folders. Symbolic links are named, never followed. */
  deep: boolean;
  /** It ends after this many entries, or when it takes too long. */
  most: number;
  signal: AbortSignal;
}

/** Folders of git and of Polyglav: shown only to those who ask for them by name. */
export const INTERNAL: readonly string[] = ['.git', '.polyglav'];

async function childrenOf(folder: RealFolder): Promise<Dirent[]> {
  const children = await fs.readdir(folder.at(), { withFileTypes: true });
  await folder.check();
  return children;
}

/** `start` is the absolute real path of a folder. Rejects when that cannot be listed, or with the abort reason. */
export async function walk(start: string, options: WalkOptions): Promise<Walk> {
  const { rules, ignored } = await IgnoreRules.of(start, options.workspace);
  const found: Walk = { entries: [], skipped: [], complete: true, ignored, unheeded: [...rules.unheeded] };
  const pace = new Pace(options);
  const folder = await RealFolder.open(start);
  try {
    await visit(folder, '', rules, { options, found, pace }, await childrenOf(folder));
  } finally {
    await folder.close();
  }
  return found;
}

interface Going {
  options: WalkOptions;
  found: Walk;
  pace: Pace;
}

async function visit(
  folder: RealFolder,
  prefix: string,
  rules: IgnoreRules,
  going: Going,
  children: Dirent[],
): Promise<void> {
  const { options, found, pace } = going;
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const child of children) {
    if (await pace.isOver(found)) {
      found.complete = false;
      return;
    }
    const isFolder = child.isDirectory();
    const shown = `${prefix}${child.name}`;
    const real = path.join(folder.real, child.name);
    const why = skipReason(child.name, real, isFolder, rules);
    if (why !== undefined) {
      found.skipped.push({ path: isFolder ? `${shown}/` : shown, why });
      continue;
    }
    found.entries.push({ path: shown, kind: kindOf(child) });
    if (!options.deep || !isFolder) continue;
    let inner: RealFolder | undefined;
    try {
      inner = await folder.inner(child.name);
      const children = await childrenOf(inner);
      const own = await rules.within(real);
      found.unheeded.push(...own.unheeded.slice(rules.unheeded.length));
      await visit(inner, `${shown}/`, own, going, children);
    } catch {
      options.signal.throwIfAborted();
      found.skipped.push({ path: `${shown}/`, why: 'unreadable' });
    } finally {
      await inner?.close();
    }
  }
}

const MOST_MS = 20_000;

/** Keeps a walk from taking the thread, or the time, for itself: a project's rules may be meant to cost much. */
class Pace {
  readonly #most: number;
  readonly #turns: Turns;
  readonly #began = performance.now();

  constructor({ most, signal }: WalkOptions) {
    this.#most = most;
    this.#turns = new Turns(signal);
  }

  /** Rejects with the abort reason. */
  async isOver({ entries, skipped }: Walk): Promise<boolean> {
    await this.#turns.pause();
    return entries.length + skipped.length >= this.#most || performance.now() - this.#began > MOST_MS;
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

/** `[Skipped: 2 ignored by git (dist/, a.log), 1 internal (.git/). …]`, and what was not skipped though it might have been. */
export function skippedRemarks({ skipped, unheeded }: Walk, workspace: string, how: string): string[] {
  const words = { ignored: 'ignored by git', internal: 'internal', unreadable: 'unreadable' } as const;
  const groups = (['ignored', 'internal', 'unreadable'] as const).flatMap((why) => {
    const paths = skipped.filter((entry) => entry.why === why).map((entry) => shownName(entry.path));
    if (paths.length === 0) return [];
    const named = paths.slice(0, MOST_NAMED).join(', ') + (paths.length > MOST_NAMED ? ', …' : '');
    return [`${paths.length} ${words[why]} (${named})`];
  });
  const files = unheeded.slice(0, MOST_NAMED).map((file) => shownName(shownPath(workspace, file)));
  return [
    ...(groups.length === 0 ? [] : [`[Skipped: ${groups.join('; ')}. ${how}]`]),
    ...(files.length === 0
      ? []
      : [`[Too large to be heeded, so nothing was skipped because of it: ${files.join(', ')}]`]),
  ];
}
