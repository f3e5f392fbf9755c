/**
 * Asks whether what the project's configuration brings may count (P2, P5). A notification offers the question once for each content; the
 * question itself is a modal with all that is asked for. Whoever closes either has said no, which is kept beside what they said yes
 * to: until the content changes or they ask for it again.
 */
import path from 'node:path';

import * as vscode from 'vscode';

import { consentLines } from '../config/consentText.ts';
import type { Unconfirmed } from '../config/load.ts';
import { confirm, decline } from '../config/trusted.ts';
import { visibleLine } from '../session/visible.ts';
import { codePointLength, shorten } from '../text/codePoints.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import type { VirtualDocuments } from './virtualDocuments.ts';
import { plainNotice } from './visibleText.ts';

/** A modal that is taller than the screen hides its own buttons. */
const MOST_LINES = 16;
const LONGEST_LINE = 160;
const MAX_NAME = 60;
const DOCUMENT = 'What the project brings.polyglav-question';

const REVIEW = 'Review…';
const OPEN = 'Open File';
const SHOW_ALL = 'Show All';
const ANSWER = 'Answer…';
const YES = 'Use It';

interface ConsentOptions {
  home: string;
  documents: VirtualDocuments;
  /** Called after a yes. */
  changed(): unknown;
  onFault(error: unknown): void;
}

export class ProjectConsent implements vscode.Disposable {
  readonly #current: CurrentDesk;
  readonly #options: ConsentOptions;
  readonly #following: vscode.Disposable;
  /** A question, or the offer of one, is on the screen. */
  #open = false;
  /** Hash of what was shown as a whole. */
  #shown: string | undefined;
  /** What this window has offered already, by folder and hash. */
  readonly #offered = new Set<string>();

  constructor(current: CurrentDesk, options: ConsentOptions) {
    this.#current = current;
    this.#options = options;
    this.#following = current.follow(() => {
      this.look();
      return [];
    });
  }

  /** Offers the question if there is one that was not offered yet. What is wrong with the files is told elsewhere. */
  look(): void {
    this.#offer().catch(this.#options.onFault);
  }

  /** Asks, also what was said no to before; in a workspace that is not trusted, whether it is. */
  async review(desk: Desk): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      await vscode.commands.executeCommand('workbench.trust.manage');
      return;
    }
    const { unconfirmed } = await desk.engine.config();
    if (unconfirmed === undefined) {
      void vscode.window.showInformationMessage(
        'Nothing in the configuration of this folder waits for you to confirm it.',
      );
      return;
    }
    await this.#ask(desk, unconfirmed);
  }

  async #offer(): Promise<void> {
    const { desk } = this.#current;
    if (desk === undefined || this.#open || !vscode.workspace.isTrusted) return;
    this.#open = true;
    let unconfirmed: Unconfirmed | undefined;
    try {
      ({ unconfirmed } = await desk.engine.config());
      if (unconfirmed === undefined || unconfirmed.declined_in !== undefined) return;
      const offer = `${unconfirmed.folder}\n${unconfirmed.sha256}`;
      if (this.#offered.has(offer)) return;
      this.#offered.add(offer);
      const text = `The Polyglav configuration of ${nameOf(desk)} brings something that is used only after you confirm it.`;
      if ((await vscode.window.showInformationMessage(plainNotice(text), REVIEW)) === REVIEW) await this.review(desk);
      else await decline(unconfirmed, this.#options.home);
    } finally {
      this.#open = false;
    }
    // It may have changed meanwhile.
    await this.#offer();
  }

  async #ask(desk: Desk, unconfirmed: Unconfirmed): Promise<void> {
    const title = `Use what the configuration of ${nameOf(desk)} brings?`;
    const lines = consentLines(unconfirmed);
    const fits = lines.length <= MOST_LINES && lines.every((line) => codePointLength(line) <= LONGEST_LINE);
    const isSeen = fits || this.#shown === unconfirmed.sha256;
    const detail = [
      ...(fits ? lines : cut(lines, isSeen)),
      '',
      'It is used until it changes; then you are asked again.',
    ].join('\n');
    // The first button has the focus: an Enter by somebody who was typing must not say yes. VS Code adds Cancel. Nobody says yes
    // to what they were not shown.
    const buttons = [fits ? OPEN : SHOW_ALL, ...(isSeen ? [YES] : [])];
    const answer = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...buttons);
    if (answer === YES) {
      await confirm(unconfirmed, this.#options.home);
      await this.#options.changed();
      return;
    }
    if (answer === undefined) await decline(unconfirmed, this.#options.home);
    if (answer === OPEN) await vscode.window.showTextDocument(vscode.Uri.file(unconfirmed.file));
    if (answer === SHOW_ALL) await this.#showAll(desk, unconfirmed, lines);
  }

  async #showAll(desk: Desk, { sha256 }: Unconfirmed, lines: readonly string[]): Promise<void> {
    await this.#options.documents.show(DOCUMENT, `${lines.join('\n')}\n`);
    this.#shown = sha256;
    const text = 'This is all that the configuration brings. Answer when you have read it.';
    if ((await vscode.window.showInformationMessage(text, ANSWER)) === ANSWER) await this.review(desk);
  }

  dispose(): void {
    this.#following.dispose();
  }
}

function cut(lines: readonly string[], isSeen: boolean): string[] {
  const where = isSeen ? 'which you were shown' : `and you can say yes after “${SHOW_ALL}”`;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => shorten(line, LONGEST_LINE)),
    '',
    `This is not all of it: there are ${lines.length} lines, ${where}.`,
  ];
}

function nameOf({ workspace }: Desk): string {
  return `“${shorten(visibleLine(path.basename(workspace)), MAX_NAME)}”`;
}
