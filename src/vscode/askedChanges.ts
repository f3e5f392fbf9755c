/**
 * The diffs of the changes that are being asked for (P3). In the editor title of each stand Allow and Deny, which answer the
 * ask whose diff it is and no other. Closing the tab answers nothing: the ask can be raised again, and its diff with it.
 */
import path from 'node:path';

import * as vscode from 'vscode';

import type { ProposedChange } from '../permissions/ask.ts';
import { closeDiff, isOpen, modifiedIn, openDiff, VirtualDocuments, type Diff } from './virtualDocuments.ts';

/** The context key that holds, for the `when` of the title's buttons, the addresses of the right sides. */
const CONTEXT = 'polyglav.askedChanges';

export class AskedChanges implements vscode.Disposable {
  readonly #documents: VirtualDocuments;
  /** By the id of their ask. */
  readonly #diffs = new Map<string, Diff>();

  constructor(scheme = 'polyglav-change') {
    this.#documents = new VirtualDocuments(scheme);
  }

  /** Shows the diff of an ask, or brings it to the front. */
  async show(id: string, { path: file, before, after }: ProposedChange, focus: boolean): Promise<void> {
    const known = this.#diffs.get(id);
    const title = `${path.basename(file)} (${before === null ? 'new file' : 'proposed'})`;
    // The documents of a tab that was closed are gone.
    const diff =
      known !== undefined && isOpen(known) ? known : this.#documents.addDiff(file, before ?? '', after, title);
    this.#diffs.set(id, diff);
    this.#tell();
    await openDiff(diff, focus);
  }

  /** The ask is settled. */
  close(id: string): void {
    const diff = this.#diffs.get(id);
    if (diff === undefined) return;
    this.#diffs.delete(id);
    this.#tell();
    void closeDiff(diff);
  }

  /** The ask whose diff has this right side, or is in front; undefined when that is no change which is being asked for. */
  askOf(modified: unknown): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const wanted = modified instanceof vscode.Uri ? modified : tab && modifiedIn(tab);
    const found = [...this.#diffs].find(([, diff]) => diff.modified.toString() === wanted?.toString());
    return found?.[0];
  }

  #tell(): void {
    const shown = [...this.#diffs.values()].map(({ modified }) => modified.toString());
    void vscode.commands.executeCommand('setContext', CONTEXT, shown);
  }

  dispose(): void {
    this.#documents.dispose();
  }
}
