/** `polyglav export`: a saved session as Markdown. Neither a configuration nor the session is touched. */
import { exportFile, exportTo } from '../transcript/exportFile.ts';
import { markdown } from '../transcript/markdown.ts';
import { openStore, workspaceFolder } from './engine.ts';
import type { Output } from './output.ts';

export interface ExportFlags {
  /** A path, or `-` for standard output. */
  out?: string;
  force: boolean;
}

export async function exportSession(selector: string, { out, force }: ExportFlags, stdout: Output): Promise<void> {
  const store = openStore(await workspaceFolder());
  const name = await store.resolve(selector);
  await store.stream(name, async (stream) => {
    if (out === '-') return exportTo(markdown(stream), stdout);
    const target = { sessions: store.dir, name, format: 'md', out, cwd: process.cwd(), force } as const;
    process.stderr.write(`Exported to ${await exportFile(markdown(stream), target)}\n`);
  });
}
