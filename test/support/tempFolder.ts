import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { plantCanary } from './canary.ts';

/** A fresh folder (absolute real path) with a canary beside it; `remove` throws, when all is gone, if that was touched. */
export async function guardedFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const around = await realpath(await mkdtemp(join(tmpdir(), 'polyglav-')));
  const path = join(around, 'folder');
  await mkdir(path);
  const check = plantCanary(around);
  return {
    path,
    async remove() {
      try {
        check();
      } finally {
        await rm(around, { recursive: true, force: true });
      }
    },
  };
}

/** A fresh folder (absolute real path) for each test of the surrounding `describe`, removed after it; `close` comes first. */
export function useTempFolder(close?: () => Promise<unknown>): { readonly path: string } {
  let folder = { path: '', remove: () => Promise.resolve() };
  beforeEach(async () => {
    folder = await guardedFolder();
  });
  afterEach(async () => {
    await close?.();
    await folder.remove();
  });
  return {
    get path() {
      return folder.path;
    },
  };
}
