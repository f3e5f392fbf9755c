/** `polyglav sessions`: list, preview and delete what is saved. */
import { rm } from 'node:fs/promises';

import { namedTarget } from '../agent/target.ts';
import { age } from '../commands/age.ts';
import { statusWord } from '../commands/sessions.ts';
import { askedDelete } from '../commands/sessionsDelete.ts';
import { previewOf } from '../commands/sessionsPreview.ts';
import type { SessionSummary } from '../session/store.ts';
import { confirmed } from './confirm.ts';
import { openSessions } from './engine.ts';
import { namedSession } from './newest.ts';
import type { Output } from './output.ts';
import { piecesText } from './piecesText.ts';
import { EXIT } from './usage.ts';
import { plainJson, plainLine } from './visible.ts';

/** Newest first. */
export async function listSessions(format: 'text' | 'json', stdout: Output): Promise<void> {
  const saved = await (await openSessions()).store.list();
  if (format === 'json') await stdout.write(`${plainJson(saved, 2)}\n`);
  else if (saved.length > 0) await stdout.write(table(saved, Date.now()));
  else process.stderr.write('There are no saved sessions in this folder yet.\n');
}

export async function previewSession(selector: string | undefined, stdout: Output): Promise<void> {
  const sessions = await openSessions();
  const pieces = await previewOf(sessions, await namedSession(sessions.store, selector));
  await stdout.write(piecesText(pieces, stdout.isTerminal));
}

/** Returns the exit code. Throws, with nothing changed, when there is nobody to ask, or another program has the session. */
export async function deleteSaved(selector: string, yes: boolean): Promise<number> {
  const sessions = await openSessions();
  const name = await namedTarget(sessions, selector);
  const deleted = await askedDelete(sessions.store, name, {
    confirm: (question) => confirmed(question, yes),
    remove: (path) => rm(path),
  });
  process.stderr.write(deleted ? `Deleted the session ${plainLine(name)}.\n` : 'Nothing was deleted.\n');
  return deleted ? EXIT.ok : EXIT.cancelled;
}

function table(saved: readonly SessionSummary[], now: number): string {
  const rows = [['NAME', 'CHANGED', 'LAST TURN', 'STATUS', 'TITLE'], ...saved.map((summary) => row(summary, now))];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length)));
  return rows
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function row(summary: SessionSummary, now: number): string[] {
  const { name, updated_at, last_turn, title, parent, problem } = summary;
  const child = parent === '' ? '' : `(sub-agent of ${parent}) `;
  const cells = [
    name,
    age(updated_at, now),
    last_turn === undefined || last_turn === 0 ? '-' : `#${last_turn}`,
    statusWord(summary) ?? '-',
  ];
  return [...cells.map((cell) => plainLine(cell)), plainLine(child + (problem ?? title))];
}
