/** How errors reach the person, and faults of ours the log. */
import * as vscode from 'vscode';

import { ForThePerson } from '../session/forThePerson.ts';
import { plainNotice } from './visibleText.ts';

export class Reporter {
  readonly #log: vscode.LogOutputChannel;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** For diagnosis alone. Never a key, never a word of a conversation. */
  readonly fault = (error: unknown): void => {
    this.#log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  readonly warn = (text: string): void => {
    this.#log.warn(text);
  };

  /** Says what went wrong; a fault of ours goes to the log as well. */
  readonly error = (error: unknown): void => {
    const message = plainNotice(error instanceof Error ? error.message : String(error));
    if (error instanceof ForThePerson) {
      void vscode.window.showErrorMessage(message);
      return;
    }
    this.fault(error);
    const open = 'Show Log';
    void vscode.window.showErrorMessage(`Polyglav: ${message}`, open).then((answer) => {
      if (answer === open) this.#log.show();
    });
  };
}
