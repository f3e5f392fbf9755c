import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';

import { Engine } from '../../src/agent/engine.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createProviders } from '../../src/providers/registry.ts';
import type { Session } from '../../src/session/schema.ts';
import { SessionStore } from '../../src/session/store.ts';
import { diskFiles } from '../../src/tools/diskFiles.ts';
import { tools } from '../../src/tools/registry.ts';
import { findRipgrep } from '../../src/tools/ripgrepBinary.ts';
import { EditorFiles } from '../../src/vscode/editorFiles.ts';
import { editorRipgrep } from '../../src/vscode/ripgrep.ts';

describe('the engine in the extension host, with the demo model', () => {
  it('searches with the ripgrep of VS Code and leaves a session file', async () => {
    const root = await fs.realpath(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
    const workspace = await fs.mkdtemp(path.join(root, 'demo-'));
    await fs.writeFile(path.join(workspace, 'a.txt'), 'a needle in the hay\n');
    const ripgrep = await findRipgrep(editorRipgrep(vscode.env.appRoot), {});
    assert.ok(ripgrep, `no ripgrep under ${vscode.env.appRoot}`);
    const engine = new Engine({
      store: new SessionStore(workspace, { version: '0.0.0' }),
      loadConfig: () => loadConfig({ workspace, home: path.join(workspace, 'home') }),
      providers: (config) => createProviders(config, {}),
      tools,
      asker: { ask: () => assert.fail('searching inside the workspace asks nothing') },
      files: new EditorFiles(diskFiles),
      ripgrep,
      env: {},
    });
    try {
      const run = await engine.create();
      const { done } = await run.submit('search for "needle"');
      assert.equal(await done, 'ok');
      await engine.close();
      const file = path.join(workspace, '.polyglav/sessions', `${run.name}.json`);
      const session = JSON.parse(await fs.readFile(file, 'utf8')) as Session;
      const call = session.turns[0]?.parts.find(({ type }) => type === 'tool');
      assert.equal(call?.['name'], 'file_search');
      assert.match(String(call['output']), /a needle in the hay/);
      assert.equal(session.permissions[0]?.decision, 'granted');
    } finally {
      await engine.close();
      await fs.rm(workspace, { recursive: true, force: true });
    }
  });
});
