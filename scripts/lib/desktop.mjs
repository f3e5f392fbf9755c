/** The desktop VS Code of this machine, when there is one and a screen to show it on. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { isAlive, run, start } from './processes.mjs';
import { HOST_DIR, QUIET_SETTINGS } from './vscodeServer.mjs';

const WINDOWS = process.platform === 'win32';

/** The oldest VS Code that Polyglav runs in: package.json's `engines`, as [major, minor]. */
function oldest() {
  const { engines } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return numbers(engines.vscode);
}

/** @param {string} version */
function numbers(version) {
  return (version.match(/\d+/g) ?? []).map(Number);
}

/**
 * The program that opens it, or the reason why there is none to use.
 *
 * @returns {Promise<{ program: string } | { reason: string }>}
 */
export async function findDesktop() {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
    return { reason: 'there is no screen' };
  }
  let reason = 'no `code` command was found';
  for (const program of candidates()) {
    const { code, output } = await run(program, ['--version', ...asRoot()], { timeoutMs: 20_000, shell: WINDOWS });
    const version = output.split('\n')[0] ?? '';
    const [major = 0, minor = 0] = numbers(version);
    const [wantedMajor = 0, wantedMinor = 0] = oldest();
    if (code !== 0) reason = `${program} does not start`;
    else if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return { program };
    else reason = `${program} is ${version}; Polyglav needs ${wantedMajor}.${wantedMinor} or later`;
  }
  return { reason };
}

function candidates() {
  const name = WINDOWS ? 'code.cmd' : 'code';
  const onPath = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .filter((file) => fs.existsSync(file) && !isRemote(file));
  const app = '/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code';
  return process.platform === 'darwin' && fs.existsSync(app) ? [...onPath, app] : onPath;
}

/**
 * Inside a remote window or WSL `code` only talks to an editor on another machine, which cannot load from this disk.
 *
 * @param {string} file
 */
function isRemote(file) {
  return /remote-cli|\.vscode-server|code-server|^\/mnt\/[a-z]\//.test(fs.realpathSync(file));
}

function asRoot() {
  return process.getuid?.() === 0 ? ['--no-sandbox', '--user-data-dir', userDir()] : [];
}

/** Apart from the person's own editor: it can be ended, and changes none of their settings. */
function userDir() {
  return path.join(HOST_DIR, 'desktop');
}

/**
 * Opens a window with Polyglav loaded from this folder and waits until it is closed.
 *
 * @param {string} program
 * @param {string} folder
 * @param {string[]} extensions  folders of extensions to load
 */
export async function openDesktop(program, folder, extensions) {
  const settings = path.join(userDir(), 'User/settings.json');
  if (!fs.existsSync(settings)) {
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    fs.writeFileSync(settings, `${JSON.stringify(QUIET_SETTINGS, null, 2)}\n`);
  }
  const args = [
    ...extensions.map((extension) => `--extensionDevelopmentPath=${extension}`),
    ...['--new-window', '--wait', '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
    ...['--user-data-dir', userDir(), '--extensions-dir', path.join(userDir(), 'extensions')],
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    folder,
  ];
  const quoted = WINDOWS ? args.map((arg) => `"${arg}"`) : args;
  const child = start(program, quoted, { stdio: 'ignore', shell: WINDOWS });
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Ends the window of {@link openDesktop} where it is no child of ours: macOS starts it by the system. */
export function closeDesktop() {
  try {
    const pid = Number(fs.readFileSync(path.join(userDir(), 'code.lock'), 'utf8'));
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGTERM');
  } catch {
    // no window is open
  }
}
