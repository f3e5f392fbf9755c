/** The commands of the palette, the sessions tree and the status bar. */
import path from 'node:path';

import * as vscode from 'vscode';

import { resetShell } from '../commands/resetShell.ts';
import { readTarget } from '../agent/target.ts';
import { deleteSession } from '../commands/sessionsDelete.ts';
import { previewOf } from '../commands/sessionsPreview.ts';
import type { AskedChanges } from './askedChanges.ts';
import { visible } from '../session/visible.ts';
import { audit } from '../transcript/audit.ts';
import { plainOf, type Piece } from '../transcript/pieces.ts';
import type { ChatView } from './chatView.ts';
import { commandContext } from './commandContext.ts';
import type { CurrentDesk, Desk } from './desk.ts';
import { exportAndOffer } from './exporting.ts';
import { pickAndLoad, pickMode, pickModel, pickSession } from './pickers.ts';
import type { ProjectConsent } from './projectConsent.ts';
import type { Prompts } from './prompts.ts';
import type { Reporter } from './report.ts';
import type { VirtualDocuments } from './virtualDocuments.ts';
import type { SessionNode } from './sessionNodes.ts';
import { plainNotice } from './visibleText.ts';

export interface PaletteParts {
  current: CurrentDesk;
  chat: ChatView;
  prompts: Prompts;
  changes: AskedChanges;
  documents: VirtualDocuments;
  consent: ProjectConsent;
  reporter: Reporter;
}

export function registerCommands(parts: PaletteParts): vscode.Disposable {
  const { current, chat, prompts, changes, documents, consent, reporter } = parts;
  const registered: vscode.Disposable[] = [];
  const register = (name: string, action: () => unknown) => registerOf(name, action);
  /** A command that VS Code calls with what it was chosen on. */
  const registerOf = (name: string, action: (on: unknown) => unknown) => {
    const guarded = async (on: unknown) => {
      try {
        await action(on);
      } catch (error) {
        reporter.error(error);
      }
    };
    registered.push(vscode.commands.registerCommand(`polyglav.${name}`, guarded));
  };
  const registerOfNode = (name: string, action: (node: SessionNode) => unknown) =>
    registerOf(name, (node) => action(node as SessionNode));
  /** In the title of an editor it is called with the address of its document or right side, from the palette with nothing. */
  const registerOfChange = (name: string, action: (id: string) => unknown) =>
    registerOf(name, (document) => {
      const id = changes.askOf(document);
      if (id !== undefined) return action(id);
      return vscode.window.showInformationMessage('Nothing that waits for your answer is shown here.');
    });
  /** Commands that need a folder say so when there is none. */
  const withDesk = async (action: (desk: Desk) => unknown) => {
    const desk = await current.ensure();
    if (desk !== undefined) await action(desk);
    else if (!current.mustPick) await askForFolder();
  };
  const load = async ({ active }: Desk, name: string) => {
    await active.load(name);
    await chat.focus();
  };

  register('openChat', () => chat.focus());
  register('showRun', async () => {
    if (prompts.current === undefined) await chat.focus();
    else prompts.raise(prompts.current.id);
  });
  register('newSession', () =>
    withDesk(async ({ active }) => {
      await active.startNew();
      await chat.focus();
    }),
  );
  register('loadSession', () =>
    withDesk(async (desk) => {
      await pickAndLoad(desk);
      await chat.focus();
    }),
  );
  register('exportSession', () =>
    withDesk(async (desk) => {
      const name = await pickSession(desk, 'Polyglav: Export Session');
      if (name !== undefined) await exportAndOffer(desk, name);
    }),
  );
  register('saveSession', () => withDesk(saveActive));
  register('previewSession', () =>
    withDesk(async (desk) => {
      const name = await pickSession(desk, 'Polyglav: Preview Session');
      if (name !== undefined) await showPreview(desk, name, documents);
    }),
  );
  register('showPermissions', () =>
    withDesk(async (desk) => {
      const name = await pickSession(desk, 'Polyglav: Show Permissions');
      if (name !== undefined) await showPermissions(desk, name, documents);
    }),
  );
  register('deleteSession', () =>
    withDesk(async (desk) => {
      const name = await pickSession(desk, 'Polyglav: Delete Session');
      if (name !== undefined) await deleteSession(commandContext(desk), name);
    }),
  );
  register('stop', () =>
    withDesk(async ({ active: { run } }) => {
      if (run === undefined || run.state === 'idle') void vscode.window.showInformationMessage('Nothing is running.');
      else await run.stop();
    }),
  );
  register('pickModel', () => withDesk(pickModel));
  register('pickMode', () => withDesk(pickMode));
  register('reviewProject', () => withDesk((desk) => consent.review(desk)));
  register('resetShell', () =>
    withDesk(async (desk) => {
      const { text } = await resetShell.run(commandContext(desk), '');
      void vscode.window.showInformationMessage(text);
    }),
  );
  registerOfChange('change.allow', (id) => prompts.answer(id, { answer: 'once' }));
  registerOfChange('change.deny', (id) => prompts.answer(id, { answer: 'refused' }));
  registerOfChange('change.denyWithWord', (id) => prompts.declineWithWord(id));

  const file = (desk: Desk, name: string) => vscode.Uri.file(path.join(desk.engine.store.dir, `${name}.json`));
  registerOfNode('sessions.load', ({ summary }: SessionNode) => withDesk((desk) => load(desk, summary.name)));
  registerOfNode('sessions.showQuestion', ({ summary }: SessionNode) =>
    withDesk(({ engine }) => {
      const ask = engine.runs().find(({ name }) => name === summary.name)?.asks[0];
      if (ask !== undefined) prompts.raise(ask.id);
    }),
  );
  registerOfNode('sessions.export', ({ summary }: SessionNode) =>
    withDesk((desk) => exportAndOffer(desk, summary.name)),
  );
  registerOfNode('sessions.preview', ({ summary }: SessionNode) =>
    withDesk((desk) => showPreview(desk, summary.name, documents)),
  );
  registerOfNode('sessions.permissions', ({ summary }: SessionNode) =>
    withDesk((desk) => showPermissions(desk, summary.name, documents)),
  );
  registerOfNode('sessions.delete', ({ summary }: SessionNode) =>
    withDesk((desk) => deleteSession(commandContext(desk), summary.name)),
  );
  registerOfNode('sessions.copyName', ({ summary }: SessionNode) => vscode.env.clipboard.writeText(summary.name));
  registerOfNode('sessions.reveal', ({ summary }: SessionNode) =>
    withDesk((desk) => vscode.commands.executeCommand('revealInExplorer', file(desk, summary.name))),
  );
  registerOfNode('sessions.revealInOS', ({ summary }: SessionNode) =>
    withDesk((desk) => vscode.commands.executeCommand('revealFileInOS', file(desk, summary.name))),
  );
  return vscode.Disposable.from(...registered);
}

async function askForFolder(): Promise<void> {
  const open = 'Open Folder';
  const answer = await vscode.window.showInformationMessage('Polyglav works in a folder: open one first.', open);
  if (answer === open) await vscode.commands.executeCommand('vscode.openFolder');
}

async function saveActive({ active: { run } }: Desk): Promise<void> {
  if (run === undefined) {
    void vscode.window.showInformationMessage('There is nothing to save yet: the first message begins a session.');
    return;
  }
  void vscode.window.showInformationMessage(plainNotice(`Saved in ${await run.save()}.`));
}

async function showPermissions({ engine }: Desk, name: string, documents: VirtualDocuments): Promise<void> {
  const pieces: Piece[] = [];
  await readTarget(engine, `session:${name}`, async (stream) => {
    for await (const piece of audit(stream)) pieces.push(piece);
  });
  await documents.show(
    `Permissions of ${name}.txt`,
    plainOf(pieces, ({ text }) => visible(text)),
  );
}

async function showPreview({ engine }: Desk, name: string, documents: VirtualDocuments): Promise<void> {
  const pieces = await previewOf(engine, `session:${name}`);
  await documents.show(`Preview of ${name}.txt`, `${pieces.map(({ text }) => text).join('\n\n')}\n`);
}
