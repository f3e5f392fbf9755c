/** What cannot be used is kept in `.journal/aside`, under a name that begins with the time: nothing is deleted. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { nanoid } from 'nanoid';

import { secondName, syncFolder, writeNew } from './disk.ts';
import { assertOwnFolders } from './folders.ts';
import { journalFolder, type Place } from './source.ts';

/** Returns where it is now, relative to the sessions folder. */
export async function setAside(place: Place, path: string, label: string): Promise<string> {
  const target = await asidePath(place, label);
  await rename(path, join(place.dir, target));
  return target;
}

/** The same, durably, with a file that stays where it is until another one takes its place. */
export async function keepAside(place: Place, path: string, label: string): Promise<string> {
  const target = await asidePath(place, label);
  await secondName(path, join(place.dir, target));
  await syncFolder(dirname(join(place.dir, target)));
  return target;
}

export async function writeAside(place: Place, label: string, content: Buffer): Promise<void> {
  await writeNew(join(place.dir, await asidePath(place, label)), [content]);
}

async function asidePath(place: Place, label: string): Promise<string> {
  const folder = join(journalFolder(place.dir), 'aside');
  await assertOwnFolders(place.dir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Several may come at the same moment.
  return join('.journal', 'aside', `${new Date().toISOString().replaceAll(':', '-')}.${nanoid(6)}.${label}`);
}

/** The paths of all that was set aside of a session. */
export async function keptAside({ dir, name }: Place): Promise<string[]> {
  const folder = join(journalFolder(dir), 'aside');
  const files = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return files
    .filter((file) => {
      const label = /^[-\dT]+\.\d{3}Z\.[-\w]{6}\.(.*)$/s.exec(file)?.[1];
      return label !== undefined && [`${name}.json`, `${name}.jsonl`, `${name}.rest`].includes(label);
    })
    .map((file) => join(folder, file));
}
