/** What the panel may do in the editor. Every path and link comes from a page that shows a model's words: checked here (P7). */
import { access } from 'node:fs/promises';
import path from 'node:path';

import * as vscode from 'vscode';

import { isInside, resolvePath } from '../permissions/paths.ts';
import { runningTurn } from '../session/reduce.ts';
import { isKind, type ToolPart } from '../session/schema.ts';
import type { Desk } from './desk.ts';
import type { Prompts } from './prompts.ts';
import type { VirtualDocuments } from './virtualDocuments.ts';
import { plainNotice } from './visibleText.ts';

const SAFE_SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Puts a piece of an answer where the cursor is, without replacing anything. */
export async function insertText(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined) {
    void vscode.window.showInformationMessage('Open the file to insert into first.');
    return;
  }
  const done = await editor.edit((edit) => edit.insert(editor.selection.active, text));
  if (!done) void vscode.window.showWarningMessage('The text could not be inserted: this editor cannot be changed.');
}

export async function openLink(href: string): Promise<void> {
  const scheme = URL.canParse(href) ? new URL(href).protocol : '';
  if (SAFE_SCHEMES.has(scheme)) await vscode.env.openExternal(vscode.Uri.parse(href, true));
  else void vscode.window.showWarningMessage('Only web and mail links are opened from the chat.');
}

/** Opens a file of the workspace; `line` from 1. */
export async function openFile(workspace: string, file: string, line?: number): Promise<void> {
  const found = await insideWorkspace(workspace, file);
  if (found === undefined) {
    void vscode.window.showWarningMessage(plainNotice(`There is no file ${file} in this folder.`));
    return;
  }
  const at = new vscode.Position((line ?? 1) - 1, 0);
  const options = line === undefined ? {} : { selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(found), options);
}

/** The real path of a file, relative to the workspace or absolute; undefined when it is outside, or not there. */
async function insideWorkspace(workspace: string, file: string): Promise<string | undefined> {
  try {
    const real = await resolvePath(workspace, file);
    await access(real);
    return isInside(workspace, real) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The change of the call at turn `index`, position `position`: as it is being asked for, or as it was made. */
export async function showDiff(
  desk: Desk,
  documents: VirtualDocuments,
  prompts: Prompts,
  index: number,
  position: number,
): Promise<void> {
  const { run } = desk.active;
  const turn = run?.session.turns.find((candidate) => candidate.index === index);
  const part = turn?.parts[position];
  if (run === undefined || turn === undefined || part === undefined || !isKind(part, 'tool')) return;
  const asked = turn === runningTurn(run.session) && part.output === undefined ? run.asks : [];
  const ask = asked.find(({ tool, change }) => tool === part.name && change !== undefined);
  if (ask === undefined || !(await prompts.showChange(ask.id))) await showRecorded(part, index, documents);
}

/** The record holds the replaced and the new text of an edit, and of a written file the new text alone. */
async function showRecorded({ input }: ToolPart, turn: number, documents: VirtualDocuments): Promise<void> {
  const { path: file, old, new: replacement, content } = input;
  if (typeof file !== 'string') return;
  if (typeof old === 'string' && typeof replacement === 'string')
    await documents.showDiff(file, old, replacement, `${path.basename(file)} (edit of turn ${turn})`);
  else if (typeof content === 'string') await documents.show(file, content);
}
