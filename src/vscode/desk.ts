/** The folder whose sessions the window works on, and what belongs to it. */
import * as vscode from 'vscode';

import type { Engine } from '../agent/engine.ts';
import { plainLabel } from './visibleText.ts';
import type { ActiveSession } from './activeSession.ts';
import type { PromptLedger } from './promptLedger.ts';
import type { UnsentTexts } from './unsentTexts.ts';

/** What belongs to one folder. */
export interface Desk {
  folder: vscode.WorkspaceFolder;
  /** Absolute real path of the folder. */
  workspace: string;
  /** Absolute path of the person's own configuration. */
  userFile: string;
  engine: Engine;
  active: ActiveSession;
  ledger: PromptLedger;
  unsent: UnsentTexts;
}

/** Ends what was begun: a subscription, a watcher. */
export type Ending = () => unknown;

const KEY = 'polyglav.folder';

/** Sessions belong to one folder of the window: the only one, or the one that was picked, once. */
export class CurrentDesk implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #open: (folder: vscode.WorkspaceFolder) => Promise<Desk>;
  readonly #onFault: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #watching: vscode.Disposable;
  #desk: Desk | undefined;
  #problem: string | undefined;
  /** Settings of the desk follow each other, however the folders change meanwhile. */
  #settled: Promise<void> = Promise.resolve();
  #asking: Promise<void> | undefined;

  constructor(
    memory: vscode.Memento,
    open: (folder: vscode.WorkspaceFolder) => Promise<Desk>,
    onFault: (error: unknown) => void,
  ) {
    this.#memory = memory;
    this.#open = open;
    this.#onFault = onFault;
    this.#watching = vscode.workspace.onDidChangeWorkspaceFolders(() => void this.settle());
  }

  get desk(): Desk | undefined {
    return this.#desk;
  }

  /** Why there is no desk although its folder is clear. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether several folders are open and none was picked yet. */
  get mustPick(): boolean {
    return this.#desk === undefined && localFolders().length > 1;
  }

  /** The folder's name where there are several, to be shown beside the views' titles; else empty. */
  get folderName(): string {
    return localFolders().length > 1 ? (this.#desk?.folder.name ?? '') : '';
  }

  /** The desk of the folder; asks which one where that is not clear. Undefined when there is none, or none was picked. */
  async ensure(): Promise<Desk | undefined> {
    await this.settle();
    if (this.mustPick) {
      this.#asking ??= this.#pick().finally(() => (this.#asking = undefined));
      await this.#asking;
    }
    return this.#desk;
  }

  /**
   * Calls `begin` for the desk that is there, or is not, and again whenever that changes. What `begin` returns is called
   * before it is called anew.
   */
  follow(begin: (desk: Desk | undefined) => Ending[]): vscode.Disposable {
    let endings = begin(this.#desk);
    const end = () => {
      for (const ending of endings) ending();
    };
    const subscription = this.#changed.event(() => {
      end();
      endings = begin(this.#desk);
    });
    return new vscode.Disposable(() => {
      subscription.dispose();
      end();
    });
  }

  /** Takes up the folder that is clear without a question. */
  settle(): Promise<void> {
    this.#settled = this.#settled.then(() => this.#settle()).catch(this.#onFault);
    return this.#settled;
  }

  async #settle(): Promise<void> {
    const folders = localFolders();
    const picked = this.#memory.get<string>(KEY);
    const folder = folders.length === 1 ? folders[0] : folders.find(({ uri }) => uri.toString() === picked);
    if (folder?.uri.toString() === this.#desk?.folder.uri.toString()) return;
    const before = this.#desk;
    if (before !== undefined) {
      this.#desk = undefined;
      this.#changed.fire();
      before.active.dispose();
      await before.engine.suspend().catch(this.#onFault);
    }
    this.#problem = undefined;
    if (folder !== undefined) this.#desk = await this.#opened(folder);
    this.#changed.fire();
  }

  async #opened(folder: vscode.WorkspaceFolder): Promise<Desk | undefined> {
    try {
      return await this.#open(folder);
    } catch (error) {
      this.#onFault(error);
      const reason = (error as Error).message.replace(/\.$/, '');
      this.#problem = `Polyglav cannot work in the folder ${folder.name}: ${reason}. When that is mended, reload the window.`;
      return undefined;
    }
  }

  async #pick(): Promise<void> {
    const items = localFolders().map((folder) => ({
      label: plainLabel(folder.name),
      description: plainLabel(folder.uri.fsPath),
      folder,
    }));
    const item = await vscode.window.showQuickPick(items, {
      title: 'Polyglav: Folder',
      placeHolder: 'Sessions belong to one folder. Which one should Polyglav work in?',
      ignoreFocusOut: true,
    });
    if (item === undefined) return;
    await this.#memory.update(KEY, item.folder.uri.toString());
    await this.settle();
  }

  /** The window goes away: what ran is offered again when it is back. */
  async close(): Promise<void> {
    await this.#settled;
    await this.#desk?.engine.suspend();
  }

  dispose(): void {
    this.#watching.dispose();
    this.#desk?.active.dispose();
    this.#changed.dispose();
  }
}

/** Virtual workspaces have no folder on a disk, and are not supported. */
function localFolders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
