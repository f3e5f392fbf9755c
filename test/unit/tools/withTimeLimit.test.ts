import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';

import { withTimeLimit } from '../../../src/tools/withTimeLimit.ts';
import { node20 } from '../../cli/polyglav.ts';

const SOURCE = path.join(import.meta.dirname, '../../../src/tools/withTimeLimit.ts');

describe('a time limit', () => {
  const until = (signal: AbortSignal) =>
    new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

  it('fires after its time, or with the caller, and leaves nothing to wait for', async () => {
    const reason = await withTimeLimit(20, new AbortController().signal, until);
    assert.equal((reason as Error).name, 'TimeoutError');
    const stop = new AbortController();
    const running = withTimeLimit(60_000, stop.signal, until);
    stop.abort('stop');
    assert.equal(await running, 'stop');
    assert.equal(await withTimeLimit(60_000, stop.signal, async ({ aborted }) => aborted), true);
    await assert.rejects(
      withTimeLimit(60_000, new AbortController().signal, () => Promise.reject(new Error('x'))),
      /x/,
    );
  });

  it('fires under Node 20 too, however much garbage is collected meanwhile', async function () {
    if (node20 === undefined) this.skip();
    const { code } = await transform(await readFile(SOURCE, 'utf8'), { loader: 'ts' });
    const script = `${code}
      const collecting = setInterval(gc, 20);
      const late = setTimeout(() => process.exit(1), 3000);
      const wait = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await withTimeLimit(300, new AbortController().signal, wait);
      clearInterval(collecting);
      clearTimeout(late);
      console.log('fired');`;
    const args = ['--expose-gc', '--input-type=module', '--eval', script];
    assert.equal((await promisify(execFile)(node20, args)).stdout, 'fired\n');
  });
});
