/** What the holder of the lock does with what a crash, another program or another layout left, before it writes on. */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';

import { setAside, writeAside } from './aside.ts';
import { replaceFile, syncFolder } from './disk.ts';
import { stopsInBase } from './journal.ts';
import { SessionError } from './parse.ts';
import type { Opened } from './record.ts';
import { openRegular } from './regular.ts';
import { filePath, journalFolder, type Place } from './source.ts';
import { visible } from './visible.ts';

/**
 * Writes the record whole when it is not whole by itself in our layout. `anew`: in any case, to a new file, because whoever had
 * it may still hold the old one open. Returns what to tell the person.
 */
export async function recover(place: Place, opened: Opened, anew: boolean): Promise<string[]> {
  const { look, front, tail } = opened;
  const notices = nameNotice(place, opened);
  if (look.converted === undefined && look.journals.length === 0 && !anew) return notices;
  const { bytes } = tail.render();
  if (look.converted !== undefined || look.journal !== undefined || anew)
    await replaceFile(filePath(place), frontBytes(place, opened, front, bytes));
  if (look.mismatch)
    notices.push(
      `${place.name}.json was changed by another program while its journal still held newer entries. The file counts; the journal is kept in .journal/aside.`,
    );
  if (look.journal !== undefined && look.journal.rest.length > 0) {
    await writeAside(place, `${place.name}.rest`, look.journal.rest);
    notices.push(
      look.journal.refused === undefined
        ? 'The last entry of the session was cut off by a crash before it was acknowledged. What there is of it is kept in .journal/aside.'
        : `The journal of ${place.name}.json holds what cannot be used (${visible(look.journal.refused)}). The session goes on from before that; the rest is kept in .journal/aside.`,
    );
  }
  // Oldest first: cut off in between, the newest is still the one that counts.
  for (const path of look.journals.toReversed()) {
    const damaged = !look.mismatch && isUnread(look, path) && !(await stopsInBase(path));
    if (look.mismatch || damaged) await setAside(place, path, `${place.name}.jsonl`);
    else await rm(path, { force: true });
    if (damaged)
      notices.push(
        `The journal ${basename(path)} cannot be read, because its beginning is damaged. The session goes on without the entries that stood there alone; the journal is kept in .journal/aside.`,
      );
  }
  await syncFolder(journalFolder(place.dir));
  return notices;
}

/** Newer than the journal that counts, which has all that older ones had. */
function isUnread({ journal, journals }: Opened['look'], path: string): boolean {
  return journal === undefined || journals.indexOf(path) < journals.indexOf(journal.path);
}

/** A file that was copied or renamed (R10). */
function nameNotice({ name }: Place, { look }: Opened): string[] {
  const written = look.visited.headerName;
  if (written === name) return [];
  return [`${name}.json calls itself ${JSON.stringify(written)} inside. It goes by the name of its file.`];
}

async function* frontBytes(place: Place, { look }: Opened, front: number, end: Buffer): AsyncGenerator<Buffer> {
  if (look.converted !== undefined) {
    yield Buffer.from(look.converted).subarray(0, front);
  } else {
    const inFile = Math.min(front, look.journal?.front.length ?? front);
    const handle = await openRegular(filePath(place));
    try {
      for (let offset = 0; offset < inFile;) {
        const chunk = Buffer.allocUnsafe(Math.min(1 << 20, inFile - offset));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
        if (bytesRead === 0) throw new SessionError(`${place.name}.json became shorter while it was read`);
        yield chunk.subarray(0, bytesRead);
        offset += bytesRead;
      }
    } finally {
      await handle.close();
    }
    if (front > inFile && look.journal !== undefined) yield look.journal.end.subarray(0, front - inFile);
  }
  yield end;
}
