/**
 * Programs that run another one, or write a file, only by an option of theirs. That is asked like a command that cannot be read and
 * like a redirection, of the programs that are known; what a program does with its operands (`cp a b`) is not looked into.
 */
import type { Hidden } from './hidden.ts';
import { findOption, type Among } from './options.ts';
import { unread } from './unreadable.ts';
import { literalWord, textOf, UNKNOWN, type Word } from './word.ts';

interface Harm {
  runs?: Among;
  writes?: Among;
  /** It takes the names of files from a file, or from its input. */
  lists?: Among | 'always';
}

const TAR: Harm = {
  runs: {
    long: `checkpoint-action to-command use-compress-program rsh-command info-script new-volume-script rmt-command
      files-from`,
    // A list of files (`-T`) may have options in it.
    letters: 'IFT',
  },
  // By another name what is taken out may go anywhere.
  writes: { long: 'transform xform', letters: 's' },
};
const FD: Harm = { runs: { long: 'exec exec-batch', letters: 'xX' } };
const OUTPUT: Among = { long: 'output', letters: 'o' };
const LISTS: Among = { long: 'files0-from' };
const SORT: Harm = { runs: { long: 'compress-program' }, writes: OUTPUT, lists: LISTS };

const OPTIONS: Readonly<Record<string, Harm>> = {
  tar: TAR,
  gtar: TAR,
  bsdtar: TAR,
  rsync: { runs: { long: 'rsh rsync-path', letters: 'e' }, lists: { long: 'files-from include-from' } },
  sort: SORT,
  gsort: SORT,
  wc: { lists: LISTS },
  du: { lists: LISTS },
  cpio: { lists: 'always' },
  pax: { lists: 'always' },
  shuf: { writes: OUTPUT },
  sdiff: { runs: { long: 'diff-program' }, writes: OUTPUT },
  iconv: { writes: OUTPUT },
  xmllint: { writes: { long: 'output' } },
  yq: { writes: { long: 'inplace in-place split-exp', letters: 'is' } },
  tree: { writes: { letters: 'o' } },
  less: { writes: { long: 'log-file LOG-FILE', letters: 'oO' } },
  file: { writes: { long: 'compile', letters: 'C' } },
  curl: {
    writes: {
      long: `output output-dir remote-name remote-name-all remote-header-name cookie-jar dump-header trace trace-ascii
        stderr libcurl etag-save hsts alt-svc config`,
      letters: 'oOJcDK',
    },
  },
  split: { runs: { long: 'filter' } },
  man: { runs: { long: 'pager html preprocessor', letters: 'PH' } },
  rg: { runs: { long: 'pre hostname-bin' } },
  fd: FD,
  fdfind: FD,
  ag: { runs: { long: 'pager' } },
  ack: { runs: { long: 'pager' } },
  bat: { runs: { long: 'pager' } },
  zip: { runs: { long: 'unzip-command', letters: 'T' }, lists: { long: 'names-stdin', letters: '@' } },
  scp: { runs: { letters: 'oSD' } },
  sftp: { runs: { letters: 'oSDb' } },
  wget: { runs: { long: 'execute use-askpass config', letters: 'e' } },
  tcpdump: { runs: { letters: 'z' } },
  jobs: { runs: { letters: 'x' } },
};

export function optionHides(words: readonly Word[], name: string): Hidden {
  if (name === 'make' || name === 'gmake') return makeHides(words, name);
  const { runs, writes, lists } = (Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined) ?? {};
  const given = /tar$/.test(name) ? withDash(words.slice(1)) : words.slice(1);
  // It takes a name with a backslash in it for another one: `\\056env`.
  const odd = /tar$/.test(name) ? given.find((word) => textOf(word)?.includes('\\') === true) : undefined;
  if (odd !== undefined) return { ask: [`may mean another file by a backslash in its name: ${odd.source}`] };
  const run = runs === undefined ? undefined : findOption(given, runs);
  if (run !== undefined) return unread(`may run a command by an option of ${name}: ${run.source}`);
  const write = writes === undefined ? undefined : findOption(given, writes);
  const list = lists === 'always' ? words[0] : lists && findOption(given, lists);
  if (list !== undefined) return { ask: [`takes names of files that are only known when it runs: ${name}`] };
  return write === undefined ? {} : { ask: [`may write a file by an option of ${name}: ${write.source}`] };
}

/** The first word of `tar` is its options also without a dash. */
function withDash([first, ...others]: readonly Word[]): Word[] {
  if (first === undefined) return [];
  const text = textOf(first);
  return [text === undefined ? UNKNOWN : literalWord(text.replace(/^(?!-)/, '-')), ...others];
}

/** What a makefile does is the project's; a variable that is set for it may be a command. */
function makeHides(words: readonly Word[], name: string): Hidden {
  const given = words.slice(1);
  const found =
    findOption(given, { long: 'eval file makefile', letters: 'Ef' }) ??
    given.find((word) =>
      /^(?!\w+=\d*$)(?!--(directory|jobs|load-average|output-sync)=[\w./-]*$)[^]*=/.test(textOf(word) ?? '='),
    );
  return found === undefined ? {} : unread(`may run a command by an argument of ${name}: ${found.source}`);
}
