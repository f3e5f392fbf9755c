/** The readable text of an HTML page, made in a thread of its own that is ended when it takes too long. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { withTimeLimit } from './withTimeLimit.ts';

const LONGEST_MS = 5000;
const MOST_MEGABYTES = 512;

/**
 * Headings, paragraphs, lists and links (relative ones completed by `base`), without scripts, styles and navigation. Undefined
 * when the page cannot be read within five seconds. Rejects with the signal's reason.
 */
export async function htmlText(html: string, base: string, signal: AbortSignal): Promise<string | undefined> {
  const worker = new Worker(program(), {
    workerData: { html, base },
    // It gets no key, and needs nothing else either.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });
  const text = await withTimeLimit(
    LONGEST_MS,
    signal,
    (limit) =>
      new Promise<string | undefined>((resolve) => {
        worker.once('message', resolve);
        worker.once('error', () => resolve(undefined));
        worker.once('exit', () => resolve(undefined));
        limit.addEventListener('abort', () => resolve(undefined), { once: true });
        if (limit.aborted) resolve(undefined);
      }),
  );
  await worker.terminate();
  signal.throwIfAborted();
  return text;
}

/** Beside the bundle, or in the sources. */
function program(): string {
  const bundled = path.join(import.meta.dirname, 'htmlWorker.js');
  return existsSync(bundled) ? bundled : path.join(import.meta.dirname, 'htmlWorker.ts');
}
