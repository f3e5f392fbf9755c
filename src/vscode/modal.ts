/** The prompts' way onto the screen. */
import path from 'node:path';

import * as vscode from 'vscode';

import { labelOf, titleOf } from '../session/state.ts';
import type { Desk } from './desk.ts';
import type { PromptUi } from './prompts.ts';
import type { VirtualDocuments } from './virtualDocuments.ts';

export function modalUi(documents: VirtualDocuments, current: { readonly desk: Desk | undefined }): PromptUi {
  return {
    modal: async (title, detail, buttons) =>
      vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons),
    showChange: ({ path: file, before, after }) =>
      documents.showDiff(
        file,
        before ?? '',
        after,
        `${path.basename(file)} (${before === null ? 'new file' : 'proposed'})`,
      ),
    sessionTitle: (name) => {
      const run = current.desk?.engine.runs().find((candidate) => candidate.name === name);
      return run === undefined ? name : labelOf(name, titleOf(run.session));
    },
  };
}
