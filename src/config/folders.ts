/** What the user's file says for single folders. */
import { stat } from 'node:fs/promises';

import type { LayerFault } from './layer.ts';
import type { PermissionRules } from './permissionSchema.ts';
import type { ConfigFile } from './schema.ts';

/**
 * The rules for `workspace`, an absolute real path, under whatever path the file names it: the system says whether two paths lead
 * to one folder, so links count, and letter case where it does not.
 */
export async function folderRules({ folders = {} }: ConfigFile, workspace: string): Promise<PermissionRules[]> {
  const found = await Promise.all(
    Object.entries(folders).map(async ([path, { permissions }]) =>
      permissions !== undefined && (await isSameFolder(path, workspace)) ? [permissions] : [],
    ),
  );
  return found.flat();
}

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
