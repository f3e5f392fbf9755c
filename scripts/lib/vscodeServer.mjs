/**
 * A real VS Code where no desktop one is to be had: the npm package code-server, which carries VS Code's server and its
 * workbench. It is installed into the git-ignored .vscode-host/ with no install script run and nothing compiled.
 *
 * Two ways to start it. {@link startWorkbench} runs the code-server program, which keeps secrets and window state: for
 * people and for UI tests. {@link startBareServer} runs VS Code's own server below it, which alone takes the switch that
 * lets a page run tests inside the extension host.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { npm, requireNode24, ROOT } from './bootstrap.mjs';
import { run, start, stop } from './processes.mjs';
import { step, Trouble } from './say.mjs';

/** = VS Code 1.139.1 */
const VERSION = '4.139.1';
const HOST = '127.0.0.1';

export const HOST_DIR = path.join(ROOT, '.vscode-host');
const SERVER_DIR = path.join(HOST_DIR, 'server');
const CODE_SERVER = path.join(SERVER_DIR, 'node_modules/code-server');
const VSCODE = path.join(CODE_SERVER, 'lib/vscode');

/** Not needed to run extensions, webviews, terminals, search or git; without them the download is half as big. */
const UNNEEDED = [
  '@devcontainers/cli',
  '@github/copilot-sdk',
  '@microsoft/mxc-sdk',
  '@vscode/copilot-api',
  '@vscode/deviceid',
  '@vscode/sandbox-runtime',
  '@vscode/sqlite3',
  '@vscode/windows-process-tree',
  '@vscode/windows-registry',
  'kerberos',
  'ssh2',
];

/** A window without welcome pages, update checks and other voices. */
export const QUIET_SETTINGS = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'typescript.disableAutomaticTypeAcquisition': true,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  // Dialogs that the page draws itself: a test can press their buttons.
  'window.dialogStyle': 'custom',
  'files.simpleDialog.enable': true,
};

/** Installs the server unless this version is there already. */
export async function ensureServer() {
  requireNode24();
  if (process.platform === 'win32') {
    throw new Trouble('No desktop VS Code was found, and its server does not run on Windows. Install VS Code first.');
  }
  const stamp = path.join(SERVER_DIR, 'installed.json');
  const wanted = JSON.stringify({ version: VERSION, platform: process.platform, arch: process.arch, layout: 1 });
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  await step('Installing a VS Code server into .vscode-host/ (once; about a minute, 390 MB)', async () => {
    fs.rmSync(SERVER_DIR, { recursive: true, force: true });
    fs.mkdirSync(SERVER_DIR, { recursive: true });
    const manifest = { name: 'vscode-host', private: true, dependencies: { 'code-server': VERSION } };
    fs.writeFileSync(path.join(SERVER_DIR, 'package.json'), JSON.stringify(manifest));
    // code-server and VS Code both bring their own lists of exact versions. Their install scripts would compile.
    const quietly = ['install', '--ignore-scripts', '--omit=dev', '--loglevel=error'];
    await npm(quietly, SERVER_DIR);
    dropUnneeded(path.join(VSCODE, 'package.json'));
    await npm(quietly, VSCODE);
    // TypeScript, for the editor's own language support.
    await npm(quietly, path.join(VSCODE, 'extensions'));
    for (const name of ['native-watchdog', 'spdlog']) {
      const target = path.join(VSCODE, 'node_modules/@vscode', name, 'index.js');
      fs.copyFileSync(path.join(ROOT, 'scripts/stand-ins', `${name}.cjs`), target);
    }
    fs.writeFileSync(stamp, wanted);
  });
}

/** @param {string} file */
function dropUnneeded(file) {
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
  const needed = Object.entries(manifest.dependencies).filter(([name]) => !UNNEEDED.includes(name));
  manifest.dependencies = Object.fromEntries(needed);
  manifest.overrides = {};
  fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/**
 * The variables by which an outer editor or platform would take hold of the server that we start.
 *
 * @param {Record<string, string | undefined>} more
 */
function cleanEnv(more) {
  const foreign =
    /^(VSCODE_|CODE_SERVER_|ELECTRON_RUN_AS_NODE$|PORT$|PASSWORD$|HASHED_PASSWORD$|GITHUB_TOKEN$|NODE_OPTIONS$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), ...more };
}

/**
 * @param {string} dataDir
 * @param {string} extensionsDir
 */
function codeServerArgs(dataDir, extensionsDir) {
  return [
    path.join(CODE_SERVER, 'out/node/entry.js'),
    ...['--user-data-dir', dataDir, '--extensions-dir', extensionsDir],
    // A file that is not there: nothing from the person's own ~/.config.
    ...['--config', path.join(dataDir, 'none.yaml')],
  ];
}

/**
 * Installs packaged extensions for {@link startWorkbench}.
 *
 * @param {string[]} files  .vsix files
 * @param {{ dataDir: string, extensionsDir: string }} dirs
 */
export async function installExtensions(files, { dataDir, extensionsDir }) {
  const args = files.flatMap((file) => ['--install-extension', file]);
  const { code, output } = await run(requireNode24(), [...codeServerArgs(dataDir, extensionsDir), ...args, '--force'], {
    env: cleanEnv({ EXTENSIONS_GALLERY: '{}' }),
    timeoutMs: 60_000,
  });
  if (code !== 0) throw new Trouble(`The VS Code server did not take ${files.join(', ')}:\n${output.trim()}`);
}

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {number} port
 * @property {import('node:child_process').ChildProcess} process
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the code-server program. Its user settings are `<dataDir>/User/settings.json`.
 *
 * @param {{ dataDir: string, extensionsDir: string, port: number, env?: Record<string, string | undefined>, trust?: boolean }} options
 *   trust: whether folders begin untrusted, as in the editor of a person
 * @returns {Promise<Server>}
 */
export async function startWorkbench({ dataDir, extensionsDir, port, env = {}, trust = false }) {
  const args = [
    ...codeServerArgs(dataDir, extensionsDir),
    ...['--auth', 'none', '--bind-addr', `${HOST}:${port}`],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    ...(trust ? [] : ['--disable-workspace-trust']),
  ];
  return startServer(args, cleanEnv(env), /HTTP server listening on \S+?:(\d+)/, path.join(dataDir, 'server.log'));
}

/**
 * Starts VS Code's own server with the switch that lets a page run tests in the extension host.
 * Its user settings are `<dataDir>/data/User/settings.json`.
 *
 * @param {{ dataDir: string, env?: Record<string, string | undefined> }} options
 * @returns {Promise<Server>}
 */
export async function startBareServer({ dataDir, env = {} }) {
  const args = [
    path.join(VSCODE, 'out/server-main.js'),
    ...['--host', HOST, '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
    ...['--server-data-dir', dataDir, '--telemetry-level', 'off', '--disable-workspace-trust'],
    '--enable-smoke-test-driver',
  ];
  const ready = /Extension host agent listening on (\d+)/;
  return startServer(args, cleanEnv({ EXTENSIONS_GALLERY: '{}', ...env }), ready, path.join(dataDir, 'server.log'));
}

/**
 * @param {string[]} args
 * @param {Record<string, string | undefined>} env
 * @param {RegExp} ready  what the server prints when it listens; group 1 is the port
 * @param {string} logFile
 * @returns {Promise<Server>}
 */
async function startServer(args, env, ready, logFile) {
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.createWriteStream(logFile);
  const child = start(requireNode24(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const port = await new Promise((resolve, reject) => {
    let output = '';
    /** @param {string} why */
    const give = (why) => reject(new Error(`The VS Code server ${why}:\n${output.trim()}`));
    const timer = setTimeout(() => give('did not start within 60 s'), 60_000);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        log.write(text);
        if (output.length < 100_000) output += text;
        const match = ready.exec(output);
        if (match) {
          clearTimeout(timer);
          resolve(Number(match[1]));
        }
      });
    }
    child.once('error', (error) => give(`could not be started (${error.message})`));
    child.once('exit', (code) => give(`ended with code ${code}`));
  }).catch(async (/** @type {unknown} */ error) => {
    await stop(child);
    throw error;
  });
  return { url: `http://${HOST}:${port}/`, port, process: child, stop: () => stop(child) };
}

/**
 * The port wished for, when it is free; otherwise any free one. 0: any.
 *
 * @param {number} wished
 * @returns {Promise<number>}
 */
export async function freePort(wished) {
  /** @param {number} port */
  const tryPort = (port) =>
    new Promise((resolve) => {
      const probe = net.createServer();
      probe.once('error', () => resolve(undefined));
      probe.listen(port, HOST, () => {
        const { port: got } = /** @type {net.AddressInfo} */ (probe.address());
        probe.close(() => resolve(got));
      });
    });
  return (await tryPort(wished)) ?? (await tryPort(0));
}
