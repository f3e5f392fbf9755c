/** What cannot be used is kept in `.journal/aside`, under a name that begins with the time: nothing is deleted. */
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { nanoid } from 'nanoid';

import { secondName, syncFolder, writeNew } from './disk.ts';
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
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Several may come at the same moment.
  return join('.journal', 'aside', `${new Date().toISOString().replaceAll(':', '-')}.${nanoid(6)}.${label}`);
}
