import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the extension in VS Code', () => {
  it('activates and registers its commands', async () => {
    const extension = vscode.extensions.getExtension('polyglav.polyglav');
    assert.ok(extension, 'polyglav.polyglav is not installed');
    await extension.activate();
    const known = new Set(await vscode.commands.getCommands(true));
    for (const name of [
      'newSession',
      'loadSession',
      'saveSession',
      'previewSession',
      'showPermissions',
      'deleteSession',
      'exportSession',
      'stop',
      'resetShell',
    ]) {
      assert.ok(known.has(`polyglav.${name}`), `no command polyglav.${name}`);
    }
  });

  it('declares each of its commands in the palette, and nothing that is not registered', async () => {
    const extension = vscode.extensions.getExtension('polyglav.polyglav');
    await extension?.activate();
    const { contributes } = extension?.packageJSON as {
      contributes: { commands: { command: string; title: string }[] };
    };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
  });
});
