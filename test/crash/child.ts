/**
 * What the crash tests kill: `node child.mjs <work> <workspace> <session> …`. It says each thing on standard output in one write,
 * as one line of JSON, after it was told that the thing is durable.
 */
import { appendFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

import { Engine } from '../../src/agent/engine.ts';
import { EMPTY_CONFIG } from '../../src/config/schema.ts';
import type { Provider, ProviderEvent } from '../../src/providers/provider.ts';
import type { SessionEvent } from '../../src/session/events.ts';
import { SessionFile } from '../../src/session/file.ts';
import { HeldError, SessionStore } from '../../src/session/store.ts';
import { diskFiles } from '../../src/tools/diskFiles.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { Said } from './said.ts';

const [work = '', workspace = '', session = '', ...more] = process.argv.slice(2);
const store = new SessionStore(workspace, { version: '1.0.0', program: 'a test' });

function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/** Prompts one after the other, each with many tools, until the kill. */
async function turns(): Promise<void> {
  const { append } = SessionFile.prototype;
  SessionFile.prototype.append = async function (this: SessionFile, event: SessionEvent) {
    const place = placeOf(this, event);
    await append.call(this, event);
    if (place !== undefined) say({ acknowledged: place });
  };
  const run = await engine(work === 'more').open(session);
  say({ opened: run.session.turns.length });
  for (;;) {
    const status = await (await run.submit(`Prompt ${run.session.turns.length + 1}`)).done;
    if (status !== 'ok') throw new Error(`the turn ended with ${status}: ${JSON.stringify(run.session.errors.at(-1))}`);
    say({ answered: run.session.turns.length });
    if (work === 'more') break;
  }
  await run.close();
}

/** Where in the session an event stands, and what stands there then; undefined for what only streams. */
function placeOf(file: SessionFile, event: SessionEvent): { path: (string | number)[]; value: unknown } | undefined {
  const { turns, permissions, errors } = file.session;
  const turn = turns.length - 1;
  switch (event.type) {
    case 'turn_started':
      return { path: ['turns', turn + 1, 'index'], value: event.turn.index };
    case 'part_added':
      return { path: ['turns', turn, 'parts', turns[turn]?.parts.length ?? 0, 'type'], value: event.part.type };
    case 'part_filled':
      return { path: ['turns', turn, 'parts', event.part, 'output'], value: event.fill.output };
    case 'turn_ended':
      return { path: ['turns', turn, 'status'], value: event.status };
    case 'permission':
      return { path: ['permissions', permissions.length], value: event.entry };
    case 'error':
      return { path: ['errors', errors.length], value: event.entry };
    default:
      return undefined;
  }
}

function engine(short: boolean): Engine {
  const provider = scripted(short ? 1 : 6);
  return new Engine({
    store,
    loadConfig: () => Promise.resolve({ config: { ...EMPTY_CONFIG, model: 'mock/m' }, problems: [] }),
    providers: () => ({ names: () => ['mock'], get: () => provider }),
    tools: [effect('file_read'), effect('file_write'), effect('run_command')],
    asker: { ask: async () => ({ answer: 'once' }) },
    files: diskFiles,
    ripgrep: undefined,
    env: {},
  });
}

let calls = 0;

/** Some rounds of several calls with text around them, then an answer. */
function scripted(rounds: number): Provider {
  return {
    name: 'mock',
    models: () => Promise.resolve(['m']),
    async *stream({ messages }): AsyncGenerator<ProviderEvent> {
      const round = messages.length - messages.findLastIndex(({ role }) => role === 'user');
      yield { type: 'text', text: 'I look at it. ' };
      const done = messages.slice(-round).filter(({ role }) => role === 'assistant').length >= rounds;
      const made = done
        ? []
        : ['file_read', 'file_write', 'run_command', 'file_read'].map((name) => {
            const id = `${process.pid}_${++calls}`;
            return { id, name, arguments: JSON.stringify({ id, path: 'a.txt' }) };
          });
      yield { type: 'finished', reason: done ? 'stop' : 'tool_calls', calls: made };
    },
  };
}

/** Its effect outlives the process and is there at once. */
function effect(name: string) {
  return defineTool({
    name,
    description: 'Leaves a trace.',
    schema: z.strictObject({ id: z.string(), path: z.string() }),
    reads_only: name === 'file_read',
    paths: ({ path }) => [path],
    words: () => ({ title: name }),
    async execute({ id }) {
      appendFileSync(join(workspace, 'effects.txt'), `${id}\n`);
      return { output: 'x'.repeat(2000) };
    },
  });
}

/** Writes as fast as it can. How many entries are safe stands in the file `count` at every moment. */
async function write(): Promise<void> {
  const file = await store.create({ name: session });
  const count = openSync(more[0] as string, 'w');
  const at = '2026-08-17T12:00:00.123+00:00';
  writeSync(count, '0'.padStart(9), 0);
  say({ opened: 0 });
  await file.append({ type: 'turn_started', at, turn: { index: 1, started_at: at, status: 'running', parts: [] } });
  for (let number = 1; ; number++) {
    await Promise.all([
      file.append({ type: 'part_added', at, part: { type: 'system', text: 'y'.repeat(700), timestamp: at } }),
      file.append({ type: 'error', at, entry: { code: number, message: 'x', timestamp: at } }),
    ]);
    writeSync(count, String(number).padStart(9), 0);
    if (number % 40 === 0) void file.flush();
  }
}

/** The same, but each few entries the session is closed and opened again, or for a moment left alone. */
async function reopen(): Promise<void> {
  await (await store.create({ name: session })).close();
  const count = openSync(more[0] as string, 'w');
  const at = '2026-08-17T12:00:00.123+00:00';
  writeSync(count, '0'.padStart(9), 0);
  say({ opened: 0 });
  for (let number = 1; ;) {
    const { file } = await store.open(session);
    for (const last = number + 2; number < last; number++) {
      await file.append({
        type: 'turn_started',
        at,
        turn: { index: number, started_at: at, status: 'running', parts: [] },
      });
      await file.append({ type: 'part_added', at, part: { type: 'system', text: 'y'.repeat(7000), timestamp: at } });
      await file.append({ type: 'turn_ended', at, status: 'ok' });
      writeSync(count, String(number).padStart(9), 0);
      if (number % 3 === 0) await file.flush();
    }
    await file.close();
  }
}

/** Opens and closes the session as it is told on standard input, a line each. */
function open(): void {
  let file: SessionFile | undefined;
  const lines = createInterface(process.stdin);
  lines.on('line', (line) => void act(line));
  lines.on('close', () => process.exit());
  async function act(line: string): Promise<void> {
    if (line === 'close') {
      await file?.close();
      file = undefined;
      return say({ closed: true });
    }
    // Both begin at the same instant.
    while (Date.now() < Number(line)) continue;
    try {
      ({ file } = await store.open(session));
      say({ opened: file.session.turns.length });
    } catch (error) {
      say(error instanceof HeldError ? { held: error.message } : { failed: String(error) });
    }
  }
  say({ closed: true });
}

if (work === 'write') await write();
else if (work === 'reopen') await reopen();
else if (work === 'open') open();
else await turns();
