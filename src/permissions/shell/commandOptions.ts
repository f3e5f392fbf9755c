/** Programs that run another one only by an option of theirs. */
import type { Hidden } from './hidden.ts';
import { findOption, type Among } from './options.ts';
import type { Word } from './word.ts';

const TAR: Among = {
  long: 'checkpoint-action to-command use-compress-program rsh-command info-script new-volume-script rmt-command files-from',
  // A list of files (`-T`) may have options in it.
  letters: 'IFT',
};
const FD: Among = { long: 'exec exec-batch', letters: 'xX' };

/** Options that name a command, of programs that otherwise run none. */
const COMMAND_OPTIONS: Readonly<Record<string, Among>> = {
  tar: TAR,
  gtar: TAR,
  bsdtar: { long: 'use-compress-program' },
  rsync: { long: 'rsh rsync-path', letters: 'e' },
  sort: { long: 'compress-program' },
  split: { long: 'filter' },
  man: { long: 'pager html preprocessor', letters: 'PH' },
  rg: { long: 'pre hostname-bin' },
  fd: FD,
  fdfind: FD,
  ag: { long: 'pager' },
  ack: { long: 'pager' },
  bat: { long: 'pager' },
  zip: { long: 'unzip-command', letters: 'T' },
  scp: { letters: 'oSD' },
  sftp: { letters: 'oSDb' },
  wget: { long: 'execute use-askpass config', letters: 'e' },
  tcpdump: { letters: 'z' },
};

export function optionHides(words: readonly Word[], name: string): Hidden {
  const options = Object.hasOwn(COMMAND_OPTIONS, name) ? COMMAND_OPTIONS[name] : undefined;
  const found = options === undefined ? undefined : findOption(words.slice(1), options);
  return found === undefined ? {} : { ask: [`may run a command by an option of ${name}: ${found.source}`] };
}
