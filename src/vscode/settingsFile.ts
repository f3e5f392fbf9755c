/** Opens the configuration that a person would want to change. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import * as vscode from 'vscode';

import { configHints } from '../agent/configHints.ts';
import type { Desk } from './desk.ts';
import { shownPath } from './shownPath.ts';
import { plainNotice } from './visibleText.ts';

const FIRST_TEXT = `{
  // The model that answers, as "<provider>/<model>". Ctrl+Space shows what else can be set here.
  "model": "demo/demo"
}
`;

/** The person's own file, made after a yes; or `asked`, one that has a problem or a hint, at the first of them. */
export async function openSettings({ workspace, engine, userFile }: Desk, asked = userFile): Promise<void> {
  const loaded = await engine.config();
  const problems = [...loaded.problems, ...(await configHints(loaded, workspace))];
  // The page is not believed. What it names may be mended by now.
  const known = [path.join(workspace, '.polyglav', 'config.json'), ...problems.map(({ file }) => file)];
  const file = known.includes(asked) ? asked : userFile;
  if (file === userFile && !(await exists(file)) && !(await make(file))) return;
  const { line = 1, column = 1 } = problems.find((problem) => problem.file === file) ?? {};
  const at = new vscode.Position(line - 1, column - 1);
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function make(file: string): Promise<boolean> {
  const create = 'Create It';
  const question = `You have no settings of your own for Polyglav yet. Create ${shownPath(file)}?`;
  if ((await vscode.window.showInformationMessage(plainNotice(question), create)) !== create) return false;
  // Keys may be written into it.
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, FIRST_TEXT, { flag: 'wx', mode: 0o600 });
  return true;
}
