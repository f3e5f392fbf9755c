/** Read-only documents that exist nowhere on disk: the two sides of a diff, a preview. */
import path from 'node:path';

import { nanoid } from 'nanoid';
import * as vscode from 'vscode';

/** Two documents to be shown beside each other. */
export interface Diff {
  original: vscode.Uri;
  modified: vscode.Uri;
  title: string;
}

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

  /** Shows a diff without taking the focus. */
  async showDiff(file: string, before: string, after: string, title: string): Promise<void> {
    await openDiff(this.addDiff(file, before, after, title), false);
  }

  /** A diff that is not shown yet. */
  addDiff(file: string, before: string, after: string, title: string): Diff {
    return { original: this.#add(file, before), modified: this.#add(file, after), title };
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

/** Shows a diff, or brings it to the front where it is shown already. */
export async function openDiff({ original, modified, title }: Diff, focus: boolean): Promise<void> {
  // Not as a preview: that would take the place of a file which the person has open as one.
  const options = { preview: false, preserveFocus: !focus };
  await vscode.commands.executeCommand('vscode.diff', original, modified, title, options);
}

export async function closeDiff(diff: Diff): Promise<void> {
  const tabs = tabsOf(diff);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

export function isOpen(diff: Diff): boolean {
  return tabsOf(diff).length > 0;
}

/** One in each group that it was dragged to. */
function tabsOf({ modified }: Diff): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter((tab) => modifiedIn(tab)?.toString() === modified.toString());
}

/** The right side of the diff that a tab shows; undefined when it shows something else. */
export function modifiedIn({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}
