/** What it costs to open a large session, and to list many (R7). */
import { copyFile, mkdir, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { toLayout } from '../src/session/foreign.ts';
import type { Turn } from '../src/session/schema.ts';
import { SessionStore } from '../src/session/store.ts';
import { writeLargeSession } from './export.ts';
import { median, ms, quantile, size, timed, type Row } from './table.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const TIMES = 5;

export async function openRows(workspace: string): Promise<Row[]> {
  const store = new SessionStore(workspace, { version: '1.0.0' });
  await writeLargeSession(workspace, 'large', 100e6);
  await writeFile(join(store.dir, 'chatty.json'), sessionText('chatty', 155_000));
  return [await openRow(store, 'large', 'long outputs'), await openRow(store, 'chatty', 'short turns')];
}

/** Each time a session that was never opened before. */
async function openRow(store: SessionStore, name: string, what: string): Promise<Row> {
  const path = join(store.dir, `${name}.json`);
  const [opened, parsed]: [number[], number[]] = [[], []];
  for (let again = 0; again < TIMES; again++) {
    parsed.push(await timed(async () => JSON.parse(await readFile(path, 'utf8')) as unknown));
    const fresh = `${name}-${again}`;
    await copyFile(path, join(store.dir, `${fresh}.json`));
    let done: () => Promise<void> = async () => undefined;
    opened.push(
      await timed(async () => {
        const { file } = await store.open(fresh);
        done = () => file.close();
      }),
    );
    await done();
    await rm(join(store.dir, `${fresh}.json`));
  }
  return {
    what: `opening a session of ${size((await stat(path)).size)} (${what})`,
    measured: ms(median(opened)),
    max: ms(quantile(opened, 1)),
    against: `${ms(median(parsed))} JSON.parse of it`,
    ratio: median(opened) / median(parsed),
    bar: 1.5,
  };
}

export async function listRows(workspace: string, count = 10_000): Promise<Row[]> {
  const dir = new SessionStore(workspace, { version: '1.0.0' }).dir;
  await mkdir(dir, { recursive: true });
  for (let number = 0; number < count; number++)
    await writeFile(
      join(dir, `session-${number}.json`),
      sessionText(`session-${number}`, 1 + (number % 20), number % 40),
    );
  const [listed, read]: [number[], number[]] = [[], []];
  for (let again = 0; again < TIMES; again++) {
    read.push(await timed(() => readBeginnings(dir)));
    // A new one, which remembers nothing.
    listed.push(await timed(() => new SessionStore(workspace, { version: '1.0.0' }).list()));
  }
  return [
    {
      what: `listing ${count.toLocaleString('en')} sessions`,
      measured: ms(median(listed)),
      against: `${ms(median(read))} reading the first 4 KiB of each`,
      ratio: median(listed) / median(read),
      bar: 2,
    },
  ];
}

async function readBeginnings(dir: string): Promise<void> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.json'));
  let next = 0;
  const worker = async () => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      const handle = await open(join(dir, file), 'r');
      await handle.read(Buffer.alloc(4096), 0, 4096, 0);
      await handle.close();
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

function sessionText(name: string, turns: number, decisions = 0): string {
  const all = Array.from({ length: turns }, (_, position): Turn => ({
    index: position + 1,
    started_at: AT,
    mode: 'build',
    model: 'm',
    provider: 'p',
    ended_at: AT,
    status: 'ok',
    parts: [
      { type: 'user', text: `Prompt ${position} of ${name}`, timestamp: AT },
      { type: 'text', text: 'An answer. '.repeat(40), timestamp: AT },
    ],
  }));
  const header = { created_at: AT, parent_id: '', role: '', session_id: '', session_name: name, version: '1.0.0' };
  const path = '/home/me/shop/src/components/basket/summary.ts';
  const decision = {
    tool: 'file_read',
    action: 'allow',
    decision: 'granted',
    path,
    timestamp: AT,
    turn: turns,
    part: 1,
  };
  const permissions = Array.from({ length: decisions }, () => ({ ...decision, by: 'default' }));
  const lists = { errors: [], permissions, sub_sessions: [] };
  return toLayout(JSON.stringify({ ...header, turns: all, ...lists, updated_at: AT }));
}
