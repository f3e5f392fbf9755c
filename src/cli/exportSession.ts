/** `polyglav export`: a saved session as Markdown. Neither a configuration nor the session is touched. */
import { chunks, exportFile } from '../transcript/exportFile.ts';
import { markdown } from '../transcript/markdown.ts';
import { openStore, workspaceFolder } from './engine.ts';
import type { Output } from './output.ts';

export interface ExportFlags {
  /** A path, or `-` for standard output. */
  out?: string;
  force: boolean;
}

export async function exportSession(selector: string, { out, force }: ExportFlags, stdout: Output): Promise<void> {
  const workspace = await workspaceFolder();
  const store = openStore(workspace);
  const name = await store.resolve(selector);
  const pieces = markdown(await store.read(name));
  if (out === '-') {
    for (const chunk of chunks(pieces)) {
      if (stdout.closed) return;
      await stdout.write(chunk);
    }
    return;
  }
  const path = await exportFile(pieces, { workspace, name, out, cwd: process.cwd(), force });
  process.stderr.write(`Exported to ${path}\n`);
}
