/**
 * The diffs of the changes that are being asked for, and the texts of questions that are too long for a modal (P3). In the editor
 * title of each stand Allow and Deny, which answer the ask that it belongs to and no other. Closing the tab answers nothing: the
 * ask can be raised again, and what it showed with it.
 */
import path from 'node:path';

import * as vscode from 'vscode';

import type { ProposedChange } from '../permissions/ask.ts';
import { closeShown, documentIn, openDiff, VirtualDocuments } from './virtualDocuments.ts';

/** The context key that holds, for the `when` of the title's buttons, the addresses of the documents and right sides. */
const CONTEXT = 'polyglav.askedChanges';
/** Of a language whose lines are wrapped: what stands far to the right is seen too. */
const TEXT_NAME = 'Question.polyglav-question';

interface Shown {
  /** A text, or the right side of a diff. */
  document: vscode.Uri;
  open(focus: boolean): Promise<void>;
  /** Lets go of its texts. */
  forget(): void;
  /** Until it is in a tab: before, there is nothing to be closed. */
  opening?: Promise<void>;
}

export class AskedChanges implements vscode.Disposable {
  readonly #documents: VirtualDocuments;
  /** By the id of their ask. */
  readonly #shown = new Map<string, Shown>();

  constructor(scheme = 'polyglav-change') {
    this.#documents = new VirtualDocuments(scheme);
  }

  /** Shows the diff of an ask, or brings it to the front. */
  async show(id: string, { path: file, before, after }: ProposedChange, focus: boolean): Promise<void> {
    await this.#show(id, focus, () => {
      const title = `${path.basename(file)} (${before === null ? 'new file' : 'proposed'})`;
      const diff = this.#documents.addDiff(file, before ?? '', after, title);
      return {
        document: diff.modified,
        open: (focused) => openDiff(diff, focused),
        forget: () => this.#documents.forget(diff.original, diff.modified),
      };
    });
  }

  /** Shows all of what an ask is about, or brings it to the front. */
  async showText(id: string, title: string, text: string): Promise<void> {
    await this.#show(id, true, () => {
      const document = this.#documents.addText(TEXT_NAME, text);
      const open = async () => {
        await vscode.commands.executeCommand('vscode.open', document, { preview: false }, title);
      };
      return { document, open, forget: () => this.#documents.forget(document) };
    });
  }

  async #show(id: string, focus: boolean, make: () => Shown): Promise<void> {
    const shown = this.#shown.get(id) ?? make();
    this.#shown.set(id, shown);
    this.#tell();
    shown.opening = settled(shown.opening).then(() => shown.open(focus));
    await shown.opening;
  }

  /** The ask is settled. Takes off what is shown of it, also what is still being opened. */
  close(id: string): void {
    const shown = this.#shown.get(id);
    if (shown === undefined) return;
    this.#shown.delete(id);
    this.#tell();
    void settled(shown.opening)
      .then(() => closeShown(shown.document))
      .finally(() => shown.forget());
  }

  /** The ask that this document or right side of a diff, or else the one in front, belongs to; undefined when it is of none. */
  askOf(document: unknown): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const wanted = document instanceof vscode.Uri ? document : tab && documentIn(tab);
    const found = [...this.#shown].find(([, shown]) => shown.document.toString() === wanted?.toString());
    return found?.[0];
  }

  #tell(): void {
    const shown = [...this.#shown.values()].map(({ document }) => document.toString());
    void vscode.commands.executeCommand('setContext', CONTEXT, shown);
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

async function settled(work: Promise<void> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}
