/** The view `polyglav.sessions`. */
import * as vscode from 'vscode';

import type { Run } from '../agent/run.ts';
import { labelOf, titleOf } from '../session/state.ts';
import type { SessionSummary } from '../session/store.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import { askWords } from './pendingAsks.ts';
import { grouped, sessionNodes, type Group, type SessionNode } from './sessionNodes.ts';
import { stateIcon, stateWords, turnWords, whenAndHow } from './sessionWords.ts';
import { visible } from '../session/visible.ts';
import { shorten } from '../text/codePoints.ts';

type Node = Group | SessionNode;

/** A session that streams is written twice a second; the list need not be read as often. */
const LIST_EVERY_MS = 1000;
/** “5 min ago” grows old. */
const REDRAW_EVERY_MS = 60_000;
const MAX_LABEL_WHEN_ASKING = 16;

export class SessionsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #current: CurrentDesk;
  readonly #onFault: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Node>;
  readonly #following: vscode.Disposable;
  readonly #clock: NodeJS.Timeout;
  /** Undefined: to be read when the tree is drawn next. */
  #roots: Promise<SessionNode[]> | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(current: CurrentDesk, onFault: (error: unknown) => void) {
    this.#current = current;
    this.#onFault = onFault;
    this.#view = vscode.window.createTreeView('polyglav.sessions', { treeDataProvider: this, showCollapseAll: true });
    this.#clock = setInterval(() => this.#redraw(), REDRAW_EVERY_MS);
    this.#following = current.follow((desk) => {
      this.#view.description = current.folderName;
      this.#roots = undefined;
      this.#redraw();
      if (desk === undefined) return [];
      return [
        desk.engine.store.watch(() => this.#listSoon()),
        desk.engine.onDidChange(() => this.#redraw()),
        desk.active.onDidChange(() => this.#redraw()),
      ];
    });
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node !== undefined) return node.children;
    const { desk } = this.#current;
    if (desk === undefined) return [];
    this.#roots ??= desk.engine.store.list().then(sessionNodes);
    try {
      const roots = await this.#roots;
      // The welcome text must not show before it is known that there is nothing to list.
      void vscode.commands.executeCommand('setContext', 'polyglav.noSessions', roots.length === 0);
      return grouped(roots);
    } catch (error) {
      this.#onFault(error);
      return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { desk } = this.#current;
    if ('label' in node || desk === undefined) return groupItem(node);
    return sessionItem(node, desk);
  }

  #listSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#roots = undefined;
      this.#redraw();
    }, LIST_EVERY_MS);
  }

  /** VS Code asks for the children of a hidden view only once it is shown. */
  #redraw(): void {
    this.#changed.fire(undefined);
  }

  dispose(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#soon);
    this.#following.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function groupItem(node: Node): vscode.TreeItem {
  const label = 'label' in node ? node.label : node.summary.name;
  return new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
}

function sessionItem(node: SessionNode, { engine, active }: Desk): vscode.TreeItem {
  const { children } = node;
  const run = engine.runs().find(({ name }) => name === node.summary.name);
  const summary = run === undefined ? node.summary : { ...node.summary, ...liveFacts(run) };
  const live = run?.state;
  const ask = run?.asks[0];
  const asks = ask === undefined ? '' : `asks: ${askWords(ask)}`;
  const label = visible(labelOf(summary.name, summary.title));
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  // What waits for an answer must not be cut off behind a long title.
  const shown = asks === '' ? label : shorten(label, MAX_LABEL_WHEN_ASKING);
  const item = new vscode.TreeItem(shown, children.length === 0 ? None : Collapsed);
  item.id = summary.name;
  const prompt = label === visible(summary.title) ? '' : visible(summary.title);
  const open = summary.name === active.run?.name ? 'open' : '';
  const state = asks === '' ? whenAndHow(summary, live) : asks;
  item.description = (asks === '' ? [prompt, state, open] : [state, prompt, open])
    .filter((words) => words !== '')
    .join(' · ');
  item.tooltip = tooltip(summary, asks === '' ? stateWords(summary, live) : asks);
  const color = asks === '' ? undefined : new vscode.ThemeColor('problemsWarningIcon.foreground');
  item.iconPath = new vscode.ThemeIcon(stateIcon(summary, live), color);
  item.contextValue = contextValue(summary, asks !== '');
  item.accessibilityInformation = { label: `${label}, ${item.description}` };
  item.command = { command: 'polyglav.sessions.load', title: 'Load', arguments: [node] };
  return item;
}

/** What the menus of package.json go by. */
function contextValue({ problem }: SessionSummary, asks: boolean): string {
  if (problem !== undefined) return 'session.unreadable';
  return asks ? 'session.asks' : 'session';
}

/** What the list read from the file, as it is by now. */
function liveFacts({ session }: Run): Partial<SessionSummary> {
  const { turns, updated_at } = session;
  return { title: titleOf(session), last_turn: turns.at(-1)?.index ?? 0, status: turns.at(-1)?.status, updated_at };
}

/** Plain text: a prompt is no Markdown of ours. */
function tooltip(summary: SessionSummary, state: string): string {
  return [
    visible(summary.title),
    summary.name,
    summary.problem === undefined ? undefined : visible(summary.problem),
    turnWords(summary),
    state,
    summary.parent === '' ? undefined : `Started by ${visible(summary.parent)}`,
    summary.role === '' ? undefined : `Role: ${visible(summary.role)}`,
  ]
    .filter((line) => line !== undefined && line !== '')
    .join('\n');
}
