/** Shows an address in a browser, where there is a screen and a browser. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findBrowser } from './browser.mjs';
import { start } from './processes.mjs';
import { HOST_DIR } from './vscodeServer.mjs';

/**
 * @param {string} url
 * @returns {Promise<boolean>} whether something was asked to show it
 */
export async function openAddress(url) {
  // The person's own browser: it was theirs before and stays theirs, so it is not among the processes that are stopped.
  if (process.platform === 'darwin') return handTo('open', [url]);
  if (process.platform === 'win32') return handTo('rundll32', ['url.dll,FileProtocolHandler', url]);
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return false;
  if (isOnPath('xdg-open')) return handTo('xdg-open', [url]);
  const browser = await findBrowser();
  if (!browser) return false;
  const profile = `--user-data-dir=${path.join(HOST_DIR, 'browser-profile')}`;
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  start(browser, [profile, '--no-first-run', ...sandbox, url], { stdio: 'ignore' });
  return true;
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function handTo(command, args) {
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
  return true;
}

/** @param {string} name */
function isOnPath(name) {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}
