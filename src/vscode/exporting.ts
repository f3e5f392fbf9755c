/** `Export Session…`: the form, then a file, then the offer to open it. */
import path from 'node:path';

import * as vscode from 'vscode';

import { ExistingFileError, exportFile, exportPath, type ExportTarget } from '../transcript/exportFile.ts';
import { html } from '../transcript/html.ts';
import { markdown } from '../transcript/markdown.ts';
import { confirmByModal } from './commandContext.ts';
import type { Desk } from './desk.ts';
import { plainNotice } from './visibleText.ts';

const FORMATS = [
  { label: 'Markdown', detail: 'All of it, with thinking and permissions: the audit', format: 'md' },
  { label: 'HTML', detail: 'To read and to show: one file, without thinking and permissions', format: 'html' },
] as const;

export async function exportAndOffer({ engine, workspace }: Desk, name: string): Promise<void> {
  const picked = await vscode.window.showQuickPick(FORMATS, { title: `Polyglav: Export ${name}` });
  if (picked === undefined) return;
  const { format } = picked;
  const { store } = engine;
  const target = await replaceable({ sessions: store.dir, name, format, cwd: workspace });
  if (target === undefined) return;
  const saved = await store.names();
  const file = await store.stream(name, (stream) =>
    exportFile(format === 'html' ? html(stream, saved) : markdown(stream, saved), target),
  );
  const open = 'Open';
  const shown = path.relative(workspace, file);
  const answer = await vscode.window.showInformationMessage(plainNotice(`Exported to ${shown}.`), open);
  if (answer !== open) return;
  // A browser opens no file of another machine, which is where this one runs then.
  const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (format === 'html' && isHere) await vscode.env.openExternal(vscode.Uri.file(file));
  else await vscode.window.showTextDocument(vscode.Uri.file(file));
}

/** With the person's yes to replacing a file that is there; undefined without it. */
async function replaceable(target: ExportTarget): Promise<ExportTarget | undefined> {
  try {
    await exportPath(target);
    return target;
  } catch (error) {
    if (!(error instanceof ExistingFileError)) throw error;
    const question = `Replace the export of ${target.name}?`;
    const detail = 'There is one already. The session is not changed.';
    return (await confirmByModal({ question, detail, action: 'Replace' })) ? { ...target, force: true } : undefined;
  }
}
