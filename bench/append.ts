/** What a durable append costs in sessions of several lengths (R7). */
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { replaceFile } from '../src/session/disk.ts';
import type { SessionEvent } from '../src/session/events.ts';
import type { SessionFile } from '../src/session/file.ts';
import { nextIndex } from '../src/session/reduce.ts';
import { SessionStore } from '../src/session/store.ts';
import { median, ms, size, timed, type Row } from './table.ts';

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
  appends: number[];
  bare: number[];
  /** Bytes that all of its writes brought to the disk. */
  written: number;
  events: number;
}

export async function appendRows(workspace: string): Promise<Row[]> {
  const store = new SessionStore(workspace, { version: '1.0.0' });
  const subjects: Subject[] = [];
  for (const [what, shape] of Object.entries(SESSIONS)) {
    const file = await make(store, what.replace(/\W/g, '-'), shape);
    subjects.push({ what, file, appends: [], bare: [], written: 0, events: 0 });
  }
  const bare = await open(join(workspace, 'bare'), 'a');
  const counter = countWrites(bare);
  // The first rounds are not counted: code that runs for the first time is slow.
  for (let round = -20; round < ROUNDS; round++)
    // One after the other, so that whatever else the machine does meets all alike.
    for (const subject of subjects)
      for (const event of roundOf(subject.file)) {
        const line = Buffer.from(`${subject.events} 0123456789abcdef ${JSON.stringify(event)}\n`);
        const direct = await timed(async () => {
          await bare.write(line);
          await bare.datasync();
        });
        counter.bytes = 0;
        const append = await timed(() => subject.file.append(event));
        if (round < 0) continue;
        subject.written += counter.bytes;
        subject.events++;
        subject.appends.push(append);
        subject.bare.push(direct);
      }
  const rows = await Promise.all(subjects.map((subject) => rowOf(subject, subjects[0] as Subject)));
  counter.stop();
  await bare.close();
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
  return [...rows.flat(), ...rewriting];
}

async function rowOf(subject: Subject, shortest: Subject): Promise<Row[]> {
  const { what, appends, bare, written, events } = subject;
  const [append, direct] = [median(appends), median(bare)];
  return [
    {
      what: `durable append, ${what}`,
      measured: ms(append),
      against: `${ms(direct)} append and fdatasync`,
      ratio: append / direct,
      bar: 1.3,
    },
    ...(subject === shortest
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
      what: `bytes per append, ${what}`,
      measured: size(Math.round(written / events)),
      against: 'with what checkpoints wrote meanwhile',
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

/** Counts what goes through any file handle. */
function countWrites(handle: FileHandle): { bytes: number; stop(): void } {
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const { write } = prototype;
  const counter = {
    bytes: 0,
    stop: () => {
      prototype.write = write;
    },
  };
  prototype.write = async function (this: FileHandle, ...args: unknown[]) {
    const result = await (write as (...args: unknown[]) => Promise<{ bytesWritten: number }>).apply(this, args);
    counter.bytes += result.bytesWritten;
    return result;
  } as FileHandle['write'];
  return counter;
}
