/**
 * The entry that VS Code's extension host loads (`extensionTestsPath`): runs the suites beside it and leaves the counts in
 * the file that `run.json` names. Rejects when a test failed, which ends the host with code 1.
 */
import fs from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import type { Results } from '../support/results.ts';

interface Order {
  results: string;
  grep: string | null;
}

export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const dir = import.meta.dirname;
  const order = JSON.parse(fs.readFileSync(path.join(dir, 'run.json'), 'utf8')) as Order;
  const mocha = new Mocha({ timeout: 30_000, forbidOnly: true, ...(order.grep === null ? {} : { grep: order.grep }) });
  for (const name of fs.readdirSync(dir)) {
    if (name.endsWith('.test.js')) mocha.addFile(path.join(dir, name));
  }
  const results: Results = { passed: 0, failed: 0, skipped: 0, failures: [] };
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on('pass', (test) => {
        results.passed += 1;
        console.log(`  ok   ${test.fullTitle()} (${test.duration ?? 0} ms)`);
      })
      .on('pending', () => (results.skipped += 1))
      .on('fail', (test, error: unknown) => {
        results.failed += 1;
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        results.failures.push({ title: test.fullTitle(), reason });
      });
  });
  fs.writeFileSync(order.results, JSON.stringify(results));
  if (results.failed > 0) throw new Error(`${results.failed} failed`);
}
