/**
 * Programs that run another one, or write a file, only by an option of theirs. That is asked like a command that cannot be read and
 * like a redirection, of the programs that are known; what a program does with its operands (`cp a b`) is not looked into.
 */
import type { Hidden } from './hidden.ts';
import { findOption, type Among } from './options.ts';
import { unread } from './unreadable.ts';
import { isOfTheLine } from './variables.ts';
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
    others: 'file',
  },
  // By another name what is taken out may go anywhere.
  writes: { long: 'transform xform index-file volno-file listed-incremental', letters: 'sg', others: 'file' },
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
  ...same('xz unxz xzcat lzma unlzma lzcat', { lists: { long: 'files files0' } }),
  ...same('zstd unzstd zstdcat', { lists: { long: 'filelist' } }),
  // `@list`, also behind what is taken in or left out: `-i@list`.
  ...same('7z 7za 7zz rar unrar', { lists: { letters: '@', operands: /^@/ } }),
  ...same('ugrep ug', { lists: { long: 'from' }, runs: { long: 'filter pager view' } }),
  cpio: { lists: 'always' },
  pax: { lists: 'always' },
  shuf: { writes: OUTPUT },
  sdiff: { runs: { long: 'diff-program' }, writes: OUTPUT },
  iconv: { writes: OUTPUT },
  xmllint: { writes: { long: 'output' } },
  yq: { writes: { long: 'inplace in-place split-exp', letters: 'is' } },
  tree: { writes: { letters: 'o' } },
  less: { writes: { long: 'log-file LOG-FILE', letters: 'oO' } },
  file: { writes: { long: 'compile', letters: 'C' }, lists: { long: 'files-from', letters: 'f' } },
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
  ack: { runs: { long: 'pager' }, lists: { long: 'files-from', letters: 'x' } },
  bat: { runs: { long: 'pager' } },
  zip: { runs: { long: 'unzip-command', letters: 'T' }, lists: { long: 'names-stdin', letters: '@' } },
  scp: { runs: { letters: 'oSD' } },
  sftp: { runs: { letters: 'oSDb' } },
  wget: { runs: { long: 'execute use-askpass config', letters: 'e' } },
  tcpdump: { runs: { letters: 'z' } },
  jobs: { runs: { letters: 'x' } },
};

function same(names: string, harm: Harm): Record<string, Harm> {
  return Object.fromEntries(names.split(' ').map((name) => [name, harm]));
}

export function optionHides(words: readonly Word[], name: string): Hidden {
  if (MAKES.has(name)) return makeHides(words, name);
  const { runs, writes, lists } = (Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined) ?? {};
  const given = /tar$/.test(name) ? withDash(words.slice(1)) : words.slice(1);
  if (/tar$/.test(name)) {
    // It takes a name with a backslash in it for another one: `\\056env`.
    const odd = given.find((word) => textOf(word)?.includes('\\') === true);
    if (odd !== undefined) return { ask: [`may mean another file by a backslash in its name: ${odd.source}`] };
    // What stands before a colon is a machine, to which it connects; and bsdtar packs what is in `@archive`.
    const away = given.find((word) => /^(?:-[^=]*=)?(?:[^/]*:|@)/.test(textOf(word) ?? ''));
    if (away !== undefined) return unread(`may reach another machine or archive by a word of ${name}: ${away.source}`);
  }
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

const MAKES = new Set(['make', 'gmake', 'remake', 'colormake', 'mingw32-make']);
const MAKE_SHORT = /^-(?:[BikLnpqrRsStvw]*(?:j\d*|l[\d.]*|O[a-z]*)?|C[\w./-]*|W|o|-)$/;
const MAKE_LONG = new Set(
  `always-make check-symlink-times debug directory dry-run help ignore-errors jobs just-print keep-going load-average max-load
   no-builtin-rules no-builtin-variables no-keep-going no-print-directory no-silent output-sync print-data-base print-directory
   question quiet recon shuffle silent touch trace version warn-undefined-variables`.split(/\s+/),
);
const GOAL = /^[\w./@%+][\w./@%+,:-]*$/;
const VARIABLE = /^(\w+)=((\d+)|(?:\w[\w.,+-]*)?)$/;
/** Capital names that may get a word; others may be heeded by whatever the recipes run, which have them in their environment. */
const MAKE_NAMES = new Set(
  `AR ARCH AS BUILD BUILD_TYPE CC CONFIG CPP CXX FILTER LD MODE NAME OS PLATFORM PREFIX PROFILE RELEASE TAG TARGET TARGETS TEST
   TESTS VERSION`.split(/\s+/),
);
/** They name files also by a number. */
const HEEDED = /ENV|HOME|IFS|INIT|LIB|MAKE|PATH|PRELOAD|SHELL|START/;

/**
 * What a makefile does is the project's. What make itself is given may be code, since it expands `$(…)` in what it assigns; and a
 * variable may be a command, or heeded by one. So only plain words are understood.
 */
function makeHides(words: readonly Word[], name: string): Hidden {
  const within: Word[][] = [];
  for (const word of words.slice(1)) {
    const text = textOf(word) ?? '=';
    const [, long = ''] = /^--([a-z-]+)(?:=[\w.,/-]*)?$/.exec(text) ?? [];
    if (MAKE_SHORT.test(text) || MAKE_LONG.has(long) || GOAL.test(text)) continue;
    const [, variable = '', value = '', number] = VARIABLE.exec(text) ?? [];
    const known = number === undefined ? MAKE_NAMES.has(variable) || isOfTheLine(variable) : !HEEDED.test(variable);
    if (variable === '' || !known) return unread(`may run a command by an argument of ${name}: ${word.source}`);
    if (number === undefined && value !== '') within.push([literalWord(value)]);
  }
  return { within };
}
