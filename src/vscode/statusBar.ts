/** The item in the status bar: what the runs of this window are doing; it opens the chat, or raises what waits for an answer. */
import * as vscode from 'vscode';

import { labelOf, titleOf } from '../session/state.ts';
import { shorten } from '../text/codePoints.ts';
import type { CurrentDesk } from './desk.ts';
import { askLine, pendingAsks } from './pendingAsks.ts';
import { plainLabel } from './visibleText.ts';

const MAX_NAME = 30;

export class StatusBar implements vscode.Disposable {
  readonly #current: CurrentDesk;
  readonly #item = vscode.window.createStatusBarItem('polyglav.status', vscode.StatusBarAlignment.Left, 10);
  readonly #following: vscode.Disposable;

  constructor(current: CurrentDesk) {
    this.#current = current;
    this.#item.name = 'Polyglav';
    this.#item.command = 'polyglav.showRun';
    this.#following = current.follow((desk) => {
      this.#draw();
      return desk === undefined
        ? []
        : [desk.engine.onDidChange(() => this.#draw()), desk.active.onDidChange(() => this.#draw())];
    });
  }

  #draw(): void {
    const { desk } = this.#current;
    if (desk === undefined) {
      this.#item.hide();
      return;
    }
    const states = desk.engine.runs().map((run) => run.state);
    const { run } = desk.active;
    const name = run === undefined ? 'Polyglav' : labelOf(run.name, titleOf(run.session));
    const asks = pendingAsks(desk.engine);
    const asking = asks.length > 0;
    const count = asks.length > 1 ? ` (${asks.length})` : '';
    this.#item.text = asking
      ? `$(question) Polyglav waits for you${count}`
      : states.some((state) => state !== 'idle')
        ? '$(sync~spin) Polyglav is working'
        : `$(comment-discussion) ${plainLabel(shorten(name, MAX_NAME))}`;
    this.#item.backgroundColor = asking ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    const what = asking ? ['Answer:', ...asks.map(askLine)].join('\n') : `Open the chat\nSession: ${plainLabel(name)}`;
    this.#item.tooltip = `${what}\nFolder: ${plainLabel(desk.workspace)}`;
    this.#item.show();
  }

  dispose(): void {
    this.#following.dispose();
    this.#item.dispose();
  }
}
