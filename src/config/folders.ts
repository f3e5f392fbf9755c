/** What the user's file says for single folders. */
import { stat } from 'node:fs/promises';

import type { LayerFault } from './layer.ts';
import type { PermissionRules } from './permissionSchema.ts';
import type { ConfigFile } from './schema.ts';

/**
 * The rules for `workspace`, an absolute real path, under whatever path the file names it: the system says whether two paths lead
 * to one folder, so links count, and letter case where it does not. It is asked once in {@link KNOWN_MS}: the rules are read before
 * each call, and some of the paths may be on a disk that is far away. `now`: in milliseconds, of a clock that is never set.
 */
export async function folderRules(
  { folders = {} }: ConfigFile,
  workspace: string,
  now = performance.now(),
): Promise<PermissionRules[]> {
  const found = await Promise.all(
    Object.entries(folders).map(async ([path, { permissions }]) =>
      permissions !== undefined && (await isKnownSame(path, workspace, now)) ? [permissions] : [],
    ),
  );
  return found.flat();
}

const KNOWN_MS = 30_000;
const MOST_KNOWN = 1000;
const known = new Map<string, { same: Promise<boolean>; until: number }>();

function isKnownSame(path: string, workspace: string, now: number): Promise<boolean> {
  const key = JSON.stringify([path, workspace]);
  const found = known.get(key);
  if (found !== undefined && now < found.until) return found.same;
  if (known.size >= MOST_KNOWN) known.clear();
  const same = isSameFolder(path, workspace);
  known.set(key, { same, until: now + KNOWN_MS });
  return same;
}

/** As it is at this moment. */
export async function isSameFolder(path: string, workspace: string): Promise<boolean> {
  if (path === workspace) return true;
  try {
    const [one, other] = await Promise.all([stat(path, { bigint: true }), stat(workspace, { bigint: true })]);
    return one.isDirectory() && one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}

/** A project speaks for itself alone. */
export function foldersOfProject({ folders }: ConfigFile, userFile: string): LayerFault[] {
  if (folders === undefined) return [];
  const message = `belongs in ${userFile}: it is for folders of your own choice. A project's rules stand under permissions.`;
  return [{ path: ['folders'], message }];
}
