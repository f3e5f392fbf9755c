/** A chat view with everything behind it but the page: a real engine in a folder of its own, a model that the test drives. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

import { Engine } from '../../src/agent/engine.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { AskAnswer, Asker, PermissionAsk } from '../../src/permissions/ask.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import type { Provider, ProviderEvent, ProviderRequest } from '../../src/providers/provider.ts';
import { reduce } from '../../src/session/reduce.ts';
import type { Session } from '../../src/session/schema.ts';
import { SessionStore } from '../../src/session/store.ts';
import { diskFiles } from '../../src/tools/diskFiles.ts';
import { tools } from '../../src/tools/registry.ts';
import { ActiveSession } from '../../src/vscode/activeSession.ts';
import { ChatView } from '../../src/vscode/chatView.ts';
import { CurrentDesk, type Desk } from '../../src/vscode/desk.ts';
import { ProjectConsent } from '../../src/vscode/projectConsent.ts';
import { PromptLedger } from '../../src/vscode/promptLedger.ts';
import { UnsentTexts } from '../../src/vscode/unsentTexts.ts';
import { Prompts } from '../../src/vscode/prompts.ts';
import { Reporter } from '../../src/vscode/report.ts';
import { RunMail } from '../../src/vscode/runMail.ts';
import { VirtualDocuments } from '../../src/vscode/virtualDocuments.ts';

type Step = ProviderEvent | Promise<unknown>;

/** A model whose answers the test writes; a promise among the events is waited for, or until Stop. */
export class ScriptedModel implements Provider {
  readonly name = 'demo';
  readonly requests: ProviderRequest[] = [];
  answer: (request: ProviderRequest) => Iterable<Step> = () => text('done');

  async *stream(request: ProviderRequest): AsyncIterable<ProviderEvent> {
    this.requests.push(request);
    for (const step of this.answer(request)) {
      if (!(step instanceof Promise)) yield step;
      else {
        const stopped = new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        await Promise.race([step, stopped]);
        request.signal.throwIfAborted();
      }
    }
  }

  async models(): Promise<string[]> {
    return ['demo'];
  }
}

export function text(...pieces: string[]): ProviderEvent[] {
  return [
    ...pieces.map((piece): ProviderEvent => ({ type: 'text', text: piece })),
    { type: 'finished', reason: 'stop', calls: [] },
  ];
}

/** Workspace state, which outlives the window as JSON. */
export class Memory implements vscode.Memento {
  readonly #values = new Map<string, string>();
  keys(): readonly string[] {
    return [...this.#values.keys()];
  }
  get(key: string, fallback?: unknown): unknown {
    const value = this.#values.get(key);
    return value === undefined ? fallback : (JSON.parse(value) as unknown);
  }
  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, JSON.stringify(value));
  }
}

/** The page's end of the line: what the host posted, and the session as the page would fold it. */
export class Page {
  readonly messages: HostMessage[] = [];
  visible = true;
  readonly #visibility = new vscode.EventEmitter<void>();
  readonly #disposed = new vscode.EventEmitter<void>();
  readonly view: vscode.WebviewView;

  constructor() {
    const webview = {
      options: {},
      html: '',
      cspSource: 'https://csp.test',
      asWebviewUri: (uri: vscode.Uri) => uri,
      onDidReceiveMessage: () => ({ dispose: () => undefined }),
      postMessage: async (message: HostMessage) => {
        // Serialised at once, as VS Code does.
        this.messages.push(JSON.parse(JSON.stringify(message)) as HostMessage);
        return this.visible;
      },
    };
    const view = { webview, onDidChangeVisibility: this.#visibility.event, onDidDispose: this.#disposed.event };
    Object.defineProperty(view, 'visible', { get: () => this.visible });
    this.view = view as unknown as vscode.WebviewView;
  }

  show(visible: boolean): void {
    this.visible = visible;
    this.#visibility.fire();
  }

  of<T extends HostMessage['type']>(type: T): Extract<HostMessage, { type: T }>[] {
    return this.messages.filter((message): message is Extract<HostMessage, { type: T }> => message.type === type);
  }

  /** Folds the newest snapshot and what came after it; throws when a number is missing or an event does not follow. */
  fold(): Session {
    const at = this.messages.findLastIndex((message) => message.type === 'snapshot');
    const snapshot = this.messages[at];
    if (snapshot?.type !== 'snapshot') throw new Error('no snapshot');
    const header = {
      created_at: '',
      parent_id: '',
      role: '',
      session_id: '',
      session_name: '',
      version: '',
      updated_at: '',
    };
    const { turns, errors, permissions } = structuredClone(snapshot.page);
    const session: Session = { ...header, turns, errors, permissions, sub_sessions: [] };
    let { seq } = snapshot;
    for (const message of this.messages.slice(at + 1)) {
      if (!('seq' in message)) continue;
      if (message.epoch !== snapshot.epoch || message.seq !== seq + 1) throw new Error(`gap after ${seq}`);
      ({ seq } = message);
      if (message.type === 'event') reduce(session, message.event);
    }
    return session;
  }
}

export class Chat {
  readonly page = new Page();
  readonly asks: PermissionAsk[] = [];
  answers: (ask: PermissionAsk) => Promise<AskAnswer> = async () => ({ answer: 'once' });
  readonly faults: unknown[] = [];
  readonly view: ChatView;
  readonly current: CurrentDesk;
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly #memory: Memory;
  readonly #parts: { dispose(): void }[];
  #abandoned = false;

  /** `folder` and `memory` of a former one: the window was reloaded. */
  constructor(folder: string, model: ScriptedModel, memory: Memory) {
    this.folder = folder;
    this.model = model;
    this.#memory = memory;
    const log = { error: (fault: unknown) => this.faults.push(fault), warn: () => undefined, show: () => undefined };
    const reporter = new Reporter(log as unknown as vscode.LogOutputChannel);
    const documents = new VirtualDocuments('polyglav-test');
    const asker: Asker = {
      ask: (ask) => {
        this.asks.push(ask);
        return this.answers(ask);
      },
    };
    const open = async (workspaceFolder: vscode.WorkspaceFolder): Promise<Desk> => {
      const engine = new Engine({
        store: new SessionStore(folder, { version: '0.0.0' }),
        loadConfig: () => loadConfig({ workspace: folder, home: path.join(folder, 'home') }),
        providers: () => ({ get: () => model, names: () => ['demo'] }),
        tools,
        asker,
        files: diskFiles,
        ripgrep: undefined,
        env: {},
      });
      const ledger = new PromptLedger(memory);
      const active = new ActiveSession(engine, ledger, memory);
      const unsent = new UnsentTexts(memory);
      const userFile = path.join(folder, 'home', 'config.json');
      return { folder: workspaceFolder, workspace: folder, userFile, engine, active, ledger, unsent };
    };
    this.current = new CurrentDesk(memory, open, (error) => this.faults.push(error));
    const prompts = new Prompts(
      {
        modal: async () => undefined,
        showChange: async () => undefined,
        showText: async () => undefined,
        closeShown: () => undefined,
        word: async () => undefined,
        sessionTitle: (name) => name,
        userFile: 'config.json',
      },
      () => undefined,
    );
    const consent = new ProjectConsent(this.current, {
      home: path.join(folder, 'home'),
      documents,
      changed: () => this.view.refresh(),
      onFault: (error) => this.faults.push(error),
    });
    this.view = new ChatView({
      current: this.current,
      extension: vscode.Uri.file('/ext'),
      prompts,
      documents,
      consent,
      reporter,
    });
    this.#parts = [documents, this.current, consent, this.view, new RunMail(this.current, this.view, reporter)];
    this.view.resolveWebviewView(this.page.view);
  }

  static async open(): Promise<Chat> {
    const folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'polyglav-chat-')));
    const chat = new Chat(folder, new ScriptedModel(), new Memory());
    await chat.current.settle();
    return chat;
  }

  /** The window goes away in the middle of things, and comes back. */
  async reload(): Promise<Chat> {
    // The process that held the session is dead; here it is the same one, so its lock goes by hand.
    const journal = path.join(this.folder, '.polyglav', 'sessions', '.journal');
    for (const file of await fs.readdir(journal).catch(() => []))
      if (file.includes('.lock.')) await fs.rm(path.join(journal, file));
    const next = new Chat(this.folder, this.model, this.#memory);
    await next.current.settle();
    return next;
  }

  receive(message: unknown): Promise<void> {
    return this.view.receive(message);
  }

  /** From the session that the page shows. */
  send(id: string, prompt: string): Promise<void> {
    const session = this.page.messages.findLast((message) => 'state' in message)?.state.session?.name ?? '';
    return this.receive({ type: 'send', id, session, text: prompt });
  }

  get desk(): Desk {
    const { desk } = this.current;
    if (desk === undefined) throw new Error('no desk');
    return desk;
  }

  /** What the log of the active session says was asked, in order. */
  prompts(): string[] {
    const turns = this.desk.active.run?.session.turns ?? [];
    return turns.flatMap((turn) =>
      turn.parts.filter(({ type }) => type === 'user').map((part) => String(part['text'])),
    );
  }

  async files(): Promise<string[]> {
    return (await fs.readdir(this.desk.engine.store.dir).catch(() => [])).filter((name) => name.endsWith('.json'));
  }

  async idle(): Promise<void> {
    await until(() => this.desk.engine.runs().every((run) => run.state === 'idle'));
    // What streamed last waits for its companions.
    await sleep(50);
  }

  /** Without a word to anybody, as a crash does. */
  abandon(): void {
    this.#abandoned = true;
    for (const part of this.#parts) part.dispose();
  }

  async close(): Promise<void> {
    // One that a reload followed has lost its sessions to the next one.
    await this.current.close().catch((error: unknown) => {
      if (!this.#abandoned) throw error;
    });
    this.abandon();
  }
}

export async function until(condition: () => boolean, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) throw new Error('waited in vain');
    await sleep(5);
  }
}

/** A promise, and how to fulfil it. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
