/**
 * `npm test`: everything that must hold, from a clean clone, ending in one line `N passed, N failed`.
 *
 *   npm test                       all stages
 *   npm test -- check unit         some of them; those that need a build make it first
 *   npm test -- ui --grep reload   only the tests whose names hold this
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { continuedUnderNode24, ensureInstalled, requireNode24, ROOT } from './lib/bootstrap.mjs';
import { Outside } from './lib/outside.mjs';
import { onInterrupt, run, stopAll, untilEnded } from './lib/processes.mjs';
import { duration, reason, say, script, Trouble } from './lib/say.mjs';

const OUTPUT = path.join(ROOT, 'test-output');
const STAGES = ['check', 'build', 'unit', 'crash', 'cli', 'panel', 'host', 'ui'];
const NEED_BUILD = ['build', 'cli', 'host', 'ui'];

/**
 * A stage that prints each test is stopped when none ends for so long: more than the longest limit of a single test. A slow machine
 * may take as long as it needs.
 */
const QUIET_MS = 6 * 60_000;

/** @typedef {import('../test/support/results.ts').Results} Results */

/** @type {Results} */
const total = { passed: 0, failed: 0, skipped: 0, failures: [] };

await script(async () => {
  const { stages, grep } = readArguments();
  await ensureInstalled();
  if (await continuedUnderNode24()) return;
  requireNode24();
  const from = Date.now();
  // A run of some stages leaves the pictures of the others.
  if (stages.length === STAGES.length) fs.rmSync(OUTPUT, { recursive: true, force: true });
  fs.mkdirSync(OUTPUT, { recursive: true });

  if (stages.includes('check')) await stage('Checks', checks);
  let built = true;
  if (stages.some((name) => NEED_BUILD.includes(name))) built = await stage('Build', buildAll);
  if (stages.includes('unit')) await testStage('Unit and conformance tests', (env) => unitTests(grep, env));
  if (stages.includes('crash')) await testStage('Crash tests, in short', (env) => crashTests(grep, env));
  if (built && stages.includes('cli')) await testStage('Tests of the command line', (env) => cliTests(grep, env));
  if (stages.includes('panel')) await testStage('Tests of the panel in a browser', (env) => panelTests(grep, env));
  if (built && stages.includes('host')) await testStage('Tests inside VS Code', (env) => hostTests(grep, env));
  if (built && stages.includes('ui')) await testStage('Tests of the user interface', (env) => uiTests(grep, env));

  await stopAll();
  say(`\n${duration(Date.now() - from)} in all`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  say(`${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exitCode = total.failed > 0 ? 1 : 0;
});

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { grep: { type: 'string', short: 'g' } },
    });
    const unknown = positionals.filter((name) => !STAGES.includes(name));
    if (unknown.length > 0) throw new Error(`no stage is called ${unknown.join(' ')}`);
    return { stages: positionals.length > 0 ? positionals : STAGES, grep: values.grep ?? null };
  } catch (error) {
    throw new Trouble(
      `${error instanceof Error ? error.message : String(error)}\nUsage: npm test -- [${STAGES.join('] [')}] [--grep text]`,
    );
  }
}

/**
 * Runs one stage, adds up what it counted and prints what failed. A stage that breaks is itself a failed test.
 *
 * @param {string} title
 * @param {() => Promise<Results>} work
 * @returns {Promise<boolean>} whether nothing failed
 */
async function stage(title, work) {
  say(`\n== ${title}`);
  const from = Date.now();
  /** @type {Results} */
  const results = await work().catch((/** @type {unknown} */ error) => ({
    passed: 0,
    failed: 1,
    skipped: 0,
    failures: [{ title, reason: reason(error) }],
  }));
  await untilEnded();
  for (const { title: name, reason: why } of results.failures)
    say(`\n  FAIL ${name}\n${why.trimEnd().replace(/^/gm, '       ')}\n`);
  total.passed += results.passed;
  total.failed += results.failed;
  total.skipped += results.skipped;
  say(`   ${results.passed} passed, ${results.failed} failed in ${duration(Date.now() - from)}`);
  return results.failed === 0;
}

/**
 * {@link stage} for tests, which work in a home and a temporary folder of their own: what they change outside of the folders that
 * they are given is a failed test.
 *
 * @param {string} title
 * @param {(env: Record<string, string>) => Promise<Results>} work
 */
async function testStage(title, work) {
  const outside = new Outside();
  onInterrupt(() => outside.remove());
  try {
    return await stage(title, async () => {
      const results = await work(outside.env);
      await untilEnded();
      const faults = outside.faults();
      if (faults.length === 0) return { ...results, passed: results.passed + 1 };
      const failures = [
        ...results.failures,
        { title: `${title} leave alone what is not theirs`, reason: faults.join('\n') },
      ];
      return { ...results, failed: results.failed + 1, failures };
    });
  } finally {
    outside.remove();
  }
}

/** @returns {Promise<Results>} */
async function checks() {
  const { CHECKS, runChecks } = await import('./lib/checks.mjs');
  /** @type {Results} */
  const results = { passed: 0, failed: 0, skipped: 0, failures: [] };
  await runChecks(CHECKS, ({ name, code, output, ms }) => {
    say(`  ${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${duration(ms)})`);
    if (code === 0) results.passed += 1;
    else {
      results.failed += 1;
      results.failures.push({ title: name, reason: output });
    }
  });
  return results;
}

/** @returns {Promise<Results>} */
async function buildAll() {
  const { build, packageVsix } = await import('./lib/build.mjs');
  await build(['--production', '--tests']);
  say('  ok   production build, and the tests for VS Code');
  const { file, bytes } = await packageVsix();
  say(`  ok   ${path.basename(file)}, ${(bytes / 1000).toFixed(0)} kB`);
  return { passed: 2, failed: 0, skipped: 0, failures: [] };
}

/**
 * Runs mocha over TypeScript sources in a process of its own.
 *
 * @param {string[]} args  the files, or a configuration that names them
 * @param {string | null} grep
 * @param {Record<string, string>} env
 * @param {{ timeoutMs: number } | { quietMs: number }} limit
 * @returns {Promise<Results>}
 */
async function mocha(args, grep, env, limit = { quietMs: QUIET_MS }) {
  const dir = fs.mkdtempSync(path.join(env['TMPDIR'] ?? os.tmpdir(), 'polyglav-test-'));
  const file = path.join(dir, 'results.json');
  const removeDir = () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  onInterrupt(removeDir);
  try {
    const { code, timedOut } = await run(
      process.execPath,
      [
        path.join(ROOT, 'node_modules/mocha/bin/mocha.js'),
        ...args,
        ...['--reporter', path.join(ROOT, 'scripts/mochaReporter.cjs')],
        ...(grep === null ? [] : ['--grep', grep]),
      ],
      {
        cwd: ROOT,
        env: { ...process.env, POLYGLAV_RESULTS: file, POLYGLAV_DIR: dir, ...env },
        ...limit,
        onOutput: (text) => process.stdout.write(text),
      },
    );
    if (timedOut) {
      const last = fs.existsSync(`${file}.running`) ? fs.readFileSync(`${file}.running`, 'utf8') : 'no test';
      const where = fs.existsSync(file)
        ? 'all tests ran, but something is left open'
        : `the last to begin was: ${last}`;
      const what =
        'quietMs' in limit
          ? `no test ended in ${duration(limit.quietMs)}`
          : `not finished after ${duration(limit.timeoutMs)}`;
      throw new Trouble(`${what}, so stopped; ${where}`);
    }
    if (!fs.existsSync(file)) throw new Trouble(`mocha ended with code ${code} and no result; its words are above`);
    /** @type {Results} */
    const results = JSON.parse(fs.readFileSync(file, 'utf8'));
    // Mocha counts failures in its code; more than that is something that broke outside of a test.
    if (code !== 0 && results.failed === 0) throw new Trouble(`mocha ended with code ${code} though no test failed`);
    if (results.passed + results.failed + results.skipped === 0 && grep === null) throw new Trouble('there is no test');
    return results;
  } finally {
    removeDir();
  }
}

/**
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 */
async function unitTests(grep, outside) {
  return mocha(['test/unit/**/*.test.ts', 'test/conformance/**/*.test.ts'], grep, outside, { timeoutMs: 6 * 60_000 });
}

/**
 * `npm run test:crash` has all of them.
 *
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 */
async function crashTests(grep, outside) {
  const env = { ...outside, POLYGLAV_EACH: '1', POLYGLAV_CRASH: 'short', POLYGLAV_KILLS: '25' };
  return mocha(['--config', 'test/crash/mocharc.json'], grep, env, { timeoutMs: 6 * 60_000 });
}

/**
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 */
async function cliTests(grep, outside) {
  return mocha(['test/cli/**/*.test.ts'], grep, { ...outside, POLYGLAV_EACH: '1' });
}

/**
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 */
async function panelTests(grep, outside) {
  const { ensureBrowser } = await import('./lib/browser.mjs');
  const env = { ...outside, POLYGLAV_EACH: '1', POLYGLAV_BROWSER: await ensureBrowser() };
  return mocha(['--config', 'test/panel/mocharc.json'], grep, env);
}

/**
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 * @returns {Promise<Results>}
 */
async function hostTests(grep, outside) {
  const { runHostTests } = await import('./lib/hostTests.mjs');
  return runHostTests({ grep, output: OUTPUT, env: outside });
}

/**
 * @param {string | null} grep
 * @param {Record<string, string>} outside
 * @returns {Promise<Results>}
 */
async function uiTests(grep, outside) {
  const [{ ensureServer }, { ensureBrowser }, { vsixFile }] = await Promise.all([
    import('./lib/vscodeServer.mjs'),
    import('./lib/browser.mjs'),
    import('./lib/build.mjs'),
  ]);
  await ensureServer();
  const env = {
    ...outside,
    POLYGLAV_EACH: '1',
    POLYGLAV_BROWSER: await ensureBrowser(),
    POLYGLAV_VSIX: vsixFile(),
    POLYGLAV_OUTPUT: OUTPUT,
  };
  return mocha(['--config', 'test/ui/mocharc.json'], grep, env);
}
