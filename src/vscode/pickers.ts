/** The native lists to choose a session, a model or a mode from. */
import * as vscode from 'vscode';

import { modes } from '../agent/modes.ts';
import type { Desk } from './desk.ts';
import { labelOf } from '../session/state.ts';
import type { SessionSummary } from '../session/store.ts';
import { readFacts } from './panelState.ts';
import { openSettings } from './settingsFile.ts';
import { stateIcon, whenAndHow } from './sessionWords.ts';
import { plainLabel } from './visibleText.ts';

/** Lets the person choose a session on disk. Undefined when they did not. */
export async function pickSession({ engine, active }: Desk, title: string): Promise<string | undefined> {
  const summaries = await engine.store.list();
  const items = summaries.map((summary) => ({
    label: `$(${stateIcon(summary, undefined)}) ${plainLabel(labelOf(summary.name, summary.title))}`,
    description: summary.name === active.run?.name ? 'open in the panel' : whenAndHow(summary, undefined),
    detail: plainLabel(summary.problem ?? nameOrTitle(summary)),
    name: summary.name,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage('There are no sessions in this folder yet.');
    return undefined;
  }
  const options = { title, placeHolder: 'Search by prompt or name', matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.name;
}

/** What the label does not say. */
function nameOrTitle({ name, title }: SessionSummary): string {
  return labelOf(name, title) === name ? title : name;
}

/** Loads the session that the person chooses, or begins a new one. */
export async function pickAndLoad(desk: Desk): Promise<void> {
  const name = await pickSession(desk, 'Polyglav: Load Session');
  if (name !== undefined) await desk.active.load(name);
}

interface ModelItem extends vscode.QuickPickItem {
  selector: string;
}

/** Chosen, it leads to where models are added. */
const SETTINGS: ModelItem = { label: '$(gear) Add a provider or a model…', alwaysShow: true, selector: '' };

function modelItem(selector: string, description: string): ModelItem {
  return { label: plainLabel(selector), description, selector };
}

/** A line that cannot be chosen. */
function notListed(problem: string): ModelItem {
  return { label: plainLabel(problem), kind: vscode.QuickPickItemKind.Separator, selector: '' };
}

/** Any model may be typed too: not every endpoint lists what it has. */
export async function pickModel(desk: Desk): Promise<void> {
  const { model, model_fault } = await readFacts(desk);
  const picker = vscode.window.createQuickPick<ModelItem>();
  const loading = new AbortController();
  const chosen = await new Promise<string | undefined>((resolve) => {
    picker.title = 'Polyglav: Model';
    picker.placeholder = 'Choose a model, or type <provider>/<model>';
    picker.busy = true;
    let listed = [modelItem(model, model_fault === undefined ? 'in use' : 'chosen, cannot be used now')];
    const show = () => {
      const typed = picker.value.trim();
      const isNew = typed.includes('/') && !listed.some(({ selector }) => selector === typed);
      picker.items = [...listed, ...(isNew ? [modelItem(typed, 'as typed')] : []), SETTINGS];
    };
    show();
    picker.onDidChangeValue(show);
    picker.onDidAccept(() => resolve(picker.selectedItems[0]?.selector));
    picker.onDidHide(() => resolve(undefined));
    picker.show();
    void desk.engine.models(loading.signal).then(
      ({ selectors, problems }) => {
        const others = selectors.filter((selector) => selector !== model);
        listed = [...listed, ...others.map((selector) => modelItem(selector, '')), ...problems.map(notListed)];
        picker.busy = false;
        show();
      },
      (error: unknown) => {
        picker.busy = false;
        picker.placeholder = plainLabel(`The models could not be listed: ${(error as Error).message}`);
      },
    );
  }).finally(() => {
    loading.abort();
    picker.dispose();
  });
  if (chosen === SETTINGS.selector) await openSettings(desk);
  else if (chosen !== undefined && chosen !== model) await (await desk.active.ensure()).setModel(chosen);
}

export async function pickMode(desk: Desk): Promise<void> {
  const { mode } = await readFacts(desk);
  const items = modes().map(({ name, description }) => ({
    label: name,
    description: name === mode ? 'in use' : '',
    detail: description,
  }));
  const item = await vscode.window.showQuickPick(items, { title: 'Polyglav: Mode' });
  if (item !== undefined && item.label !== mode) await (await desk.active.ensure()).setMode(item.label);
}
