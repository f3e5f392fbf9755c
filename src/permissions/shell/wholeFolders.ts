/** Commands that read all that is in a folder, as `grep -r` does, and those that go through links there, as `find -L` does. */
import { parseGlob, type Glob } from '../../text/glob.ts';
import { nameOf } from './hidden.ts';
import { textOf, type Word } from './word.ts';

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
  /** What Git says of it, it says in this one. */
  readonly repository?: string | undefined;
}

export interface Reads {
  /** Also the folder where it stands. */
  readonly here: boolean;
  /** Only files whose names match one of these; all of them when there is none. */
  readonly names: readonly Glob[];
  /** Also what begins with a dot. */
  readonly hidden: boolean;
}

export interface Whole {
  /** It goes through the links that it comes upon. */
  follows: boolean;
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
  /** What makes it read what begins with a dot; it always does when this is left out. */
  hidden?: Given;
  /** With so few words that are no options it reads where it stands. */
  here?: number;
}

const GREP: Program = {
  recurses: { letters: 'rRd', long: ['--recursive', '--dereference-recursive', '--directories'] },
  follows: { letters: 'R', long: ['--dereference-recursive'] },
  here: 1,
};
const COPIES: Program = {
  recurses: { letters: 'rRa', long: ['--recursive', '--archive'] },
  follows: { letters: 'LHk', long: ['--dereference', '--copy-links', '--copy-unsafe-links', '--copy-dirlinks'] },
};
const TAR: Program = { follows: { letters: 'h', long: ['--dereference'] } };
const PROGRAMS: Readonly<Record<string, Program>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  ggrep: GREP,
  zgrep: GREP,
  rg: {
    follows: { letters: 'L', long: ['--follow'] },
    hidden: { letters: 'u.', long: ['--hidden', '--unrestricted'] },
    here: 1,
  },
  ag: {
    follows: { letters: 'f', long: ['--follow'] },
    hidden: { letters: 'au', long: ['--hidden', '--unrestricted'] },
    here: 1,
  },
  ack: { follows: { long: ['--follow'] }, here: 1 },
  tar: TAR,
  gtar: TAR,
  bsdtar: { follows: { letters: 'LH', long: ['--dereference'] } },
  zip: { recurses: { letters: 'rR', long: ['--recurse-paths', '--recurse-patterns'] }, follows: 'always' },
  diff: { recurses: { letters: 'r', long: ['--recursive'] }, follows: 'always' },
  cp: COPIES,
  gcp: COPIES,
  rsync: COPIES,
  scp: { ...COPIES, follows: 'always' },
};
/** These show names only. */
const LISTS: Readonly<Record<string, Given>> = {
  ls: { letters: 'L', long: ['--dereference'] },
  tree: { letters: 'l' },
  du: { letters: 'LD', long: ['--dereference'] },
  fd: { letters: 'L', long: ['--follow'] },
  fdfind: { letters: 'L', long: ['--follow'] },
};

/** Undefined for a command that goes through no folder. */
export function wholeOf(words: readonly Word[]): Whole | undefined {
  const name = nameOf(words) ?? '';
  const given = words.slice(1);
  if (name === 'find' || name === 'gfind') return findsIn(given);
  if (Object.hasOwn(LISTS, name)) return { follows: has(given, LISTS[name] ?? {}) };
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program === undefined || (program.recurses !== undefined && !has(given, program.recurses))) return undefined;
  const operands = given.filter((word) => !shownText(word).startsWith('-'));
  return {
    // Of old, the options of tar stand in its first word without a dash.
    follows:
      program.follows === 'always' ||
      has(given, program.follows) ||
      (program === TAR && /^[a-zA-Z]*h/.test(textOf(given[0]) ?? '')),
    reads: {
      here: operands.length <= (program.here ?? -1),
      names: globsOf(given.flatMap((word) => /^--include=(.+)$/s.exec(shownText(word))?.[1] ?? [])),
      hidden: program.hidden === undefined || has(given, program.hidden),
    },
  };
}

function findsIn(given: readonly Word[]): Whole {
  const texts = given.map(shownText);
  const follows = texts.includes('-follow') || texts.includes('-L');
  if (!texts.some((text) => /^-(exec|ok)/.test(text))) return { follows };
  const narrows = !texts.some((text) => ['-o', '-or', ',', '!', '-not'].includes(text));
  const patterns = texts.flatMap((text, index) => (texts[index - 1] === '-name' ? [text] : []));
  return {
    follows,
    reads: { here: /^(?:$|[-(!])/.test(texts[0] ?? ''), names: narrows ? globsOf(patterns) : [], hidden: true },
  };
}

/** None when one of them cannot be read. */
export function globsOf(patterns: readonly string[]): Glob[] {
  const globs = patterns.map(parseGlob);
  return globs
    .flatMap((glob) => ('error' in glob ? [] : [glob]))
    .slice(0, globs.some((glob) => 'error' in glob) ? 0 : undefined);
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
