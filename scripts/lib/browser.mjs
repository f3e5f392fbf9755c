/** A Chromium for the tests: the one that is installed, else one that this machine can get by itself. */
import fs from 'node:fs';
import path from 'node:path';
import { npm, requireNode24 } from './bootstrap.mjs';
import { onInterrupt, run } from './processes.mjs';
import { step, Trouble } from './say.mjs';
import { HOST_DIR } from './vscodeServer.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
/** The npm package that carries a headless Chromium for Linux in its tarball. */
const PACKED = { name: '@sparticuz/chromium', version: '153.0.0' };
const ASK_FOR_ONE =
  'The tests need a browser. Install Chromium or Google Chrome, or name one by POLYGLAV_BROWSER=/path/to/it.';

/**
 * What Chromium needs to run as root, in a container and without a graphics card, and to stay off the network.
 */
const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * Starts the browser, headless.
 *
 * @param {string} executablePath  from {@link ensureBrowser}
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchBrowser(executablePath) {
  const { chromium } = await import('playwright-core');
  // Playwright would end this process on a signal, before the servers are stopped.
  const browser = await chromium.launch({
    executablePath,
    args: BROWSER_ARGS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  onInterrupt(() => browser.close());
  return browser;
}

/** Finds a browser, or installs one; the path of its program. */
export async function ensureBrowser() {
  const named = process.env['POLYGLAV_BROWSER'];
  if (named) {
    if (await works(named)) return named;
    throw new Trouble(`POLYGLAV_BROWSER=${named} does not run.`);
  }
  const found = await findBrowser();
  if (found) return found;
  if (isDebianRoot()) {
    await step('Installing Chromium (apt-get; a minute or two)', async () => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await run('apt-get', ['update', '-qq'], { env, timeoutMs: 3 * 60_000 });
      await run('apt-get', ['install', '-y', '-qq', 'chromium'], { env, timeoutMs: 6 * 60_000 });
    });
    const installed = await findBrowser();
    if (installed) return installed;
  }
  if (process.platform === 'linux' && process.arch === 'x64') return packedBrowser();
  throw new Trouble(ASK_FOR_ONE);
}

/** A browser that is installed on this machine and starts. */
export async function findBrowser() {
  for (const file of candidates()) {
    if (fs.existsSync(file) && (await works(file))) return file;
  }
  return undefined;
}

function candidates() {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  if (process.platform === 'darwin') {
    const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return [...onPath, ...apps.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`)];
  }
  if (process.platform === 'win32') {
    const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map((name) => process.env[name] ?? '');
    const programs = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'];
    return roots.filter(Boolean).flatMap((root) => programs.map((program) => path.join(root, program)));
  }
  return onPath;
}

/**
 * Whether it starts at all: the `chromium-browser` of some systems only tells how to install one.
 *
 * @param {string} file
 */
async function works(file) {
  // Windows' Chrome does not answer to --version; it opens a window.
  if (process.platform === 'win32') return fs.existsSync(file);
  const { code } = await run(file, ['--no-sandbox', '--version'], { timeoutMs: 20_000 });
  return code === 0;
}

function isDebianRoot() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    return /^ID=debian$/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

async function packedBrowser() {
  const dir = path.join(HOST_DIR, 'browser');
  const main = path.join(dir, 'node_modules', PACKED.name, 'package.json');
  if (!fs.existsSync(main)) {
    await step('Fetching a headless Chromium into .vscode-host/ (once; half a minute)', async () => {
      fs.mkdirSync(dir, { recursive: true });
      const manifest = { name: 'browser', private: true, dependencies: { [PACKED.name]: PACKED.version } };
      fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest));
      await npm(['install', '--ignore-scripts', '--loglevel=error'], dir);
    });
  }
  // The package unpacks itself on first use, into the temporary folder, and needs a newer Node than the scripts may run on.
  const code = `import('${PACKED.name}').then(async (m) => console.log(await m.default.executablePath()))`;
  const { output } = await run(requireNode24(), ['--eval', code], { cwd: dir, timeoutMs: 2 * 60_000 });
  const file = output.trim().split('\n').at(-1) ?? '';
  if (path.isAbsolute(file) && (await works(file))) return file;
  throw new Trouble(`${ASK_FOR_ONE}\n${output.trim()}`);
}
