/**
 * Programs that look for a pattern in all that is in a folder. That one of them leaves something out counts only where the whole
 * command is understood from the options that are known here: else it looks everywhere, also where it stands.
 */
import type { Glob } from '../../text/glob.ts';
import { plainNames } from './namePatterns.ts';
import { operandsOf, type Options } from './options.ts';
import { bracesOf } from './wildcards.ts';
import { literalWord, textOf, type Word } from './word.ts';

export interface Searcher {
  /** Those that change nothing about where it looks, but for the ones below; without any the widest is true always. */
  options: Options;
  /** Of the options those by which it also looks at what begins with a dot; it always does when this is left out. */
  hidden?: readonly string[];
  /** `--include` says which files, with no other option about names. */
  includes?: true;
  /** With one of these it shows no more than names. */
  lists?: readonly string[];
}

export interface Search {
  /** The words that are places; undefined where it is not known which are. */
  places: readonly Word[] | undefined;
  /** Also where it stands. */
  here: boolean;
  names: readonly Glob[];
  hidden: boolean;
  /** No more than names. */
  lists: boolean;
}

/** Without `--context`, which not every one gives the next word. */
export const GREP: Searcher = {
  options: {
    flags: 'EFGPiywvxcLlqsbHhnTZaIrRUzo',
    values: 'efmABCDd',
    number: true,
    anywhere: true,
    long: `extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case word-regexp line-regexp
      invert-match count color=? colour=? files-without-match files-with-matches max-count= only-matching quiet silent
      no-messages byte-offset with-filename no-filename line-number initial-tab null after-context= before-context=
      text binary-files= devices= directories= recursive dereference-recursive include= exclude= exclude-from=
      exclude-dir= line-buffered null-data regexp= file=`,
  },
  includes: true,
};

/** Without `--json`, which makes a search of `--files`. */
export const RIPGREP: Searcher = {
  options: {
    flags: 'nNisSwxvclHIFUPopq0abu.',
    values: 'efmMABCjrgtTdE',
    anywhere: true,
    long: `line-number no-line-number ignore-case case-sensitive smart-case word-regexp line-regexp invert-match count
      count-matches files-with-matches files-without-match fixed-strings multiline multiline-dotall pcre2 only-matching
      pretty quiet heading no-heading with-filename no-filename column vimgrep stats trim text null color= colors=
      context= after-context= before-context= max-count= max-columns= max-depth= maxdepth= threads= regexp= file=
      replace= sort= sortr= encoding= type-not= type= glob= iglob= hidden unrestricted no-ignore files type-list`,
  },
  // What a glob or a type names is searched whatever begins its name.
  hidden: '-g --glob --iglob -t --type -u --unrestricted -. --hidden --no-ignore'.split(' '),
  lists: ['--files', '--type-list'],
};

const FEW: Options = {
  flags: 'ilQvwc',
  long: 'ignore-case literal word-regexp count files-with-matches',
  anywhere: true,
};
export const AG: Searcher = { options: FEW, hidden: [] };
export const ACK: Searcher = { options: FEW };

const PATTERN = ['-e', '-f', '--regexp', '--file'];
/** These go before `--include`, or say themselves which files are left. Which folders are left out says nothing of the files. */
const EXCLUDE = ['--exclude', '--exclude-from'];
const WIDEST: Search = { places: undefined, here: true, names: [], hidden: true, lists: false };

/** `words` are without the program's name. */
export function searchOf(words: readonly Word[], searcher: Searcher | undefined): Search {
  const found = searcher && operandsOf(words.flatMap(spelled), searcher.options);
  if (found === undefined || searcher === undefined) return WIDEST;
  const has = (options: readonly string[] = []) => found.given.some(({ option }) => options.includes(option));
  const lists = has(searcher.lists);
  const places = found.words.slice(lists || has(PATTERN) ? 0 : 1);
  const included = found.given.flatMap(({ option, value }) => (option === '--include' ? [textOf(value)] : []));
  return {
    places,
    here: places.length === 0,
    names: searcher.includes === true && !has(EXCLUDE) ? plainNames(included, ENDING) : [],
    hidden: searcher.hidden === undefined || has(searcher.hidden),
    lists,
  };
}

/** Some match the path and others the name alone: of such a pattern it is the same. */
const ENDING = /^\*?[^*]+$/;

/** What a shell finds for such an option, it finds for its value alone: `--include=*.{ts,js}` is two of them. */
function spelled(word: Word): Word[] {
  if (textOf(word) !== undefined || !/^--[a-z-]+=[\w.*,{}-]+$/.test(word.source)) return [word];
  const ways = bracesOf(word.source)?.filter((text) => !/[{}]/.test(text)) ?? [];
  return ways.length > 0 ? ways.map(literalWord) : [word];
}
