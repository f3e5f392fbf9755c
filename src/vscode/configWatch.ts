/** Notices that a configuration file was changed, made or removed (the project's or the user's), or what the user confirmed. */
import path from 'node:path';

import * as vscode from 'vscode';

import type { CurrentDesk } from './desk.ts';

export function watchConfig(current: CurrentDesk, userFile: string, changed: () => void): vscode.Disposable {
  const watch = (folder: string, file: string) => {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), file));
    watcher.onDidChange(changed);
    watcher.onDidCreate(changed);
    watcher.onDidDelete(changed);
    return watcher;
  };
  const user = watch(path.dirname(userFile), path.basename(userFile));
  const trusted = watch(path.dirname(userFile), 'trusted.json');
  const project = current.follow((desk) => {
    if (desk === undefined) return [];
    const watcher = watch(desk.workspace, '.polyglav/config.json');
    return [
      () => {
        watcher.dispose();
      },
    ];
  });
  return vscode.Disposable.from(user, trusted, project);
}
