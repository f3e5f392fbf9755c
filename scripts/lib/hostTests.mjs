/**
 * Runs test/host inside a real extension host: of a desktop VS Code where one can be had, else of the server, whose
 * workbench is opened in a browser and told to run the tests there.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { ensureBrowser, launchBrowser } from './browser.mjs';
import { onInterrupt } from './processes.mjs';
import { say, Trouble } from './say.mjs';
import { ensureServer, QUIET_SETTINGS, startBareServer } from './vscodeServer.mjs';

const TIMEOUT_MS = 5 * 60_000;
const OUT = path.join(ROOT, 'out/test/host');
const ENTRY = path.join(OUT, 'index.js');

/**
 * @param {{ grep: string | null, output: string, env: Record<string, string> }} options  output: a folder for a picture, should
 *   the host not answer; env: home and temporary folder of the tests
 * @returns {Promise<import('../../test/support/results.ts').Results>}
 */
export async function runHostTests({ grep, output, env }) {
  const dir = fs.mkdtempSync(path.join(env['TMPDIR'] ?? os.tmpdir(), 'polyglav-host-'));
  const removeDir = () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  onInterrupt(removeDir);
  try {
    const folder = path.join(dir, 'workspace');
    fs.mkdirSync(path.join(folder, '.polyglav'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'hello.txt'), 'hello\n');
    const results = path.join(dir, 'results.json');
    fs.writeFileSync(path.join(OUT, 'run.json'), JSON.stringify({ results, grep }));
    const desktop = await desktopCanBeHad();
    say(desktop ? '  in a desktop VS Code (@vscode/test-electron)' : '  in the extension host of the VS Code server');
    await (desktop ? inDesktop(dir, folder, env) : inServer(dir, folder, output, env));
    if (!fs.existsSync(results)) throw new Trouble('The extension host ended without a result.');
    return JSON.parse(fs.readFileSync(results, 'utf8'));
  } finally {
    removeDir();
  }
}

/** Whether VS Code can be downloaded and shown here; POLYGLAV_TEST_ELECTRON=1 or =0 decides without looking. */
async function desktopCanBeHad() {
  const wish = process.env['POLYGLAV_TEST_ELECTRON'];
  if (wish !== undefined && wish !== '') return wish === '1';
  const hasScreen = process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'];
  if (!hasScreen) return false;
  try {
    const url = 'https://update.code.visualstudio.com/api/releases/stable';
    return (await fetch(url, { signal: AbortSignal.timeout(3000) })).ok;
  } catch {
    return false;
  }
}

/**
 * @param {string} dir
 * @param {string} folder
 * @param {Record<string, string>} env
 */
async function inDesktop(dir, folder, env) {
  const { runTests } = await import('@vscode/test-electron');
  const userDir = path.join(dir, 'user');
  writeSettings(path.join(userDir, 'User'));
  const launchArgs = [
    folder,
    ...['--user-data-dir', userDir, '--extensions-dir', path.join(dir, 'extensions')],
    ...['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
  ];
  try {
    await runTests({ extensionDevelopmentPath: ROOT, extensionTestsPath: ENTRY, launchArgs, extensionTestsEnv: env });
  } catch (error) {
    // Tests that failed are told by the results; this is for a VS Code that did not come so far.
    if (!fs.existsSync(path.join(dir, 'results.json'))) throw error;
  }
}

/**
 * @param {string} dir
 * @param {string} folder
 * @param {string} output
 * @param {Record<string, string>} env
 */
async function inServer(dir, folder, output, env) {
  await ensureServer();
  const executablePath = await ensureBrowser();
  const dataDir = path.join(dir, 'server');
  writeSettings(path.join(dataDir, 'data/User'));
  const server = await startBareServer({ dataDir, env });
  /** @type {import('playwright-core').Browser | undefined} */
  let browser;
  try {
    browser = await launchBrowser(executablePath);
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const ended = new Promise((resolve) => {
      setTimeout(() => resolve('timeout'), TIMEOUT_MS).unref();
      page.on('crash', () => resolve('crash'));
      void page.exposeFunction('codeAutomationExit', () => resolve('exit'));
    });
    // Format arguments come apart ("%s%s"); the suites print whole lines, and the rest is the workbench's own talk.
    await page.exposeFunction('codeAutomationLog', (/** @type {string} */ _type, /** @type {unknown[]} */ args) => {
      for (const line of args.map(String).filter((text) => text.startsWith('  ok   '))) say(line);
    });
    await page.goto(workbenchUrl(server.port, folder));
    const how = await ended;
    if (how === 'exit') return;
    await page.screenshot({ path: path.join(output, 'host-tests.png') }).catch(() => undefined);
    throw new Trouble(
      how === 'crash'
        ? 'The page with the workbench crashed.'
        : `The extension host did not finish within ${TIMEOUT_MS / 60_000} minutes; see test-output/host-tests.png.`,
    );
  } finally {
    await browser?.close();
    await server.stop();
  }
}

/**
 * A built VS Code listens to these only because the server runs with its smoke-test driver.
 *
 * @param {number} port
 * @param {string} folder
 */
function workbenchUrl(port, folder) {
  /** @param {string} file */
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
  const payload = [
    ['extensionDevelopmentPath', remote(ROOT)],
    ['extensionTestsPath', remote(ENTRY)],
    ['skipWelcome', 'true'],
    ['skipReleaseNotes', 'true'],
  ];
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}

/** @param {string} userDir */
function writeSettings(userDir) {
  fs.mkdirSync(userDir, { recursive: true });
  fs.writeFileSync(path.join(userDir, 'settings.json'), JSON.stringify({ ...QUIET_SETTINGS, 'git.enabled': false }));
}
