/**
 * Commands that read all that is in a folder, as `grep -r` does, or put it under another name, as `mv` does, by which no rule would
 * know it; and those that go through links there, as `find -L` does.
 */
import type { Glob } from '../../text/glob.ts';
import { findSearch, onlyReads, onlyRemoves } from './findSearch.ts';
import { gitCommandAt } from './gitWords.ts';
import { nameOf } from './hidden.ts';
import { ACK, AG, GREP, RIPGREP, searchOf, type Searcher } from './searchers.ts';
import { shellWord, textOf, UNKNOWN, type Word } from './word.ts';

/** What a command does with files that it does not name one by one. */
export interface Does {
  does: 'read' | 'change';
  /**
   * Which files: all that are there, `tree` without Git's own; those that Git tracks, or of these what was changed since; those that
   * Git neither tracks nor ignores.
   */
  of: 'disk' | 'tree' | 'tracked' | 'modified' | 'untracked';
}

/** A place, and what a command does with what is there. */
export interface WholeFolder extends Does {
  /** Absolute real path of something that may be a folder. */
  readonly real: string;
  /** Only files whose names match one of these; all of them when there is none. */
  readonly names: readonly Glob[];
  /** Also what begins with a dot. */
  readonly hidden: boolean;
  /** What is changed through links is changed elsewhere. */
  readonly links?: Reads['links'];
  /** What Git says of it, it says in this one. */
  readonly repository?: string | undefined;
}

export interface Reads {
  /** Those that may name a folder. */
  readonly words: readonly Word[];
  /** Also the folder where it stands. */
  readonly here: boolean;
  /** Only files whose names match one of these; all of them when there is none. */
  readonly names: readonly Glob[];
  /** Also what begins with a dot. */
  readonly hidden: boolean;
  /**
   * What it does with the links there: it reads what they lead to, but nothing in a folder; or whatever it is, or takes them along.
   * Nothing when this is left out.
   */
  readonly links?: 'files' | 'all' | undefined;
}

export interface Whole {
  /** It goes through the links that it comes upon. */
  follows: boolean;
  /** It makes links, or puts things elsewhere, also links. */
  does?: 'link' | 'move' | undefined;
  /** It reads the files in the folders that it names; undefined when it shows no more than their names. */
  reads?: Reads;
}

/** Letters and long options, as they are written; long ones may be cut short. */
export interface Given {
  letters?: string;
  long?: readonly string[];
}

interface Program {
  /** What makes it go through folders; it always does when this is left out. */
  recurses?: Given;
  follows: Given | 'always';
  links?: 'all';
  /** It looks for a pattern; null when its options are not known. */
  searches?: Searcher | null;
  /** It finds itself what wildcards stand for. */
  finds?: true;
  does?: 'link' | 'move';
  /** Its last word is where things go. */
  into?: true | undefined;
  /** Only with this word. */
  only?: string;
}

const GREPS: Program = {
  recurses: { letters: 'rRd', long: ['--recursive', '--dereference-recursive', '--directories'] },
  follows: { letters: 'R', long: ['--dereference-recursive'] },
};
const COPIES: Program = {
  recurses: { letters: 'rRadPl', long: ['--recursive', '--archive', '--no-dereference', '--links'] },
  follows: { letters: 'LHk', long: ['--dereference', '--copy-links', '--copy-unsafe-links', '--copy-dirlinks'] },
  links: 'all',
  does: 'move',
  into: true,
};
const MOVES: Program = { follows: {}, links: 'all', does: 'move', into: true };
const RENAMES: Program = { ...MOVES, finds: true };
const LINKS: Program = { follows: {}, links: 'all', does: 'link', into: true };
/** What is in two folders is compared without an option. */
const DIFF: Program = { follows: { letters: 'r', long: ['--recursive'] }, links: 'all' };
const TAR: Program = { follows: { letters: 'h', long: ['--dereference'] }, links: 'all', does: 'move' };
const PACKS: Program = { follows: {}, links: 'all', does: 'move' };
const SEVEN: Program = { ...PACKS, finds: true };
const GZIP: Program = { recurses: { letters: 'r', long: ['--recursive'] }, follows: {} };
const SENDS: Program = { follows: {}, links: 'all', into: true };
const FOLLOW: Given = { letters: 'f', long: ['--follow'] };
const UGREP: Program = {
  follows: { letters: 'RS', long: ['--dereference', '--dereference-recursive'] },
  searches: null,
};
const PROGRAMS: Readonly<Record<string, Program>> = {
  ...same('grep egrep fgrep ggrep', { ...GREPS, searches: GREP }),
  ...same('zgrep bzgrep xzgrep lzgrep zstdgrep pcregrep pcre2grep', { ...GREPS, searches: null }),
  rgrep: { follows: GREPS.follows, searches: GREP },
  ...same('ugrep ug', UGREP),
  rg: { follows: { letters: 'L', long: ['--follow'] }, searches: RIPGREP },
  ag: { follows: FOLLOW, searches: AG },
  pt: { follows: FOLLOW, searches: null },
  ack: { follows: { long: ['--follow'] }, searches: ACK },
  sift: { follows: { long: ['--follow'] }, searches: null },
  ...same('tar gtar', TAR),
  bsdtar: { ...TAR, follows: { letters: 'LH', long: ['--dereference'] } },
  zip: { recurses: { letters: 'rR', long: ['--recurse-paths', '--recurse-patterns'] }, follows: 'always' },
  ...same('7z 7za 7zr 7zz rar', SEVEN),
  ...same('jar ar lha arj dar zpaq mksquashfs genisoimage mkisofs', PACKS),
  ...same('gzip pigz zstd lz4', GZIP),
  ...same('diff gdiff colordiff sdiff icdiff difft', DIFF),
  ...same('cp gcp rsync', COPIES),
  scp: { ...COPIES, follows: 'always' },
  ...same('mv gmv ditto install ginstall', MOVES),
  ...same('rename prename file-rename perl-rename mmv', { ...RENAMES, into: undefined }),
  ...same('ln gln', LINKS),
  ...same('link stow lndir', { ...LINKS, into: undefined }),
  ...same('rclone gsutil aws s3cmd', SENDS),
  ...same('docker podman kubectl', { ...SENDS, only: 'cp' }),
};
/** These show names only. */
const LISTS: Readonly<Record<string, Given>> = {
  ls: { letters: 'L', long: ['--dereference'] },
  tree: { letters: 'l' },
  du: { letters: 'LD', long: ['--dereference'] },
  fd: { letters: 'L', long: ['--follow'] },
  fdfind: { letters: 'L', long: ['--follow'] },
};

/** Undefined for a command that goes through no folder. `found`: it is given what `find` finds, and that is said of `find`. */
export function wholeOf(words: readonly Word[], found: boolean): Whole | undefined {
  const name = nameOf(words) ?? '';
  const at = name === 'git' ? gitCommandAt(words.map(shellWord)) : 0;
  const all = words.slice(at + 1);
  const named = (list: readonly Word[]) => list.filter((word) => !found || (word !== UNKNOWN && word.source !== '{}'));
  const given = named(all);
  if (name === 'find' || name === 'gfind') return findsIn(given);
  if (Object.hasOwn(LISTS, name)) return { follows: has(given, LISTS[name] ?? {}) };
  const program = programOf(name, textOf(words[at]) ?? '');
  if (program === undefined || (program.only !== undefined && !given.some((word) => textOf(word) === program.only)))
    return undefined;
  if (program.recurses !== undefined && !has(given, program.recurses)) return undefined;
  const operands = given.filter((word) => !shownText(word).startsWith('-'));
  const search = program.searches === undefined ? undefined : searchOf(all, program.searches ?? undefined);
  const finds = program.finds === true && operands.some((word) => /[*?[]/.test(textOf(word) ?? ''));
  return {
    // Of old, the options of tar stand in its first word without a dash.
    follows:
      program.follows === 'always' ||
      has(given, program.follows) ||
      (program === TAR && /^[a-zA-Z]*h/.test(textOf(given[0]) ?? '')),
    does: program.does,
    ...(search?.lists === true
      ? {}
      : {
          reads: {
            words: program.into === true ? withoutTarget(given, operands, found) : named(search?.places ?? all),
            here: search?.here ?? finds,
            names: search?.names ?? [],
            hidden: search?.hidden ?? true,
            links: program.links,
          },
        }),
  };
}

function programOf(name: string, command: string): Program | undefined {
  // What else Git does is said by `gitReach`.
  if (name === 'git') return command === 'mv' ? MOVES : undefined;
  return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
}

/** What is where things go stays as it is. A last word that may be several is none. */
function withoutTarget(given: readonly Word[], operands: readonly Word[], found: boolean): readonly Word[] {
  const last = operands.at(-1);
  const isTarget = (found || operands.length > 1) && textOf(last) !== undefined;
  const isNamed = has(given, { letters: 't', long: ['--target-directory'] });
  return isTarget && !isNamed ? given.filter((word) => word !== last) : given;
}

function findsIn(given: readonly Word[]): Whole {
  const texts = given.map(shownText);
  const follows = texts.includes('-follow') || texts.includes('-L');
  const { here, names, files, commands } = findSearch(given);
  if (commands.length === 0) return { follows };
  const through = files ? [] : commands.filter((command) => !onlyRemoves(command));
  const isPlain = through.every((command) => onlyReads(command) && !takesFolders(command));
  const links = through.length === 0 ? undefined : isPlain ? 'files' : 'all';
  return { follows, reads: { words: given, here, names, hidden: true, links } };
}

function takesFolders(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  return ['find', 'gfind', 'ls'].includes(name) || wholeOf(words, false)?.reads !== undefined;
}

function same(names: string, program: Program): Record<string, Program> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}

/** Whether one of them is there, or may be: rather too often than not. */
export function has(words: readonly Word[], { letters = '', long = [] }: Given): boolean {
  return words.some((word) => {
    const text = shownText(word);
    if (!text.startsWith('-')) return false;
    if (textOf(word) === undefined && !text.startsWith('--')) return true;
    if (text.startsWith('--'))
      return text.length > 2 && long.some((option) => option.startsWith(text.split('=')[0] ?? ''));
    return [...letters].some((letter) => text.includes(letter));
  });
}

/** With wildcards as they stand, and nothing for what is not known. */
export function shownText({ pieces }: Word): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
}
