/** What a slash command may do to the panel that it was typed in. */
import * as vscode from 'vscode';

import { Refusal } from '../agent/refusal.ts';
import type { CommandContext, Confirmation } from '../commands/command.ts';
import type { Desk } from './desk.ts';

export function commandContext({ engine, active, workspace }: Desk): CommandContext {
  return {
    engine,
    run: active.run,
    read_along: active.followed?.session,
    load: async (name) => (await active.load(name, true)).session,
    ensureRun: () => active.ensure(),
    activate: (run) => active.activate(run),
    leave: () => active.startNew(),
    cwd: workspace,
    confirm: confirmByModal,
    remove: moveToTrash,
    outlet: undefined,
  };
}

/** A native modal; closing it says no, and so does an Enter by somebody who was typing: the first button has the focus. */
export async function confirmByModal({ question, detail, action }: Confirmation): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, 'No', action)) === action;
}

/** Not every system, and no remote one, has a trash: then the person is asked again. Throws Refusal on their no. */
async function moveToTrash(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  try {
    await vscode.workspace.fs.delete(uri, { useTrash: true });
    return;
  } catch {
    const forGood = await confirmByModal({
      question: 'Delete it for good?',
      detail: `There is no trash here, so this cannot be undone: ${path}`,
      action: 'Delete for Good',
    });
    if (!forGood) throw new Refusal('Nothing was deleted.');
  }
  await vscode.workspace.fs.delete(uri, { useTrash: false });
}
