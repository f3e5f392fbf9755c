import assert from 'node:assert/strict';
import * as vscode from 'vscode';

import type { HostMessage } from '../../src/protocol/messages.ts';
import { CurrentDesk, type Desk } from '../../src/vscode/desk.ts';
import { PanelBinding } from '../../src/vscode/panelBinding.ts';
import { Memory, until } from './chatFixture.ts';

type Pick = (items: { label: string; folder: vscode.WorkspaceFolder }[]) => unknown;

describe('the folder that a window works in (0.11)', () => {
  const open = Object.getOwnPropertyDescriptor(vscode.workspace, 'workspaceFolders') as PropertyDescriptor;
  const { showQuickPick } = vscode.window;
  const folders = (...uris: string[]) => {
    const value = uris.map((uri, index) => ({ uri: vscode.Uri.parse(uri), name: uri.split('/').at(-1), index }));
    Object.defineProperty(vscode.workspace, 'workspaceFolders', { ...open, get: () => value });
  };
  let memory: Memory;
  let opened: string[];
  let faults: string[];
  let asked: string[][];
  let pick: Pick;
  let desks: CurrentDesk[];
  let fail: Error | undefined;

  beforeEach(() => {
    [memory, opened, faults, asked, desks, fail] = [new Memory(), [], [], [], [], undefined];
    pick = (items) => items[1];
    Object.assign(vscode.window, {
      showQuickPick: async (items: Parameters<Pick>[0]) => {
        asked.push(items.map(({ label }) => label));
        return pick(items);
      },
    });
  });
  afterEach(() => {
    for (const desk of desks) desk.dispose();
    Object.defineProperty(vscode.workspace, 'workspaceFolders', open);
    Object.assign(vscode.window, { showQuickPick });
  });

  const window = (): CurrentDesk => {
    const openDesk = async (folder: vscode.WorkspaceFolder): Promise<Desk> => {
      if (fail !== undefined) throw fail;
      opened.push(folder.name);
      const parts = { engine: { suspend: async () => undefined }, active: { dispose: () => undefined } };
      return { folder, workspace: folder.uri.fsPath, ...parts } as unknown as Desk;
    };
    const desk = new CurrentDesk(memory, openDesk, (error) => faults.push((error as Error).message));
    desks.push(desk);
    return desk;
  };
  /** What the panel says without a desk. */
  const problems = async (current: CurrentDesk): Promise<string[]> => {
    const posted: HostMessage[] = [];
    const binding = new PanelBinding(
      current,
      (message) => posted.push(message),
      (error) => assert.fail(String(error)),
    );
    await binding.connect();
    binding.dispose();
    const [snapshot] = posted;
    assert.ok(snapshot?.type === 'snapshot' && !snapshot.state.folder);
    return snapshot.state.problems.map(({ text }) => text);
  };

  it('is the only one, without a question', async () => {
    folders('file:///w/one');
    const current = window();
    assert.equal((await current.ensure())?.folder.name, 'one');
    assert.deepEqual([asked, current.folderName], [[], '']);
  });

  it('is picked once among several, remembered, and named', async () => {
    folders('file:///w/one', 'file:///w/two');
    const current = window();
    await current.settle();
    assert.deepEqual([current.desk, current.mustPick], [undefined, true]);
    assert.match((await problems(current)).join(), /Several folders are open/);
    const both = await Promise.all([current.ensure(), current.ensure()]);
    assert.deepEqual(
      both.map((desk) => desk?.folder.name),
      ['two', 'two'],
    );
    assert.equal(current.folderName, 'two');
    assert.equal((await window().ensure())?.folder.name, 'two');
    assert.deepEqual(asked, [['one', 'two']]);
  });

  it('is asked for again when none was picked', async () => {
    folders('file:///w/one', 'file:///w/two');
    pick = () => undefined;
    const current = window();
    assert.equal(await current.ensure(), undefined);
    pick = (items) => items[0];
    assert.equal((await current.ensure())?.folder.name, 'one');
  });

  it('is never one that is not on a disk', async () => {
    folders('memfs:///one');
    const current = window();
    assert.equal(await current.ensure(), undefined);
    assert.deepEqual([current.mustPick, opened, asked], [false, [], []]);
  });

  it('says why it cannot be worked in, and is tried again', async () => {
    folders('file:///w/one');
    fail = new Error('no space left on device');
    const current = window();
    await current.settle();
    assert.match((await problems(current)).join(), /folder one: no space left on device\. .*reload the window/);
    assert.deepEqual(faults, ['no space left on device']);
    fail = undefined;
    assert.equal((await current.ensure())?.folder.name, 'one');
    await until(() => current.problem === undefined);
  });
});

describe('a workspace that is not trusted, or not on a disk', () => {
  const { capabilities, contributes } = vscode.extensions.getExtension('polyglav.polyglav')?.packageJSON as {
    capabilities: Record<string, { supported: unknown; restrictedConfigurations?: string[] }>;
    contributes: { configuration?: unknown };
  };

  it('is worked in with limits, or not at all', () => {
    assert.equal(capabilities['untrustedWorkspaces']?.supported, 'limited');
    assert.equal(capabilities['virtualWorkspaces']?.supported, false);
  });

  it('has no setting that its own .vscode/settings.json could set (P5)', () => {
    // A setting that starts, sends or allows something goes into the list.
    assert.equal(contributes.configuration, undefined);
    assert.deepEqual(capabilities['untrustedWorkspaces']?.restrictedConfigurations, []);
  });
});
