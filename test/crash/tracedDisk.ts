/**
 * Records what a program does to the files of one folder, call by call, and puts the folder together as a crash at any point
 * would have left it. Calls count in the order in which the system answered them.
 */
import fsp, { type FileHandle } from 'node:fs/promises';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { replaceCalls, writes } from './replacedCalls.ts';

/** The one form in which the record writes. */
type Write = (
  this: FileHandle,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number | null,
) => Promise<{ bytesWritten: number }>;

/** `file` numbers what stands behind a name, so that it stays the same through a rename. */
export type Call =
  | { do: 'create'; path: string; file: number }
  | { do: 'write'; file: number; at: number; bytes: Buffer }
  | { do: 'truncate'; file: number; length: number }
  | { do: 'sync'; file: number }
  | { do: 'syncFolder'; path: string }
  | { do: 'rename' | 'link'; from: string; to: string }
  | { do: 'remove'; path: string }
  /** Not a call: the script was told that it is safe. */
  | { do: 'acknowledged'; count: number };

export class TracedDisk {
  readonly calls: Call[] = [];
  readonly #root: string;
  readonly #files = new Map<string, number>();
  #next = 0;
  readonly stop: () => void;

  /** Until `stop`, every use of node:fs/promises below `root` is recorded. Only the calls that the record uses are known. */
  constructor(root: string) {
    this.#root = root;
    const { open, rename, link, rm } = fsp;
    this.stop = replaceCalls({
      open: async (path: string, flags: string | number, mode?: number) => {
        const existed = this.#files.has(this.#relative(path));
        const handle = await open(path, flags, mode);
        if (!path.startsWith(root) || !writes(flags)) return this.#reading(handle, path);
        if (!existed) this.#create(path);
        return this.#writing(handle, this.#files.get(this.#relative(path)) as number);
      },
      rename: async (from: string, to: string) => {
        await rename(from, to);
        this.#move(from, to);
        this.#files.delete(this.#relative(from));
        this.calls.push({ do: 'rename', from: this.#relative(from), to: this.#relative(to) });
      },
      link: async (from: string, to: string) => {
        await link(from, to);
        this.#move(from, to);
        this.calls.push({ do: 'link', from: this.#relative(from), to: this.#relative(to) });
      },
      rm: async (path: string, options?: object) => {
        await rm(path, options);
        if (this.#files.delete(this.#relative(path))) this.calls.push({ do: 'remove', path: this.#relative(path) });
      },
    });
  }

  /** A file that was there before, with its content. */
  add(path: string, content: Buffer): void {
    this.#create(path);
    const file = this.#files.get(this.#relative(path)) as number;
    this.calls.push({ do: 'write', file, at: 0, bytes: content }, { do: 'sync', file });
    this.calls.push({ do: 'syncFolder', path: this.#relative(dirname(path)) });
  }

  acknowledge(count: number): void {
    this.calls.push({ do: 'acknowledged', count });
  }

  #create(path: string): void {
    this.#files.set(this.#relative(path), this.#next);
    this.calls.push({ do: 'create', path: this.#relative(path), file: this.#next++ });
  }

  #move(from: string, to: string): void {
    const file = this.#files.get(this.#relative(from));
    if (file !== undefined) this.#files.set(this.#relative(to), file);
  }

  #writing(handle: FileHandle, file: number): FileHandle {
    let end = 0;
    const { write, truncate, sync, datasync } = handle;
    Object.assign(handle, {
      write: async (buffer: Buffer, offset: number, length: number, position: number | null) => {
        const bytes = Buffer.from(buffer.subarray(offset, offset + length));
        const result = await (write as Write).call(handle, buffer, offset, length, position);
        const at = position ?? end;
        end = at + result.bytesWritten;
        this.calls.push({ do: 'write', file, at, bytes: bytes.subarray(0, result.bytesWritten) });
        return result;
      },
      truncate: async (length: number) => {
        await truncate.call(handle, length);
        this.calls.push({ do: 'truncate', file, length });
      },
      // No file is written to while it is being synced.
      sync: () => this.#synced(file, () => sync.call(handle)),
      datasync: () => this.#synced(file, () => datasync.call(handle)),
    });
    return handle;
  }

  async #synced(file: number, sync: () => Promise<void>): Promise<void> {
    await sync();
    this.calls.push({ do: 'sync', file });
  }

  #reading(handle: FileHandle, path: string): FileHandle {
    const { sync } = handle;
    return Object.assign(handle, {
      sync: async () => {
        await sync.call(handle);
        if (path.startsWith(this.#root)) this.calls.push({ do: 'syncFolder', path: this.#relative(path) });
      },
    });
  }

  #relative(path: string): string {
    return relative(this.#root, path);
  }
}

/**
 * What outlives the crash: everything that was done (the process was killed), or of contents (`data`) or names (`names`) only
 * what was synced (the power went).
 */
export interface Loss {
  data: boolean;
  names: boolean;
}

/** The files after the first calls: path → content. `cut`: of the last of them, a write, only so many bytes came to the disk. */
export function filesAfter(calls: readonly Call[], loss: Loss, cut?: number): Map<string, Buffer> {
  const contents = new Map<number, { now: Buffer; synced: Buffer }>();
  const names = new Map<string, number>();
  let syncedNames = new Map<string, number>();
  const content = (file: number) => {
    const found = contents.get(file) ?? { now: Buffer.alloc(0), synced: Buffer.alloc(0) };
    contents.set(file, found);
    return found;
  };
  for (const [position, call] of calls.entries())
    switch (call.do) {
      case 'create':
        names.set(call.path, call.file);
        break;
      case 'write': {
        const bytes = position === calls.length - 1 ? call.bytes.subarray(0, cut) : call.bytes;
        const { now } = content(call.file);
        const next = Buffer.alloc(Math.max(now.length, call.at + bytes.length));
        now.copy(next);
        bytes.copy(next, call.at);
        content(call.file).now = next;
        break;
      }
      case 'truncate':
        content(call.file).now = content(call.file).now.subarray(0, call.length);
        break;
      case 'sync':
        content(call.file).synced = content(call.file).now;
        break;
      case 'syncFolder': {
        const inside = (path: string) => dirname(path) === call.path || (call.path === '' && dirname(path) === '.');
        syncedNames = new Map([
          ...[...syncedNames].filter(([path]) => !inside(path)),
          ...[...names].filter(([path]) => inside(path)),
        ]);
        break;
      }
      case 'rename':
      case 'link':
        names.set(call.to, names.get(call.from) as number);
        if (call.do === 'rename') names.delete(call.from);
        break;
      case 'remove':
        names.delete(call.path);
        break;
      case 'acknowledged':
        break;
    }
  const left = loss.names ? syncedNames : names;
  return new Map([...left].map(([path, file]) => [path, loss.data ? content(file).synced : content(file).now]));
}

/** Makes the folder anew with these files alone. */
export function putFiles(root: string, files: ReadonlyMap<string, Buffer>): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const [path, content] of files) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
