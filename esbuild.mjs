/**
 * Builds what ships: dist/extension.js (the extension host), dist/cli.js (Node 20 and later), beside either dist/watchdog.js,
 * dist/htmlWorker.js and dist/*.wasm (the shell grammar), and dist/webview/ (the panel).
 *
 *   node esbuild.mjs               development: source maps, no minifying
 *   node esbuild.mjs --production  what `npm run package` packs: minified, dist/ made anew, no maps
 *   node esbuild.mjs --tests       the host tests as well, into out/test/host/
 *   node esbuild.mjs --watch       builds again on each change
 */
import fs from 'node:fs';
import path from 'node:path';
import esbuild from 'esbuild';

const ROOT = import.meta.dirname;
const flags = new Set(process.argv.slice(2));
const unknown = [...flags].filter((flag) => !['--production', '--watch', '--tests'].includes(flag));
if (unknown.length > 0) stop(`unknown option ${unknown.join(' ')}; there are --production, --tests and --watch`);
const production = flags.has('--production');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'warning',
  // A stack trace in a bug report should name the function it went through.
  keepNames: true,
};

/** @type {import('esbuild').BuildOptions} */
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  // The other build of it looks for its place by import.meta, which a CommonJS bundle does not have.
  alias: { 'web-tree-sitter': path.join(ROOT, 'node_modules/web-tree-sitter/web-tree-sitter.cjs') },
  // jsonc-parser's CommonJS file loads its parts in a way that no bundler can follow.
  mainFields: ['module', 'main'],
  // ripgrep is a binary beside its package: found at run time where it is installed, else the editor's own.
  external: ['vscode', '@vscode/ripgrep'],
  // Packages that were written for ES modules read these; a CommonJS bundle has the same things under other names.
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};

/** @type {import('esbuild').BuildOptions} */
const extension = {
  ...node,
  entryPoints: { extension: 'src/extension.ts' },
  outdir: 'dist',
  target: 'node22',
  // zod and openai look at the global `navigator`, which VS Code reports as an error of the extension that did.
  define: { ...node.define, navigator: 'undefined', 'globalThis.navigator': 'undefined' },
};

/** @type {import('esbuild').BuildOptions} */
const cli = {
  ...node,
  entryPoints: { cli: 'src/cli/main.ts' },
  outdir: 'dist',
  target: 'node20',
  banner: { js: '#!/usr/bin/env node' },
};

/** Started by both of them. @type {import('esbuild').BuildOptions} */
const beside = {
  ...node,
  entryPoints: { watchdog: 'src/tools/watchdogProcess.ts', htmlWorker: 'src/tools/htmlWorker.ts' },
  outdir: 'dist',
  target: 'node20',
};

/** @type {import('esbuild').BuildOptions} */
const webview = {
  ...common,
  entryPoints: { main: 'webview-ui/main.ts' },
  outdir: 'dist/webview',
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  conditions: ['browser', ...(production ? ['production'] : ['development'])],
  define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
  tsconfig: 'webview-ui/tsconfig.json',
};

/** @returns {import('esbuild').BuildOptions} */
function hostTests() {
  const dir = path.join(ROOT, 'test/host');
  const files = fs.readdirSync(dir).filter((name) => name === 'index.ts' || name.endsWith('.test.ts'));
  return {
    ...node,
    minify: false,
    sourcemap: 'inline',
    entryPoints: files.map((name) => path.join(dir, name)),
    outdir: 'out/test/host',
    target: 'node22',
    external: ['vscode', 'mocha', '@vscode/ripgrep'],
  };
}

const builds = [extension, cli, beside, webview];
if (flags.has('--tests')) builds.push(hostTests());

for (const { entryPoints } of builds) {
  for (const entry of /** @type {string[]} */ (Object.values(entryPoints ?? {}))) {
    if (!fs.existsSync(path.resolve(ROOT, entry))) stop(`nothing to build: ${entry} is missing`);
  }
}

if (production) fs.rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
if (flags.has('--tests')) fs.rmSync(path.join(ROOT, 'out/test/host'), { recursive: true, force: true });

try {
  if (flags.has('--watch')) {
    const contexts = await Promise.all(builds.map((options) => esbuild.context({ ...options, logLevel: 'info' })));
    await Promise.all(contexts.map((context) => context.watch()));
  } else {
    await Promise.all(builds.map((options) => esbuild.build(options)));
  }
} catch (error) {
  // esbuild has printed its own messages; anything else is a fault of this script.
  if (!(error instanceof Error && 'errors' in error)) throw error;
  process.exit(1);
}
copyIcons();
copyGrammar();
if (!flags.has('--watch')) fs.chmodSync(path.join(ROOT, 'dist/cli.js'), 0o755);

/** The panel links the icon font as a style sheet of its own; it is not bundled. */
function copyIcons() {
  const from = path.join(ROOT, 'node_modules/@vscode/codicons/dist');
  const to = path.join(ROOT, 'dist/webview');
  fs.mkdirSync(to, { recursive: true });
  for (const name of ['codicon.css', 'codicon.ttf']) fs.copyFileSync(path.join(from, name), path.join(to, name));
}

/** What reads shell lines looks for these beside its bundle. */
function copyGrammar() {
  for (const file of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'])
    fs.copyFileSync(path.join(ROOT, 'node_modules', file), path.join(ROOT, 'dist', path.basename(file)));
}

/**
 * @param {string} message
 * @returns {never}
 */
function stop(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}
