/** `polyglav sessions`: the saved sessions, newest first. */
import { age } from '../commands/age.ts';
import type { SessionSummary } from '../session/store.ts';
import { openStore, workspaceFolder } from './engine.ts';
import type { Output } from './output.ts';
import { plainLine } from './visible.ts';

export async function sessions(format: 'text' | 'json', stdout: Output): Promise<void> {
  const saved = await openStore(await workspaceFolder()).list();
  if (format === 'json') await stdout.write(`${JSON.stringify(saved, null, 2)}\n`);
  else if (saved.length > 0) await stdout.write(table(saved, Date.now()));
  else process.stderr.write('There are no saved sessions in this folder yet.\n');
}

function table(saved: readonly SessionSummary[], now: number): string {
  const rows = [['NAME', 'CHANGED', 'TURNS', 'STATUS', 'TITLE'], ...saved.map((summary) => row(summary, now))];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length)));
  return rows
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function row({ name, updated_at, turns, status, title, parent, problem }: SessionSummary, now: number): string[] {
  const about = problem === undefined ? title : `does not load: ${problem}`;
  const child = parent === '' ? '' : `(sub-agent of ${parent}) `;
  const cells = [name, age(updated_at, now), String(turns), problem === undefined ? (status ?? '-') : '-'];
  return [...cells.map((cell) => plainLine(cell)), plainLine(child + about)];
}
