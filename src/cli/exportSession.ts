/** `polyglav export`: a saved session as Markdown or HTML. Neither a configuration nor the session is touched. */
import { realpath, stat } from 'node:fs/promises';

import { savedSessions, targetOf } from '../agent/target.ts';
import { SessionStore } from '../session/store.ts';
import { visible } from '../session/visible.ts';
import { exportFile, exportPath, exportTo } from '../transcript/exportFile.ts';
import { html } from '../transcript/html.ts';
import { markdown } from '../transcript/markdown.ts';
import { openStore, version, workspaceFolder } from './engine.ts';
import { namedSession } from './newest.ts';
import type { Output } from './output.ts';
import { UsageError } from './usage.ts';
import { outletOf } from './visible.ts';

export interface ExportFlags {
  format: 'md' | 'html';
  /** A path, or `-` for standard output. */
  out?: string;
  /** The same under its other name. */
  outputFile?: string;
  sessionsDir?: string;
  force: boolean;
}

export async function exportSession(selector: string | undefined, flags: ExportFlags, stdout: Output): Promise<void> {
  const { format, out = flags.outputFile, sessionsDir, force } = flags;
  const store = sessionsDir === undefined ? openStore(await workspaceFolder()) : await otherStore(sessionsDir);
  const name = await targetOf(savedSessions(store), await namedSession(store, selector));
  const target = { sessions: store.dir, name, format, out, cwd: process.cwd(), force } as const;
  // A refusal comes before the work.
  if (out !== '-') await exportPath(target);
  const saved = await store.names();
  await store.stream(name, async (stream) => {
    const pieces = format === 'html' ? html(stream, saved) : markdown(stream, saved);
    if (out === '-') return exportTo(pieces, outletOf(stdout));
    process.stderr.write(`Exported to ${visible(await exportFile(pieces, target))}\n`);
  });
}

/** Any folder of session files; the exports stand beside it. */
async function otherStore(folder: string): Promise<SessionStore> {
  const dir = await realpath(folder).catch(() => undefined);
  if (dir === undefined || !(await stat(dir)).isDirectory())
    throw new UsageError(`--sessions-dir ${JSON.stringify(folder)} is no folder. Name one that holds session files.`);
  return new SessionStore(dir, { version, dir });
}
