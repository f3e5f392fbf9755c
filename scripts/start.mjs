/**
 * `npm start`: a VS Code with Polyglav in it and the chat panel open, from a clone with nothing installed.
 *
 *   npm start                   on a sample workspace
 *   npm start -- ../project     on a folder
 *   npm start -- --no-open      print the address, open no browser
 *   npm start -- --port 9000    where the VS Code server listens
 *   npm start -- --server       the VS Code server although there is a desktop VS Code
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { continuedUnderNode24, ensureInstalled, ROOT } from './lib/bootstrap.mjs';
import { onInterrupt, untilEnded } from './lib/processes.mjs';
import { say, script, step, Trouble } from './lib/say.mjs';

/** A fixed one, since a browser keeps secrets and the window's state by address. */
const PORT = 8710;
const OPENER = path.join(ROOT, 'scripts/opener');
const SAMPLE = path.join(ROOT, 'samples/notes');

await script(async () => {
  const { given, open, port, server } = readArguments();
  await ensureInstalled();
  if (await continuedUnderNode24()) return;
  const folder = given ?? sampleWorkspace();

  const { closeDesktop, findDesktop, openDesktop } = await import('./lib/desktop.mjs');
  const desktop = server ? { reason: 'asked for' } : await findDesktop();
  if ('program' in desktop) {
    const { build } = await import('./lib/build.mjs');
    await step('Building', () => build([]));
    onInterrupt(closeDesktop);
    say(`\nPolyglav opens in VS Code on ${folder}\nClose the window or press Ctrl+C to end it.`);
    await openDesktop(desktop.program, folder, [ROOT, OPENER]);
    return;
  }
  say(`Using the VS Code server (desktop VS Code: ${desktop.reason}).`);
  await serve(folder, port, open);
});

function readArguments() {
  const { values, positionals } = parse();
  if (positionals.length > 1) throw new Trouble(`One folder at a time, please, not ${positionals.join(' ')}`);
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new Trouble(`--port takes a number from 1 to 65535, not "${values.port}"`);
  }
  return { given: workspaceFolder(positionals[0]), open: !values['no-open'], port, server: values.server === true };
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { 'no-open': { type: 'boolean' }, port: { type: 'string' }, server: { type: 'boolean' } },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.split('. To specify')[0] : String(error);
    throw new Trouble(`${message}\nUsage: npm start -- [folder] [--no-open] [--port number] [--server]`);
  }
}

/**
 * npm runs scripts in the project's folder; a path is meant from where the person stands.
 *
 * @param {string | undefined} given
 */
function workspaceFolder(given) {
  if (given === undefined) return undefined;
  const folder = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), given);
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (!stat) throw new Trouble(`There is no folder ${folder}`);
  if (!stat.isDirectory()) throw new Trouble(`${folder} is a file; Polyglav opens folders`);
  return folder;
}

/** The person's own copy of the sample, kept between starts: what the agent did there is theirs. */
function sampleWorkspace() {
  const copy = path.join(ROOT, '.vscode-host/sample');
  if (!fs.existsSync(copy)) fs.cpSync(SAMPLE, copy, { recursive: true });
  return copy;
}

/**
 * @param {string} folder
 * @param {number | undefined} wishedPort
 * @param {boolean} open
 */
async function serve(folder, wishedPort, open) {
  const { build, packageVsix, vsce } = await import('./lib/build.mjs');
  const { openAddress } = await import('./lib/openAddress.mjs');
  const { ensureServer, freePort, HOST_DIR, installExtensions, QUIET_SETTINGS, startWorkbench } =
    await import('./lib/vscodeServer.mjs');
  const port = await freePort(wishedPort ?? PORT);
  if (wishedPort !== undefined && port !== wishedPort) throw new Trouble(`Port ${wishedPort} is in use.`);
  await ensureServer();
  const { file } = await step('Building', async () => {
    await build(['--production']);
    return packageVsix();
  });

  const dirs = { dataDir: path.join(HOST_DIR, 'state'), extensionsDir: path.join(HOST_DIR, 'extensions') };
  const settings = path.join(dirs.dataDir, 'User/settings.json');
  if (!fs.existsSync(settings)) {
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    fs.writeFileSync(settings, `${JSON.stringify(QUIET_SETTINGS, null, 2)}\n`);
  }
  const server = await step('Starting VS Code', async () => {
    const opener = path.join(HOST_DIR, 'opener.vsix');
    await vsce(['--out', opener, '--skip-license', '--allow-missing-repository'], OPENER);
    await installExtensions([file, opener], dirs);
    return startWorkbench({ ...dirs, port });
  });
  const address = `${server.url}?folder=${encodeURIComponent(folder).replaceAll('%2F', '/')}`;
  say(`\nPolyglav is open in VS Code on ${folder}\n\n${address}\n`);
  if (port !== (wishedPort ?? PORT))
    say(`(Port ${PORT} is in use; stored keys and the window's layout belong to that one.)`);
  if (!open || !(await openAddress(address))) say('Open the address in a browser on this machine.');
  say('Press Ctrl+C to end it.');
  const code = await new Promise((resolve) => server.process.once('exit', resolve));
  await untilEnded();
  throw new Trouble(`The VS Code server ended by itself (code ${code}); see ${path.join(dirs.dataDir, 'server.log')}`);
}
