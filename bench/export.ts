/** What an export of a large session costs: time, and memory above the idle process (E4). */
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import {
  json,
  renderHeader,
  renderPart,
  renderSections,
  renderTurnFoot,
  renderTurnHead,
} from '../src/session/layout.ts';
import type { PermissionEntry, Turn } from '../src/session/schema.ts';
import { SessionStore } from '../src/session/store.ts';
import { exportFile } from '../src/transcript/exportFile.ts';
import { html } from '../src/transcript/html.ts';
import { markdown } from '../src/transcript/markdown.ts';

const AT = '2026-08-17T12:00:00.123+00:00';
const MiB = 1024 * 1024;

export interface ExportCost {
  format: 'md' | 'html';
  /** Bytes of the session file, and of the transcript. */
  from: number;
  to: number;
  seconds: number;
  /** Most bytes of resident memory above what the process had before. */
  memory: number;
}

/** Exports the session `name` of `workspace` to a file. Run it in a fresh process: memory is measured by the process. */
export async function exportCost(workspace: string, name: string, format: 'md' | 'html'): Promise<ExportCost> {
  const store = new SessionStore(workspace, { version: '1.0.0' });
  // What is loaded anyway is not the export's.
  await store.list();
  const idle = process.memoryUsage.rss();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const start = performance.now();
  const target = { sessions: store.dir, name, format, cwd: workspace, force: true };
  const path = await store.stream(name, (stream) =>
    exportFile((format === 'md' ? markdown : html)(stream, new Set()), target),
  );
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  most = Math.max(most, process.memoryUsage.rss());
  const [from, to] = [await stat(join(store.dir, `${name}.json`)), await stat(path)];
  return { format, from: from.size, to: to.size, seconds, memory: most - idle };
}

/** Writes a session of about `bytes` bytes in our layout: turns of some 64 KiB with calls and decisions, or one single turn. */
export async function writeLargeSession(
  workspace: string,
  name: string,
  bytes: number,
  oneTurn = false,
): Promise<void> {
  const sessions = join(workspace, '.polyglav', 'sessions');
  await mkdir(sessions, { recursive: true });
  const file = await open(join(sessions, `${name}.json`), 'w');
  try {
    await writeSession(file, name, bytes, oneTurn);
  } finally {
    await file.close();
  }
}

async function writeSession(file: FileHandle, name: string, bytes: number, oneTurn: boolean): Promise<void> {
  const header = { created_at: AT, parent_id: '', role: '', session_id: '', session_name: name, version: '1.0.0' };
  await file.appendFile(renderHeader(new Map(Object.entries(header).map(([key, value]) => [key, json(value)]))));
  const permissions: string[] = [];
  let written = 0;
  let [turn, part] = [1, 0];
  let text = `\n${renderTurnHead(turnOf(turn))}`;
  while (written < bytes) {
    if (part >= 8 && !oneTurn) {
      turn++;
      part = 0;
      text += `\n${renderTurnFoot(turnOf(turn))},\n${renderTurnHead(turnOf(turn))}`;
    }
    for (const each of partsOf(turn)) text += `${part++ === 0 ? '' : ','}\n${renderPart(each)}`;
    const decision: PermissionEntry = {
      tool: 'file_read',
      action: 'allow',
      decision: 'granted',
      timestamp: AT,
      turn,
      part: part - 1,
      by: 'default',
    };
    permissions.push(json(decision));
    if (text.length < MiB) continue;
    written += text.length;
    await file.appendFile(text);
    text = '';
  }
  const sections = new Map([
    ['errors', []],
    ['permissions', permissions],
    ['sub_sessions', []],
  ] as const);
  await file.appendFile(`${text}\n${renderTurnFoot(turnOf(turn))}${renderSections(sections, AT)}`);
}

function turnOf(index: number): Turn {
  return { index, started_at: AT, ended_at: AT, mode: 'build', model: 'm', provider: 'p', status: 'ok', parts: [] };
}

const OUTPUT = Array.from(
  { length: 240 },
  (_, line) => `${line}\tconst value${line} = "a line of a file with some words in it";`,
).join('\n');

function partsOf(turn: number): Turn['parts'] {
  return [
    { type: 'user', text: `prompt ${turn}`, timestamp: AT },
    { type: 'thinking', text: 'I should read the file. '.repeat(20), timestamp: AT },
    {
      type: 'tool',
      name: 'file_read',
      input: { path: `src/${turn}.ts` },
      output: OUTPUT,
      is_error: false,
      timestamp: AT,
    },
    { type: 'text', text: '**It** is in `src`.\n\n- one\n- two\n\n'.repeat(20), timestamp: AT },
  ];
}
