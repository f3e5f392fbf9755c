import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

import { modalUi } from '../../src/vscode/modal.ts';
import { Prompts } from '../../src/vscode/prompts.ts';
import { VirtualDocuments } from '../../src/vscode/virtualDocuments.ts';
import { until } from './chatFixture.ts';

/** The tabs that show a diff, by what is on their right. */
function diffs(): vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input.modified] : []));
}

describe('the permission prompt on the screen', () => {
  const { showWarningMessage } = vscode.window;
  const documents = new VirtualDocuments('polyglav-modal-test');
  after(() => {
    Object.assign(vscode.window, { showWarningMessage });
    documents.dispose();
  });

  it('is a native modal, with the diff of an edit behind it as long as it is open', async () => {
    const shown: unknown[][] = [];
    let press = (_: string): void => undefined;
    Object.assign(vscode.window, {
      showWarningMessage: (...values: unknown[]) => {
        shown.push(values);
        return new Promise((resolve) => (press = resolve));
      },
    });
    const ui = modalUi(documents, { desk: undefined });
    const prompts = new Prompts(ui, (error) => assert.fail(String(error)));
    const change = { path: '/w/src/a.ts', before: 'let a = 1;\n', after: 'let a = 2;\n' };
    const ask = { id: '1', session: 'ses', tool: 'file_edit', title: 'Edit src/a.ts', outside: false, change };
    const asked = prompts.ask(ask, new AbortController().signal);
    await until(() => shown.length === 1 && diffs().length === 1);
    assert.deepEqual((shown[0]?.[1] as { modal: boolean }).modal, true);
    assert.deepEqual(shown[0]?.slice(2), ['Deny', 'Allow Once']);
    const document = await vscode.workspace.openTextDocument(diffs()[0]!);
    assert.equal(document.getText(), 'let a = 2;\n');
    press('Allow Once');
    assert.deepEqual(await asked, { answer: 'once' });
    await until(() => diffs().length === 0);
    await sleep(0);
  });
});
