// Prints tests plainly and leaves the counts in the file that POLYGLAV_RESULTS names. With POLYGLAV_EACH=1 every test has a
// line; otherwise only those that fail, which the caller prints.
const fs = require('node:fs');

/** @param {import('mocha').Runner} runner */
module.exports = function report(runner) {
  /** @type {import('../test/support/results.ts').Results} */
  const results = { passed: 0, failed: 0, skipped: 0, failures: [] };
  const file = process.env['POLYGLAV_RESULTS'];
  const each = process.env['POLYGLAV_EACH'] === '1';
  // Should a test never give the processor back, this is all that is known of it.
  runner.on('test', (test) => {
    if (file) fs.writeFileSync(`${file}.running`, test.fullTitle());
  });
  runner.on('pass', (test) => {
    results.passed += 1;
    if (each) console.log(`  ok   ${test.fullTitle()} (${((test.duration ?? 0) / 1000).toFixed(1)} s)`);
  });
  runner.on('retry', (test) => {
    if (each) console.log(`  once more: ${test.fullTitle()}`);
  });
  runner.on('pending', (test) => {
    results.skipped += 1;
    console.log(`  skip ${test.fullTitle()}`);
  });
  runner.on('fail', (test, error) => {
    results.failed += 1;
    results.failures.push({ title: test.fullTitle(), reason: reason(error) });
    if (each) console.log(`  FAIL ${test.fullTitle()}`);
  });
  runner.on('end', () => {
    if (file) fs.writeFileSync(file, JSON.stringify(results));
    else printFailures(results.failures);
  });
};

/**
 * @param {unknown} error
 * @returns {string}
 */
function reason(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${reason(error.cause)}`;
  return (error.stack ?? error.message) + difference(error) + cause;
}

/** @param {Error & { actual?: unknown, expected?: unknown }} error */
function difference(error) {
  // node:assert puts the difference into its message; other libraries leave it to the reporter.
  if (error.name === 'AssertionError' || !('expected' in error)) return '';
  return `\nexpected: ${JSON.stringify(error.expected)}\nactual:   ${JSON.stringify(error.actual)}`;
}

/** @param {{ title: string, reason: string }[]} failures */
function printFailures(failures) {
  for (const { title, reason: why } of failures) console.log(`FAIL ${title}\n${why.replace(/^/gm, '     ')}\n`);
}
