import { statSync, watch, type FSWatcher } from 'node:fs';

const GATHER_MS = 200;
const LOOK_AGAIN_MS = 1000;

/**
 * Calls `listener` soon after something in the folder changed, several changes at once; returns how to stop. The folder need
 * not be there yet, and may be removed and made again.
 */
export function watchFolder(folder: string, listener: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let watched: number | undefined;
  let telling: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;

  const begin = () => {
    watcher?.close();
    watched = inodeOf(folder);
    try {
      watcher = watch(folder, changed);
      watcher.on('error', lookAgain);
      changed();
    } catch {
      lookAgain();
    }
  };
  const changed = () => {
    telling ??= setTimeout(() => {
      telling = undefined;
      if (inodeOf(folder) !== watched) begin();
      listener();
    }, GATHER_MS);
  };
  const lookAgain = () => {
    clearTimeout(looking);
    looking = setTimeout(begin, LOOK_AGAIN_MS).unref();
  };

  begin();
  return () => {
    clearTimeout(telling);
    clearTimeout(looking);
    watcher?.close();
  };
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}
