/** Opens the configuration that a person would want to change. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as vscode from 'vscode';

import { configHints } from '../agent/configHints.ts';
import type { Desk } from './desk.ts';

const FIRST_TEXT = `{
  // The model that answers, as "<provider>/<model>". Ctrl+Space shows what else can be set here.
  "model": "demo/demo"
}
`;

/** The place that a problem or a hint names, else the project's file; one that is not there is made after a yes. */
export async function openSettings({ workspace, engine }: Desk): Promise<void> {
  const loaded = await engine.config();
  const [problem] = [...loaded.problems, ...(await configHints(loaded, workspace))];
  const file = problem?.file ?? path.join(workspace, '.polyglav', 'config.json');
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists && !(await make(file))) return;
  const at = new vscode.Position((problem?.line ?? 1) - 1, (problem?.column ?? 1) - 1);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
}

async function make(file: string): Promise<boolean> {
  const create = 'Create It';
  const answer = await vscode.window.showInformationMessage(
    'This folder has no Polyglav configuration yet. Create .polyglav/config.json?',
    create,
  );
  if (answer !== create) return false;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, FIRST_TEXT, { flag: 'wx' });
  return true;
}
