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
  readonly #texts = new Map<string, { text: string; kept: boolean }>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(scheme = 'polyglav') {
    this.#scheme = scheme;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.#texts.get(uri.toString())?.kept === false) this.forget(uri);
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString())?.text ?? 'This was shown before the window was reloaded. Open it again.';
  }

  /** Shows a text under the name of `file`, so that it is coloured as that file is. */
  async show(file: string, text: string): Promise<void> {
    const document = this.#add(file, text, false);
    await this.#opened(vscode.window.showTextDocument(document, { preview: true }), document);
  }

  /** Shows a diff without taking the focus. */
  async showDiff(file: string, before: string, after: string, title: string): Promise<void> {
    const [original, modified] = [this.#add(file, before, false), this.#add(file, after, false)];
    await this.#opened(openDiff({ original, modified, title }, false), original, modified);
  }

  /** A diff that is not shown yet, to be shown as often as need be until it is forgotten. */
  addDiff(file: string, before: string, after: string, title: string): Diff {
    return { original: this.#add(file, before, true), modified: this.#add(file, after, true), title };
  }

  /** Likewise a text. */
  addText(file: string, text: string): vscode.Uri {
    return this.#add(file, text, true);
  }

  forget(...documents: readonly vscode.Uri[]): void {
    for (const document of documents) this.#texts.delete(document.toString());
  }

  /** Of a document that was not opened nobody says that it was closed. */
  async #opened(opening: Thenable<unknown>, ...documents: readonly vscode.Uri[]): Promise<void> {
    try {
      await opening;
    } catch (error) {
      this.forget(...documents);
      throw error;
    }
  }

  /** `kept`: also when its last tab is closed. */
  #add(file: string, text: string, kept: boolean): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${path.basename(file)}`, query: nanoid() });
    this.#texts.set(uri.toString(), { text, kept });
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

/** Closes what shows this document, or the diff with this right side. */
export async function closeShown(document: vscode.Uri): Promise<void> {
  const tabs = tabsOf(document);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

/** One in each group that it was dragged to. */
function tabsOf(document: vscode.Uri): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter((tab) => documentIn(tab)?.toString() === document.toString());
}

/** What a tab shows, of a diff its right side; undefined when it shows no text. */
export function documentIn({ input }: vscode.Tab): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}
