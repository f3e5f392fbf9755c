/**
 * The first steps of `npm start` and `npm test`, from a clone with nothing installed: the packages, then the Node that the
 * rest needs. Uses Node's own modules only and runs on Node 20.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { endWithParent, run } from './processes.mjs';
import { step, Trouble } from './say.mjs';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** VS Code 1.139's server refuses every other major; unit tests need it to read TypeScript. */
const NODE_MAJOR = 24;
const REEXECUTED = 'POLYGLAV_REEXECUTED';

/** Installs the packages of package-lock.json unless they are there already. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await step('Installing packages (npm ci; about half a minute)', () => npm(['ci', '--loglevel=error'], ROOT));
}

/** Whether node_modules holds what package-lock.json lists; optional packages may be missing, as they are per platform. */
function isInstalled() {
  const modules = path.join(ROOT, 'node_modules');
  // Someone else keeps a linked folder, and npm would empty it for everybody.
  if (fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const wanted = packagesIn(path.join(ROOT, 'package-lock.json'));
  const present = packagesIn(path.join(modules, '.package-lock.json'));
  return Object.entries(wanted).every(([name, { version, optional }]) => {
    const found = present[name];
    return name === '' || (found ? found.version === version : optional === true);
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packagesIn(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).packages : {};
}

/**
 * Continues this script under Node 24 when the running one is another: resolves to true when that has happened (and the
 * script was run to its end there), so that the caller only has to return.
 *
 * @returns {Promise<boolean>}
 */
export async function continuedUnderNode24() {
  // npm's shell takes a signal for itself and leaves the script behind.
  if (process.env[REEXECUTED] || process.env['npm_lifecycle_event']) endWithParent();
  if (major(process.version) === NODE_MAJOR || process.env[REEXECUTED]) return false;
  const node = node24();
  if (!node) return false;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env: { ...process.env, [REEXECUTED]: '1' } });
  // The child hears a terminal's Ctrl+C itself and cleans up; this process only waits for it. Other signals are passed on.
  process.on('SIGINT', () => {});
  for (const name of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(name, () => child.kill(name));
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  return true;
}

/** The Node 24 to run servers and tests with: this one, or the one among the packages. */
export function requireNode24() {
  const node = major(process.version) === NODE_MAJOR ? process.execPath : node24();
  if (!node) {
    throw new Trouble(
      `This needs Node ${NODE_MAJOR} (running: ${process.version}), and no package brings it for ` +
        `${process.platform}-${process.arch}. Install Node ${NODE_MAJOR} and run the command again.`,
    );
  }
  return node;
}

/** The Node that came with the packages for this platform, if one did. */
function node24() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  // Apple's ARM build is published under a name of its own.
  const names = [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
  return names.map((name) => path.join(ROOT, 'node_modules', name, 'bin', binary)).find((file) => fs.existsSync(file));
}

/** @param {string} version */
function major(version) {
  return Number(/^v?(\d+)/.exec(version)?.[1]);
}

/**
 * Runs npm and throws with its output when it fails.
 *
 * @param {string[]} args
 * @param {string} cwd
 */
export async function npm(args, cwd) {
  // Under `npm run` this is the npm that was started; a Windows npm is a .cmd, which only a shell runs.
  const cli = process.env['npm_execpath'];
  const [command, prefix] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []];
  const { code, output, timedOut } = await run(command, [...prefix, ...args, '--no-audit', '--no-fund'], {
    cwd,
    shell: command === 'npm' && process.platform === 'win32',
    timeoutMs: 8 * 60_000,
  });
  if (code === 0) return;
  const reason = timedOut ? 'took longer than 8 minutes' : `ended with code ${code}`;
  throw new Trouble(`npm ${args[0]} in ${path.relative(ROOT, cwd) || 'the project'} ${reason}:\n${output.trim()}`);
}
