/**
 * The view `polyglav.chat`. VS Code throws the page away when the view is hidden and makes it anew when it is shown, so the
 * page keeps nothing that matters: it says `ready`, and is told everything (design: Host and webview).
 */
import * as vscode from 'vscode';

import { webviewMessage, type HostMessage, type WebviewMessage } from '../protocol/messages.ts';
import { completionsOf } from '../commands/completion.ts';
import { chatHtml, chatResources } from './chatHtml.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import { PanelBinding } from './panelBinding.ts';
import { insertText, openFile, openLink, showDiff } from './panelActions.ts';
import { pickAndLoad, pickMode, pickModel } from './pickers.ts';
import { commandContext } from './commandContext.ts';
import { askLine, type AskOfSession } from './pendingAsks.ts';
import type { ProjectConsent } from './projectConsent.ts';
import { PromptIntake } from './promptIntake.ts';
import type { Prompts } from './prompts.ts';
import type { Reporter } from './report.ts';
import { openSettings } from './settingsFile.ts';
import type { VirtualDocuments } from './virtualDocuments.ts';

export interface ChatParts {
  current: CurrentDesk;
  extension: vscode.Uri;
  prompts: Prompts;
  documents: VirtualDocuments;
  consent: ProjectConsent;
  reporter: Reporter;
}

type Handlers = { [T in WebviewMessage['type']]: (message: Extract<WebviewMessage, { type: T }>) => unknown };

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #parts: ChatParts;
  readonly #binding: PanelBinding;
  readonly #intake: PromptIntake;
  readonly #handlers: Handlers;
  readonly #following: vscode.Disposable;
  #view: vscode.WebviewView | undefined;
  #focusWhenReady = false;
  /** Also before there is a view, and while there is none. */
  #badge: vscode.ViewBadge | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    const post = (message: HostMessage) => this.#post(message);
    this.#binding = new PanelBinding(parts.current, post, parts.reporter.error);
    this.#intake = new PromptIntake(post, commandContext, parts.reporter.fault);
    this.#handlers = this.#makeHandlers();
    this.#following = parts.current.follow(() => {
      this.#nameFolder();
      return [];
    });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.badge = this.#badge;
    this.#nameFolder();
    view.webview.options = { enableScripts: true, localResourceRoots: [chatResources(this.#parts.extension)] };
    view.webview.onDidReceiveMessage((message: unknown) => this.receive(message));
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#binding.disconnect();
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#binding.disconnect();
    });
    view.webview.html = chatHtml(view.webview, this.#parts.extension);
    void this.#parts.current.ensure();
  }

  /** Shows the view and puts the cursor into the composer. */
  async focus(): Promise<void> {
    this.#focusWhenReady = true;
    await vscode.commands.executeCommand('polyglav.chat.focus');
    if (this.#binding.connected) this.#focusComposer();
  }

  /** Puts what waits for the composer there, if the panel shows that session. */
  deliverOffers(): void {
    this.#binding.deliverOffers();
  }

  /** The configuration changed, or what of it counts. */
  async refresh(): Promise<void> {
    await this.#binding.refresh();
    this.#post({ type: 'configured' });
  }

  /** Shows a word to the person below the turns; false when no panel is there to show it. */
  note(text: string): boolean {
    if (!this.#binding.connected) return false;
    this.#post({ type: 'note', command: '', text, is_error: true });
    return true;
  }

  /** The badge on the view's icon counts the asks that wait, in whatever session. */
  setWaiting(asks: readonly AskOfSession[]): void {
    const tooltip = ['Polyglav waits for your answer:', ...asks.map(askLine)].join('\n');
    this.#badge = asks.length === 0 ? undefined : { value: asks.length, tooltip };
    if (this.#view !== undefined) this.#view.badge = this.#badge;
  }

  /** Whatever comes from the page is checked before it is believed; settles when it has been dealt with. Never rejects. */
  async receive(raw: unknown): Promise<void> {
    const parsed = webviewMessage.safeParse(raw);
    if (!parsed.success) {
      const places = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`);
      this.#parts.reporter.warn(`ignored a message of the panel (${places.join(', ')})`);
      return;
    }
    try {
      const handle = this.#handlers[parsed.data.type] as (message: WebviewMessage) => unknown;
      await handle(parsed.data);
    } catch (error) {
      this.#parts.reporter.error(error);
    }
  }

  #makeHandlers(): Handlers {
    const { current, prompts, documents, consent, reporter } = this.#parts;
    const withDesk = async (action: (desk: Desk) => unknown) => {
      const desk = await current.ensure();
      if (desk !== undefined) await action(desk);
    };
    return {
      ready: async () => {
        await this.#binding.connect();
        if (this.#focusWhenReady) this.#focusComposer();
      },
      send: (prompt) => this.#intake.take(current.desk, prompt),
      unsent: ({ session, unsent }) => current.desk?.unsent.keep(session, unsent).catch(reporter.fault),
      prefilled: ({ id }) => current.desk?.ledger.delivered(id),
      unqueue: ({ id }) =>
        withDesk(async ({ active: { run }, ledger }) => {
          const text = run?.unqueue(id);
          if (run === undefined || text === undefined) return;
          await ledger.offer(run.name, text);
          this.#binding.deliverOffers();
        }),
      complete: ({ text }) =>
        withDesk(async (desk) => {
          // While somebody types, nothing is shown of what goes wrong; the command itself will say it.
          const lines = await completionsOf(commandContext(desk), text).catch(() => []);
          this.#post({ type: 'completions', text, lines });
        }),
      stop: () => current.desk?.active.run?.stop(),
      older: ({ epoch, before }) => this.#binding.older(epoch, before),
      // A pick leaves the focus in the editor, where the next prompt would be typed into a file.
      pick: async ({ what }) => {
        await withDesk({ session: pickAndLoad, model: pickModel, mode: pickMode }[what]);
        await this.focus();
      },
      new_session: async () => {
        await withDesk(({ active }) => active.startNew());
        await this.focus();
      },
      show_ask: ({ id }) => prompts.raise(id),
      copy: ({ text }) => vscode.env.clipboard.writeText(text),
      insert: ({ text }) => insertText(text),
      open_link: ({ href }) => openLink(href),
      open_file: ({ path, line }) => withDesk(({ workspace }) => openFile(workspace, path, line)),
      show_diff: ({ turn, part }) => withDesk((desk) => showDiff(desk, documents, prompts, turn, part)),
      open_folder: () => (current.mustPick ? current.ensure() : vscode.commands.executeCommand('vscode.openFolder')),
      open_settings: ({ file }) => withDesk((desk) => openSettings(desk, file)),
      review_folder: () => withDesk((desk) => consent.review(desk)),
    };
  }

  #nameFolder(): void {
    if (this.#view !== undefined) this.#view.description = this.#parts.current.folderName;
  }

  #focusComposer(): void {
    this.#focusWhenReady = false;
    this.#post({ type: 'focus' });
  }

  #post(message: HostMessage): void {
    void this.#view?.webview.postMessage(message);
  }

  dispose(): void {
    this.#following.dispose();
    this.#binding.dispose();
  }
}
