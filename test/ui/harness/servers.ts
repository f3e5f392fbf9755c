/** The VS Code servers and the browser of one test run: each started when a test first needs it, all ended with the run. */
import fs from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { plantCanary } from '../../support/canary.ts';
import { launchBrowser } from '../../../scripts/lib/browser.mjs';
import { endWithParent, stopAll } from '../../../scripts/lib/processes.mjs';
import { installExtensions, QUIET_SETTINGS, startWorkbench, type Server } from '../../../scripts/lib/vscodeServer.mjs';

/** Removed by `npm test` when the run is over. */
export const runDir = needed('POLYGLAV_DIR');
const extensionsDir = path.join(runDir, 'extensions');
const servers = new Map<string, Promise<UiServer>>();
let browser: Promise<Browser> | undefined;
let installed: Promise<void> | undefined;
let count = 0;
/** Of folders in the homes, and of one beside the workspaces. */
const canaries: (() => void)[] = [];

endWithParent();

export interface UiServer extends Server {
  /** The user's own folder of Polyglav, as its extension hosts see it. */
  polyglavHome: string;
}

/**
 * The server with these variables in its environment, which its extension hosts inherit; tests that want the same share it. `trust`:
 * its folders begin untrusted.
 */
export async function serverWith(env: Record<string, string>, trust = false): Promise<UiServer> {
  const key = JSON.stringify([Object.entries(env).sort(), trust]);
  const server = servers.get(key) ?? startServer(env, trust);
  servers.set(key, server);
  return server;
}

async function startServer(env: Record<string, string>, trust: boolean): Promise<UiServer> {
  count += 1;
  const dir = path.join(runDir, `server-${count}`);
  const [dataDir, home] = [path.join(dir, 'data'), path.join(dir, 'home')];
  const guarded = [path.join(home, 'work'), path.join(runDir, `beside-${count}`)];
  for (const folder of [path.join(dataDir, 'User'), ...guarded]) fs.mkdirSync(folder, { recursive: true });
  canaries.push(...guarded.map(plantCanary));
  const settings = {
    ...QUIET_SETTINGS,
    'git.enabled': false,
    'workbench.colorTheme': 'Dark 2026',
    'security.workspace.trust.enabled': trust,
    'security.workspace.trust.startupPrompt': 'never',
    // The page on which a folder is trusted would lie over everything else.
    'workbench.editor.useModal': 'off',
  };
  fs.writeFileSync(path.join(dataDir, 'User/settings.json'), JSON.stringify(settings));
  installed ??= installExtensions([needed('POLYGLAV_VSIX')], { dataDir, extensionsDir });
  await installed;
  const variables = { ...withoutThePerson(home), ...env };
  const server = await startWorkbench({ dataDir, extensionsDir, port: 0, env: variables, trust });
  return { ...server, polyglavHome: env['POLYGLAV_HOME'] ?? path.join(home, '.polyglav') };
}

/** A test must not find the configuration or the keys of whoever runs it. */
function withoutThePerson(home: string): Record<string, string | undefined> {
  const personal = Object.keys(process.env).filter((name) => /^(POLYGLAV_|XDG_)|_API_KEY$/.test(name));
  return { ...Object.fromEntries(personal.map((name) => [name, undefined])), HOME: home, EXTENSIONS_GALLERY: '{}' };
}

export function theBrowser(): Promise<Browser> {
  browser ??= launchBrowser(needed('POLYGLAV_BROWSER'));
  return browser;
}

export async function stopEverything(): Promise<void> {
  await (await browser)?.close();
  await stopAll();
  for (const check of canaries) check();
}

export function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the UI tests by \`npm test -- ui\``);
  return value;
}
