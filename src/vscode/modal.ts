/** The prompts' way onto the screen. */
import * as vscode from 'vscode';

import { labelOf, titleOf } from '../session/state.ts';
import { visibleLine } from '../session/visible.ts';
import { shorten } from '../text/codePoints.ts';
import type { AskedChanges } from './askedChanges.ts';
import type { Desk } from './desk.ts';
import type { PromptUi } from './prompts.ts';
import { shownPath } from './shownPath.ts';

const MAX_TITLE = 80;

/** `userFile` is the absolute path of the person's own configuration. */
export function modalUi(
  changes: AskedChanges,
  current: { readonly desk: Desk | undefined },
  userFile: string,
): PromptUi {
  return {
    modal: async ({ title, detail, buttons, closing }) => {
      const items: vscode.MessageItem[] = buttons.map((label) => ({ title: label }));
      // In place of a Cancel that VS Code adds, and that would leave open what it cancels.
      items.push({ title: closing, isCloseAffordance: true });
      return (await vscode.window.showWarningMessage(title, { modal: true, detail }, ...items))?.title;
    },
    showChange: (id, change, focus) => changes.show(id, change, focus),
    showText: (id, title, text) => changes.showText(id, title, text),
    closeShown: (id) => changes.close(id),
    word: askForWord,
    sessionTitle: (name) => {
      const run = current.desk?.engine.runs().find((candidate) => candidate.name === name);
      return run === undefined ? name : labelOf(name, titleOf(run.session));
    },
    userFile: shownPath(userFile),
  };
}

/** What was typed is not lost when the focus goes elsewhere; Escape gives no word. */
function askForWord(asked: string, signal: AbortSignal): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = `Deny: ${visibleLine(shorten(asked, MAX_TITLE))}`;
  box.prompt = 'What should the model know, or do instead? The call is denied either way.';
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const hide = () => box.hide();
    signal.addEventListener('abort', hide, { once: true });
    box.onDidAccept(() => {
      resolve(box.value);
      box.hide();
    });
    box.onDidHide(() => {
      signal.removeEventListener('abort', hide);
      box.dispose();
      // Of no effect after Enter.
      resolve(undefined);
    });
    box.show();
  });
}
