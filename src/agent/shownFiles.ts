/**
 * Files as they were when a change of theirs was worked out to be shown to a person: what is written then is that change, or
 * nothing (P3). A tool works a change out from what it reads, so the same content below it makes the same change; and where it
 * could make none that could be shown, it can make none now.
 */
import { FileChangedError, type FileAccess } from '../tools/tool.ts';

export class ShownFiles {
  /** By absolute real path; null where there was none. What could not be read is not here. */
  readonly #read = new Map<string, Uint8Array | null>();

  /** For the tool that works the change out: keeps what it reads. */
  keeping(files: FileAccess): FileAccess {
    return {
      read: async (path) => {
        try {
          const content = await files.read(path);
          this.#read.set(path, content);
          return content;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#read.set(path, null);
          throw error;
        }
      },
      unsaved: () => files.unsaved(),
      write: (path, content, expected) => files.write(path, content, expected),
    };
  }

  /** For the tool that makes the change: writes nothing that is based on other content than was kept. */
  holding(files: FileAccess): FileAccess {
    return {
      read: (path) => files.read(path),
      unsaved: () => files.unsaved(),
      write: async (path, content, expected) => {
        const shown = this.#read.get(path);
        if (shown === undefined || !isSame(shown, expected))
          throw new FileChangedError(
            `${path} was changed while the person was asked, so they have not seen this change, and nothing was written. ` +
              'Read the file again.',
          );
        return files.write(path, content, expected);
      },
    };
  }
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}
