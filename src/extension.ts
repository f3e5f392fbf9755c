/** Builds the parts and hands them to each other. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

import * as vscode from 'vscode';

import { Engine } from './agent/engine.ts';
import { LatestConfig } from './config/latest.ts';
import { loadConfig, polyglavHome, userConfigFile } from './config/load.ts';
import { UserRules } from './config/userRules.ts';
import { createProviders } from './providers/registry.ts';
import { SessionStore } from './session/store.ts';
import { diskFiles } from './tools/diskFiles.ts';
import { tools } from './tools/registry.ts';
import { Watchdog } from './tools/watchdog.ts';
import { findRipgrep } from './tools/ripgrepBinary.ts';
import { ActiveSession } from './vscode/activeSession.ts';
import { AskedChanges } from './vscode/askedChanges.ts';
import { ChatView } from './vscode/chatView.ts';
import { watchConfig } from './vscode/configWatch.ts';
import { CurrentDesk, type Desk } from './vscode/desk.ts';
import { EditorFiles } from './vscode/editorFiles.ts';
import { MemoryFolder } from './vscode/memoryFolder.ts';
import { modalUi } from './vscode/modal.ts';
import { registerCommands } from './vscode/palette.ts';
import { ProjectConsent } from './vscode/projectConsent.ts';
import { PromptLedger } from './vscode/promptLedger.ts';
import { UnsentTexts } from './vscode/unsentTexts.ts';
import { Prompts } from './vscode/prompts.ts';
import { Reporter } from './vscode/report.ts';
import { editorRipgrep } from './vscode/ripgrep.ts';
import { RunMail } from './vscode/runMail.ts';
import { SessionsTree } from './vscode/sessionsTree.ts';
import { StatusBar } from './vscode/statusBar.ts';
import { VirtualDocuments } from './vscode/virtualDocuments.ts';

let current: CurrentDesk | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Polyglav', { log: true });
  const reporter = new Reporter(log);
  const documents = new VirtualDocuments();
  const changes = new AskedChanges();
  const { version } = context.extension.packageJSON as { version: string };
  const home = polyglavHome(process.env);
  const userFile = userConfigFile(home);
  const ripgrep = await findRipgrep(editorRipgrep(vscode.env.appRoot), process.env);
  if (ripgrep === undefined) log.warn('no ripgrep was found: file_search will not work');

  const watchdog = new Watchdog(path.join(import.meta.dirname, 'watchdog.js'), reporter.warn);

  const openDesk = async (folder: vscode.WorkspaceFolder): Promise<Desk> => {
    const workspace = await realpath(folder.uri.fsPath);
    const memory = await MemoryFolder.open(memoryPlace(context, workspace));
    const latest = new LatestConfig(() => loadConfig({ workspace, home, restricted: !vscode.workspace.isTrusted }));
    const engine = new Engine({
      store: new SessionStore(workspace, { version, program: 'VS Code', transforms: latest.transforms }),
      loadConfig: latest.load,
      providers: (config) => createProviders(config, process.env),
      tools,
      rules: new UserRules({ workspace, home }),
      asker: prompts,
      files: new EditorFiles(diskFiles),
      watchdog,
      ripgrep,
      env: process.env,
    });
    const ledger = new PromptLedger(memory);
    const active = new ActiveSession(engine, ledger, memory);
    return { folder, workspace, userFile, engine, active, ledger, unsent: new UnsentTexts(memory) };
  };

  const desks = new CurrentDesk(context.workspaceState, openDesk, reporter.error);
  const prompts = new Prompts(modalUi(changes, desks, userFile), reporter.fault);
  const consent: ProjectConsent = new ProjectConsent(desks, {
    home,
    documents,
    changed: () => chat.refresh(),
    onFault: reporter.error,
  });
  const chat: ChatView = new ChatView({
    current: desks,
    extension: context.extensionUri,
    prompts,
    documents,
    consent,
    reporter,
  });
  const configChanged = () => {
    chat.refresh().catch(reporter.error);
    consent.look();
  };
  current = desks;
  context.subscriptions.push(
    log,
    documents,
    changes,
    desks,
    chat,
    vscode.window.registerWebviewViewProvider('polyglav.chat', chat),
    new RunMail(desks, chat, reporter),
    new SessionsTree(desks, reporter.error),
    new StatusBar(desks),
    registerCommands({ current: desks, chat, prompts, changes, documents, consent, reporter }),
    watchConfig(desks, userFile, configChanged),
    vscode.workspace.onDidGrantWorkspaceTrust(configChanged),
    consent,
  );
  await desks.settle();
  if (process.env['POLYGLAV_OPEN_PANEL'] === '1') await chat.focus();
}

/** Ends all work and writes everything. */
export async function deactivate(): Promise<void> {
  await current?.close();
}

/** Not VS Code's storage of the workspace: that is another one while the window before a reload is still ending. */
function memoryPlace({ globalStorageUri }: vscode.ExtensionContext, workspace: string): string {
  const name = createHash('sha256').update(workspace).digest('hex').slice(0, 16);
  return path.join(globalStorageUri.fsPath, name);
}
