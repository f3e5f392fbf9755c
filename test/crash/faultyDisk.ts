/** A disk that refuses what is asked of it: some call of some kind fails, once or for a while, until it is back. */
import { AsyncLocalStorage } from 'node:async_hooks';
import fsp, { type FileHandle } from 'node:fs/promises';

import fc from 'fast-check';

import { replaceCalls, writes } from './replacedCalls.ts';

const NAMES = ['rename', 'link', 'rm', 'readdir', 'mkdir', 'lstat', 'copyFile'] as const;
const OF_HANDLES = ['write', 'datasync', 'sync', 'truncate', 'read'] as const;
const CALLS = ['open', ...NAMES, ...OF_HANDLES] as const;
type CallName = (typeof CALLS)[number];

export interface Fault {
  call: CallName;
  code: string;
  /** So many calls of that kind are good before it. */
  after: number;
  /** So many are not, from there on. */
  times: number;
}

/** In the message of each failure, which no person should have to read. */
export const INJECTED = 'as the system words it';
const CODES = ['ENOSPC', 'EACCES', 'EIO', 'EMFILE', 'EROFS'];

export function faults(times: fc.Arbitrary<number>): fc.Arbitrary<Fault[]> {
  return fc.array(
    fc.record({
      // Mostly what a writer does.
      call: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom<CallName>('open', 'write', 'datasync', 'sync') },
        { weight: 1, arbitrary: fc.constantFrom<CallName>(...CALLS) },
      ),
      code: fc.constantFrom(...CODES),
      after: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 12 })),
      times,
    }),
    { minLength: 1, maxLength: 3 },
  );
}

export class FaultyDisk {
  /** Calls that were asked for below the folder. */
  calls = 0;
  /** Writes to journals that came to the disk. */
  saved = 0;
  readonly stop: () => void;
  readonly #root: string;
  readonly #unharmed = new AsyncLocalStorage<boolean>();
  readonly #seen = new Map<CallName, number>();
  #faults: readonly Fault[];

  /** Until `stop`, calls of node:fs/promises below `root` fail as `faults` say. */
  constructor(root: string, faults: readonly Fault[]) {
    this.#root = root;
    this.#faults = faults;
    const { open } = fsp;
    const named = NAMES.map((name) => {
      const original = fsp[name] as (...args: unknown[]) => Promise<unknown>;
      return [
        name,
        async (path: string, ...more: unknown[]) => {
          this.#meet(name, path);
          return original(path, ...more);
        },
      ];
    });
    this.stop = replaceCalls({
      ...(Object.fromEntries(named) as object),
      open: async (path: string, flags: string | number, mode?: number) => {
        this.#meet('open', path);
        return this.#harm(await open(path, flags, mode), path, writes(flags));
      },
    });
  }

  /** From here on everything works. */
  back(): void {
    this.#faults = [];
  }

  /** What `use` does meets no fault and is not counted. */
  unharmed<T>(use: () => Promise<T>): Promise<T> {
    return this.#unharmed.run(true, use);
  }

  #harm(handle: FileHandle, path: string, written: boolean): FileHandle {
    const methods = OF_HANDLES.map((name) => {
      const original = handle[name].bind(handle) as (...args: unknown[]) => Promise<unknown>;
      return [
        name,
        async (...args: unknown[]) => {
          try {
            this.#meet(name, path);
          } catch (error) {
            // Of a write that fails something may be on the disk.
            if (name === 'write' && written) await original(args[0], args[1], Math.floor(Number(args[2]) / 2), args[3]);
            throw error;
          }
          const result = await original(...args);
          if (name === 'datasync' && path.endsWith('.jsonl')) this.saved++;
          return result;
        },
      ];
    });
    return Object.assign(handle, Object.fromEntries(methods) as object);
  }

  /** Throws when the call is to fail. */
  #meet(call: CallName, path: string): void {
    if (!path.startsWith(this.#root) || this.#unharmed.getStore() === true) return;
    this.calls++;
    const number = this.#seen.get(call) ?? 0;
    this.#seen.set(call, number + 1);
    const fault = this.#faults.find(
      (each) => each.call === call && number >= each.after && number < each.after + each.times,
    );
    if (fault === undefined) return;
    const error = new Error(`${fault.code}: ${INJECTED}, ${call} '${path}'`);
    throw Object.assign(error, { code: fault.code, syscall: call, path });
  }
}
