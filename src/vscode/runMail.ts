/** What a run says once, kept until the person has it: prompts that come back, problems. For every run, shown or not. */
import * as vscode from 'vscode';

import type { Run } from '../agent/run.ts';
import type { ChatView } from './chatView.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import { pendingAsks } from './pendingAsks.ts';
import type { Reporter } from './report.ts';
import { plainNotice } from './visibleText.ts';

export class RunMail implements vscode.Disposable {
  readonly #chat: ChatView;
  readonly #reporter: Reporter;
  readonly #known = new WeakSet<Run>();
  readonly #following: vscode.Disposable;

  constructor(current: CurrentDesk, chat: ChatView, reporter: Reporter) {
    this.#chat = chat;
    this.#reporter = reporter;
    this.#following = current.follow((desk) => {
      chat.setWaiting([]);
      return desk === undefined ? [] : [desk.engine.onDidChange(() => this.#collect(desk))];
    });
  }

  #collect(desk: Desk): void {
    const runs = desk.engine.runs();
    for (const run of runs) {
      void desk.ledger.mirror(run).then(undefined, this.#reporter.fault);
      this.#listen(run, desk);
    }
    this.#chat.setWaiting(pendingAsks(desk.engine));
  }

  #listen(run: Run, desk: Desk): void {
    if (this.#known.has(run)) return;
    this.#known.add(run);
    for (const notice of run.notices) void vscode.window.showWarningMessage(plainNotice(`Polyglav: ${notice}`));
    run.subscribe((event) => {
      if (event.type === 'returned') {
        void desk.ledger.offer(run.name, event.text).then(undefined, this.#reporter.fault);
        this.#chat.deliverOffers();
      } else if (event.type === 'problem') {
        const shown = desk.active.run === run && this.#chat.note(event.message);
        if (!shown) void vscode.window.showErrorMessage(plainNotice(`Polyglav: ${event.message}`));
      }
    });
  }

  dispose(): void {
    this.#following.dispose();
  }
}
