/** Read-only documents that exist nowhere on disk: the two sides of a diff, a preview. */
import path from 'node:path';

import { nanoid } from 'nanoid';
import * as vscode from 'vscode';

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(scheme = 'polyglav') {
    this.#scheme = scheme;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.#texts.delete(document.uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? 'This was shown before the window was reloaded. Open it again.';
  }

  /** Shows a text under the name of `file`, so that it is coloured as that file is. */
  async show(file: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.#add(file, text), { preview: true });
  }

  /** Shows a diff without taking the focus; resolves to what closes it again. */
  async showDiff(file: string, before: string, after: string, title: string): Promise<() => void> {
    const left = this.#add(file, before);
    const right = this.#add(file, after);
    // Not as a preview: that would take the place of a file which the person has open as one.
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false, preserveFocus: true });
    return () => void closeDiff(right);
  }

  #add(file: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${path.basename(file)}`, query: nanoid() });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

async function closeDiff(modified: vscode.Uri): Promise<void> {
  const tab = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .find(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === modified.toString());
  if (tab !== undefined) await vscode.window.tabGroups.close(tab, true);
}
