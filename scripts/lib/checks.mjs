/** The static checks, one row each; `npm run check` and `npm test` both read this table. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { run } from './processes.mjs';

/** @param {string} project */
const tsc = (project) => ({ name: `types: ${project}`, bin: 'typescript/bin/tsc', args: ['--project', project] });

export const CHECKS = [
  { name: 'eslint', bin: 'eslint/bin/eslint.js', args: ['--max-warnings=0', '.'] },
  ...['.', 'webview-ui', 'test/panel', 'test/ui', 'scripts'].map(tsc),
  { name: 'prettier', bin: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level=warn', '.'] },
  {
    name: 'dependency-cruiser',
    bin: 'dependency-cruiser/bin/dependency-cruiser.mjs',
    args: ['--config', '.dependency-cruiser.cjs', ...existing(['src', 'webview-ui', 'test', 'bench'])],
  },
  { name: 'knip', bin: 'knip/bin/knip.js', args: ['--no-progress'] },
];

/**
 * Runs the checks, as many at once as there is room for, and reports each as it ends.
 *
 * @param {typeof CHECKS} checks
 * @param {(check: { name: string, code: number, output: string, ms: number }) => void} report
 */
export async function runChecks(checks, report) {
  const waiting = [...checks];
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const bin = path.join(ROOT, 'node_modules', check.bin);
      const { code, output, timedOut, ms } = await run(process.execPath, [bin, ...check.args], {
        cwd: ROOT,
        timeoutMs: 4 * 60_000,
      });
      report({ name: check.name, code, output: timedOut ? `${output}\ntook longer than 4 minutes` : output, ms });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, lane));
}

/** @param {string[]} folders */
function existing(folders) {
  return folders.filter((folder) => fs.existsSync(path.join(ROOT, folder)));
}
