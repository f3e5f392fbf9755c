/**
 * `npm run bench`: what the record and commands cost, in one table. `npm run bench -- append list` takes some of it. The code is 1 when a bar
 * is not kept.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { appendRows } from './append.ts';
import { commandRows } from './command.ts';
import { exportCost, writeLargeSession, type ExportCost } from './export.ts';
import { listRows, openRows } from './open.ts';
import { ms, print, size, type Row } from './table.ts';

const MOST_MEMORY = 150e6;

async function exportRows(workspace: string): Promise<Row[]> {
  await writeLargeSession(workspace, 'huge', 1e9);
  return (['md', 'html'] as const).flatMap((format) => {
    // In a process of its own, whose memory is the export's alone.
    const output = execFileSync(process.execPath, [import.meta.filename, 'export-cost', workspace, 'huge', format]);
    const { from, to, seconds, memory } = JSON.parse(output.toString()) as ExportCost;
    return [
      {
        what: `memory of exporting ${size(from)} as ${format}`,
        measured: `${size(memory)} above idle`,
        against: `${size(MOST_MEMORY)}, in ${ms(seconds * 1000)} to ${size(to)}`,
        ratio: memory / MOST_MEMORY,
        bar: 1,
      },
    ];
  });
}

const PARTS = { append: appendRows, open: openRows, list: listRows, export: exportRows, command: commandRows };

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !(name in PARTS));
  if (unknown.length > 0)
    throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const workspace = mkdtempSync(join(tmpdir(), 'polyglav-bench-'));
    try {
      rows.push(...(await measure(workspace)));
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  }
  print(rows);
  if (rows.some(({ ratio, bar }) => ratio !== undefined && bar !== undefined && ratio > bar)) process.exitCode = 1;
}

const [part, workspace, name, format] = process.argv.slice(2);
if (part === 'export-cost' && workspace !== undefined && name !== undefined)
  console.log(JSON.stringify(await exportCost(workspace, name, format === 'html' ? 'html' : 'md')));
else await main();
