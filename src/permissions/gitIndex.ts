/** What Git tracks, read from its index (`.git/index`, versions 2 to 4): no program is run to decide whether one may run. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

export interface TrackedFile {
  /** Absolute; the folders in it are as Git recorded them. */
  file: string;
  /** Seconds and nanoseconds, and the size, when it was last the same as what is recorded. */
  changed: readonly [number, number];
  size: number;
}

export interface Tracked {
  files: readonly TrackedFile[];
  /** When the index was written: what changed since then, or in that moment, may be another content of the same size. */
  written: bigint;
}

const LARGEST = 64 * 1024 * 1024;
const ENTRY_TIMES = 8;
const ENTRY_SIZE = 36;
/** Of an entry what stands before the id of its content, and how long that may be: SHA-1 or SHA-256. */
const BEFORE_ID = 40;
const ID_LENGTHS = [20, 32];
const LONGEST_SAID = 0xfff;
const EXTENDED = 0x4000;
/** Parts of the index by which it is not all of it: split, and with whole folders as one entry. */
const NOT_ALL = new Set(['link', 'sdir']);

/** The folder with `.git` in it that `folder` belongs to, itself or one above. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await fs.lstat(path.join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/** Undefined when that cannot be told. */
export async function trackedIn(repository: string): Promise<Tracked | undefined> {
  const file = path.join(await gitFolder(repository), 'index');
  try {
    const { size, mtimeNs } = await fs.stat(file, { bigint: true });
    if (size > LARGEST) return undefined;
    const index = await fs.readFile(file);
    for (const length of ID_LENGTHS) {
      const files = readIndex(index, length);
      if (files !== undefined)
        return { files: files.map((each) => ({ ...each, file: path.join(repository, each.file) })), written: mtimeNs };
    }
    return undefined;
  } catch (error) {
    return isMissing(error) ? { files: [], written: 0n } : undefined;
  }
}

/** Whether it has the content that Git recorded last, as far as Git itself sees that without reading it. */
export async function isAsTracked({ file, changed: [seconds, nanoseconds], size }: TrackedFile, written: bigint) {
  const info = await fs.lstat(file, { bigint: true }).catch(() => undefined);
  const changed = BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
  return info?.isFile() === true && info.mtimeNs === changed && changed < written && info.size === BigInt(size);
}

/** In a submodule or another working tree `.git` is a file that says where it is. */
async function gitFolder(repository: string): Promise<string> {
  const given = path.join(repository, '.git');
  const text = await fs.readFile(given, 'utf8').catch(() => '');
  const target = /^gitdir: (.+?)\r?\n?$/.exec(text)?.[1];
  return target === undefined ? given : path.resolve(repository, target);
}

function readIndex(index: Buffer, idLength: number): TrackedFile[] | undefined {
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const files: TrackedFile[] = [];
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += BEFORE_ID + idLength;
    if (at + 4 > index.length) return undefined;
    const flags = index.readUInt16BE(at);
    at += flags & EXTENDED ? 4 : 2;
    if (version === 4) {
      const shared = sharedPrefix(index, at);
      if (shared === undefined || shared.dropped > name.length) return undefined;
      name = name.subarray(0, name.length - shared.dropped);
      at = shared.end;
    } else name = Buffer.alloc(0);
    const end = index.indexOf(0, at);
    if (end < 0) return undefined;
    name = Buffer.concat([name, index.subarray(at, end)]);
    const said = flags & LONGEST_SAID;
    if (name.length === 0 || (said === LONGEST_SAID ? name.length < said : name.length !== said)) return undefined;
    // Up to version 3 each entry is filled up with at least one 0, to a multiple of 8 bytes.
    at = version === 4 ? end + 1 : start + Math.floor((end - start + 8) / 8) * 8;
    files.push({
      file: name.toString(),
      changed: [index.readUInt32BE(start + ENTRY_TIMES), index.readUInt32BE(start + ENTRY_TIMES + 4)],
      size: index.readUInt32BE(start + ENTRY_SIZE),
    });
  }
  return hasMore(index, at, idLength) ? undefined : files;
}

/** How many bytes of the name before are not in this one: seven bits a byte, the highest first. */
function sharedPrefix(index: Buffer, from: number): { dropped: number; end: number } | undefined {
  let at = from;
  let byte = index[at++] ?? 0;
  let dropped = byte & 0x7f;
  while (byte & 0x80) {
    if (at - from > 4) return undefined;
    byte = index[at++] ?? 0;
    dropped = (dropped + 1) * 0x80 + (byte & 0x7f);
  }
  return { dropped, end: at };
}

/** Whether what follows the entries says that there are others elsewhere, or cannot be read. */
function hasMore(index: Buffer, from: number, idLength: number): boolean {
  let at = from;
  while (at + 8 <= index.length - idLength) {
    if (NOT_ALL.has(index.toString('latin1', at, at + 4))) return true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at !== index.length - idLength;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
