import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder (absolute real path) for each test of the surrounding `describe`, removed after it; `close` comes first. */
export function useTempFolder(close?: () => Promise<unknown>): { readonly path: string } {
  let path = '';
  beforeEach(async () => {
    path = await realpath(await mkdtemp(join(tmpdir(), 'polyglav-')));
  });
  afterEach(async () => {
    await close?.();
    await rm(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
  };
}
