/** What a system says when it refuses, in words, with what a person can do about it. */
import { sentence } from '../text/sentence.ts';

const WORDS: Record<string, readonly [what: string, next: string]> = {
  ENOSPC: ['the disk is full', 'Free some space, then try again.'],
  EDQUOT: ['your share of the disk is full', 'Free some space, then try again.'],
  EFBIG: ['the disk takes no file of that size', 'Begin a new session.'],
  EACCES: ['permission denied', 'Make the file and its folder readable and writable for you, then try again.'],
  EPERM: [
    'the system does not permit it',
    'Make the file and its folder readable and writable for you, then try again.',
  ],
  EROFS: ['the disk can only be read', 'Make it writable, or work in a folder on another disk.'],
  EIO: ['the disk reports a fault', 'Check the disk, then try again.'],
  EMFILE: ['too many files are open', 'Close other programs, then try again.'],
  ENFILE: ['too many files are open', 'Close other programs, then try again.'],
  EBUSY: ['another program is using it', 'Close it there, then try again.'],
  ENOENT: ['it is not there any more', 'Try again.'],
  ENOTDIR: ['something stands in place of a folder', 'Move it away, then try again.'],
  ELOOP: ['a link stands there', 'Remove it, then try again.'],
};

/** `permission denied (/home/me/shop/.polyglav/sessions/notes.json). Make it …`; undefined when it was not the system that refused. */
export function diskFault(error: unknown): string | undefined {
  const { code, syscall, message, path } = error as NodeJS.ErrnoException;
  if (code === undefined || (syscall === undefined && !code.startsWith('ERR_FS_'))) return undefined;
  const words = WORDS[code];
  if (words === undefined) return sentence(message);
  return `${words[0]}${path === undefined ? '' : ` (${path})`}. ${words[1]}`;
}
