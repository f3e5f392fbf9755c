/** The folders that the record lives in, made when first needed and private (R15). */
import { lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { nanoid } from 'nanoid';

import { renameOver, writeNew } from './disk.ts';
import { SessionError } from './parse.ts';

/** What a team shares. */
export const SHARED: readonly string[] = ['config.json', 'roles'];
/** What stays out of a repository: everything but that. */
export const GITIGNORE = '*\n!config.json\n!roles/\n!roles/**\n';

/** `dir`: the folder of sessions, `<workspace>/.polyglav/sessions`. */
export async function makeFolders(dir: string): Promise<void> {
  await assertOwnFolders(dir);
  await mkdir(join(dir, '.journal'), { recursive: true, mode: 0o700 });
  const path = join(dirname(dir), '.gitignore');
  // Also one that a full disk left empty: it would show every transcript to the repository.
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > 0) return;
  // Its own name: several may make it at once.
  const temporary = `${path}.${nanoid()}.new`;
  await writeNew(temporary, [Buffer.from(GITIGNORE)]);
  await renameOver(temporary, path);
}

/** A link would lead the record out of the workspace, into a folder of somebody else. Throws SessionError. */
export async function assertOwnFolders(dir: string): Promise<void> {
  for (const folder of [dirname(dir), dir, join(dir, '.journal'), join(dir, '.journal', 'aside')]) {
    const info = await lstat(folder).catch(() => undefined);
    if (info?.isSymbolicLink() === true)
      throw new SessionError(
        `${folder} is a link. Sessions are kept in the workspace itself: remove the link, or move the folder here.`,
      );
  }
}
