/** What the system says when a file cannot be used, in words for a person. */

const WORDS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'you have no permission for it'],
  ['EPERM', 'you have no permission for it'],
  ['EROFS', 'it is on a disk that can only be read'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'your share of the disk is used up'],
  ['EIO', 'the disk failed'],
  ['ENOENT', 'it does not exist'],
  ['EEXIST', 'it exists already'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EBUSY', 'another program uses it'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
]);

/** `the disk is full (ENOSPC)`; the system's own message where there are no better words. Without a full stop. */
export function systemFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const words = WORDS.get(code);
  return words === undefined ? message : `${words} (${code})`;
}
