/** What a durable append costs in sessions of several lengths (R7). */
import { AsyncLocalStorage } from 'node:async_hooks';
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { replaceFile } from '../src/session/disk.ts';
import type { SessionEvent } from '../src/session/events.ts';
import type { SessionFile } from '../src/session/file.ts';
import { nextIndex } from '../src/session/reduce.ts';
import { SessionStore } from '../src/session/store.ts';
import { WrittenFile } from '../src/session/writtenFile.ts';
import { median, ms, quantile, size, timed, type Row } from './table.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
/** Rounds of calls that are measured in each session; each appends three events. */
const ROUNDS = 150;

const SESSIONS = {
  '10 turns': { turns: 10, rounds: 1, permissions: 0 },
  '1,000 turns': { turns: 1000, rounds: 1, permissions: 0 },
  '20,000 turns': { turns: 20_000, rounds: 1, permissions: 0 },
  '20,000 permissions': { turns: 10, rounds: 1, permissions: 20_000 },
  'one turn of 5,000 rounds': { turns: 0, rounds: 5000, permissions: 0 },
};

interface Subject {
  what: string;
  file: SessionFile;
  /** Milliseconds. */
  appends: number[];
  bare: number[];
  /** From one checkpoint to the end of the next, which fell due by themselves: milliseconds, and bytes that went to the disk. */
  cycle: { appends: number[]; bytes: number };
}

export async function appendRows(workspace: string): Promise<Row[]> {
  const store = new SessionStore(workspace, { version: '1.0.0' });
  const subjects: Subject[] = [];
  for (const [what, shape] of Object.entries(SESSIONS)) {
    const file = await make(store, what.replace(/\W/g, '-'), shape);
    subjects.push({ what, file, appends: [], bare: [], cycle: { appends: [], bytes: 0 } });
  }
  const bare = await open(join(workspace, 'bare'), 'a');
  // The first rounds are not counted: code that runs for the first time is slow.
  for (let round = -20; round < ROUNDS; round++)
    // One after the other, so that whatever else the machine does meets all alike.
    for (const subject of subjects)
      for (const event of roundOf(subject.file)) {
        const line = Buffer.from(`${subject.appends.length} 0123456789abcdef ${JSON.stringify(event)}\n`);
        const direct = await timed(async () => {
          await bare.write(line);
          await bare.datasync();
        });
        const append = await timed(() => subject.file.append(event));
        if (round < 0) continue;
        subject.appends.push(append);
        subject.bare.push(direct);
      }
  const written = new Written(bare);
  for (const subject of subjects) await runCycle(subject, written);
  written.stop();
  await bare.close();
  const rows = subjects.flatMap((subject) => rowsOf(subject, subjects[0] as Subject));
  for (const { file } of subjects) await file.close();
  const rewriting: Row[] = [];
  for (const { what, file, appends } of subjects) {
    const content = await readFile(file.path);
    const times: number[] = [];
    for (let again = 0; again < 5; again++)
      times.push(await timed(() => replaceFile(join(workspace, 'copy'), [content])));
    rewriting.push({
      what: `the same, ${what}`,
      measured: ms(median(appends)),
      against: `${ms(median(times))} rewriting the file (${size((await stat(file.path)).size)})`,
      ratio: median(appends) / median(times),
    });
  }
  return [...rows, ...rewriting];
}

/** Appends until a checkpoint falls due, then measures until the next has. */
async function runCycle({ file, cycle }: Subject, written: Written): Promise<void> {
  const untilCheckpoint = (append: (event: SessionEvent) => Promise<void>) =>
    written.during(async (sum) => {
      while (sum.checkpoints === 0) for (const event of roundOf(file)) await append(event);
    });
  await untilCheckpoint((event) => file.append(event));
  const { bytes } = await untilCheckpoint(async (event) => {
    cycle.appends.push(await timed(() => file.append(event)));
  });
  cycle.bytes = bytes;
}

function rowsOf({ what, appends, bare, cycle }: Subject, shortest: Subject): Row[] {
  const [append, direct] = [median(appends), median(bare)];
  return [
    {
      what: `durable append, ${what}`,
      measured: ms(append),
      against: `${ms(direct)} append and fdatasync`,
      ratio: append / direct,
      bar: 1.3,
    },
    ...(appends === shortest.appends
      ? []
      : [
          {
            what: `durable append, ${what}`,
            measured: ms(append),
            against: `${ms(median(shortest.appends))} with ${shortest.what}`,
            ratio: append / median(shortest.appends),
            bar: 1.2,
          },
        ]),
    {
      what: `with a checkpoint, ${what}`,
      measured: ms(median(cycle.appends)),
      p99: ms(quantile(cycle.appends, 0.99)),
      max: ms(quantile(cycle.appends, 1)),
      against: `${cycle.appends.length.toLocaleString('en')} appends, ${size(Math.round(cycle.bytes / cycle.appends.length))} written for each`,
    },
  ];
}

/** A call, the decision on it, and its result. */
function roundOf({ session }: SessionFile): SessionEvent[] {
  const turn = session.turns.at(-1);
  const part = turn?.parts.length ?? 0;
  return [
    {
      type: 'part_added',
      at: AT,
      part: { type: 'tool', name: 'file_read', input: { path: `src/${part}.ts` }, timestamp: AT, round: part + 1 },
    },
    { type: 'permission', at: AT, entry: permission(turn?.index ?? 0, part + 1) },
    { type: 'part_filled', at: AT, part, fill: { output: 'x'.repeat(800), is_error: false } },
  ];
}

function permission(turn: number, part: number) {
  return {
    tool: 'file_read',
    action: 'allow' as const,
    decision: 'granted' as const,
    path: '/home/somebody/project/src/a.ts',
    timestamp: AT,
    turn,
    part,
    by: 'default',
  };
}

/** Ends with a turn that runs. */
async function make(
  store: SessionStore,
  name: string,
  { turns, rounds, permissions }: { turns: number; rounds: number; permissions: number },
): Promise<SessionFile> {
  const file = await store.create({ name });
  const all: Promise<void>[] = [];
  const append = (event: SessionEvent) => all.push(file.append(event));
  const start = () => {
    append({
      type: 'turn_started',
      at: AT,
      turn: { index: nextIndex(file.session), started_at: AT, mode: 'build', model: 'm', status: 'running', parts: [] },
    });
  };
  for (let turn = 0; turn < turns; turn++) {
    start();
    append({ type: 'part_added', at: AT, part: { type: 'user', text: `Prompt ${turn}`, timestamp: AT } });
    append({ type: 'part_added', at: AT, part: { type: 'text', text: 'An answer. '.repeat(20), timestamp: AT } });
    append({ type: 'turn_ended', at: AT, status: 'ok' });
  }
  start();
  for (let round = 0; round < rounds; round++) roundOf(file).forEach(append);
  for (let entry = 0; entry < permissions; entry++)
    append({ type: 'permission', at: AT, entry: permission(1, entry + 1) });
  await Promise.all(all);
  await file.flush();
  return file;
}

interface Sum {
  bytes: number;
  /** Ends of files that were put in order. */
  checkpoints: number;
}

/** Counts what a subject's work brings to the disk, that behind the appends included. */
class Written {
  readonly stop: () => void;
  readonly #sums = new AsyncLocalStorage<Sum>();

  constructor(handle: FileHandle) {
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const { write } = handles;
    const { rewriteEnd } = WrittenFile.prototype;
    const add = (bytes: number, checkpoints: number) => {
      const sum = this.#sums.getStore();
      if (sum === undefined) return;
      sum.bytes += bytes;
      sum.checkpoints += checkpoints;
    };
    handles.write = async function (this: FileHandle, ...args: unknown[]) {
      const result = await (write as (...args: unknown[]) => Promise<{ bytesWritten: number }>).apply(this, args);
      add(result.bytesWritten, 0);
      return result;
    } as FileHandle['write'];
    WrittenFile.prototype.rewriteEnd = async function (...args) {
      await rewriteEnd.apply(this, args);
      add(0, 1);
    };
    this.stop = () => {
      handles.write = write;
      WrittenFile.prototype.rewriteEnd = rewriteEnd;
    };
  }

  async during(work: (sum: Sum) => Promise<void>): Promise<Sum> {
    const sum = { bytes: 0, checkpoints: 0 };
    await this.#sums.run(sum, () => work(sum));
    return sum;
  }
}
