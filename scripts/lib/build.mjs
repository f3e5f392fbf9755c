/** Building and packing, as steps of other scripts. */
import fs from 'node:fs';
import path from 'node:path';
import { requireNode24, ROOT } from './bootstrap.mjs';
import { run } from './processes.mjs';
import { Trouble } from './say.mjs';

/** What a person would wait for on a slow line; also the promise of the README. */
const MAX_VSIX_BYTES = 3_000_000;

/** @param {string[]} flags  of esbuild.mjs */
export async function build(flags) {
  const { code, output } = await run(process.execPath, [path.join(ROOT, 'esbuild.mjs'), ...flags], {
    cwd: ROOT,
    timeoutMs: 2 * 60_000,
  });
  if (code !== 0) throw new Trouble(`The build failed:\n${output.trim()}`);
  return output;
}

/**
 * Packs what {@link build} made with `--production`.
 *
 * @returns {Promise<{ file: string, bytes: number }>}
 */
export async function packageVsix() {
  const file = vsixFile();
  await vsce(['--out', file, '--allow-missing-repository'], ROOT);
  const bytes = fs.statSync(file).size;
  if (bytes >= MAX_VSIX_BYTES) {
    throw new Trouble(`${path.basename(file)} is ${bytes} bytes; it must stay below ${MAX_VSIX_BYTES}`);
  }
  return { file, bytes };
}

/** Where {@link packageVsix} puts it. */
export function vsixFile() {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return path.join(ROOT, `${name}-${version}.vsix`);
}

/**
 * @param {string[]} args
 * @param {string} cwd  the extension's folder
 */
export async function vsce(args, cwd) {
  const bin = path.join(ROOT, 'node_modules/@vscode/vsce/vsce');
  const { code, output } = await run(
    requireNode24(),
    [bin, 'package', '--no-dependencies', '--no-rewrite-relative-links', ...args],
    {
      cwd,
      timeoutMs: 2 * 60_000,
    },
  );
  if (code !== 0) throw new Trouble(`vsce could not pack ${cwd}:\n${output.trim()}`);
}
