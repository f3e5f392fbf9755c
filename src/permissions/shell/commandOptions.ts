/** Programs that run another one only by an option of theirs. */
import type { Hidden } from './hidden.ts';
import { mayBeOption, type Word } from './word.ts';

/** Options that name a command, of programs that otherwise run none: long ones, and letters. */
const COMMAND_OPTIONS: Readonly<Record<string, { long: readonly string[]; letters: string }>> = {
  tar: {
    long: [
      '--checkpoint-action',
      '--to-command',
      '--use-compress-program',
      '--rsh-command',
      '--info-script',
      '--new-volume-script',
      '--rmt-command',
    ],
    letters: 'IF',
  },
  gtar: {
    long: [
      '--checkpoint-action',
      '--to-command',
      '--use-compress-program',
      '--rsh-command',
      '--info-script',
      '--new-volume-script',
    ],
    letters: 'IF',
  },
  bsdtar: { long: ['--use-compress-program'], letters: '' },
  rsync: { long: ['--rsh', '--rsync-path'], letters: 'e' },
  sort: { long: ['--compress-program'], letters: '' },
  split: { long: ['--filter'], letters: '' },
  man: { long: ['--pager', '--html', '--preprocessor'], letters: 'PH' },
  rg: { long: ['--pre', '--hostname-bin'], letters: '' },
  fd: { long: ['--exec', '--exec-batch'], letters: 'xX' },
  fdfind: { long: ['--exec', '--exec-batch'], letters: 'xX' },
  ag: { long: ['--pager'], letters: '' },
  ack: { long: ['--pager'], letters: '' },
  bat: { long: ['--pager'], letters: '' },
  zip: { long: ['--unzip-command'], letters: 'T' },
  scp: { long: [], letters: 'oSD' },
  sftp: { long: [], letters: 'oSDb' },
  wget: { long: ['--execute', '--use-askpass', '--config'], letters: 'e' },
  tcpdump: { long: [], letters: 'z' },
};

export function optionHides(words: readonly Word[], name: string): Hidden {
  const options = Object.hasOwn(COMMAND_OPTIONS, name) ? COMMAND_OPTIONS[name] : undefined;
  if (options === undefined) return {};
  const runs = words.slice(1).some((word) => {
    const [first] = word.pieces;
    const text = first?.is === 'text' ? first.text : '';
    // Long options may be cut short.
    if (text.startsWith('--'))
      return options.long.some((option) => text.length > 2 && option.startsWith(text.split('=')[0] ?? ''));
    if (text.startsWith('-')) return [...options.letters].some((letter) => text.includes(letter));
    return mayBeOption(word);
  });
  return runs ? { ask: [`may run a command by an option of ${name}`] } : {};
}
