/**
 * What `git` reads or changes without naming it: of what it tracks (`git log -p`, `git checkout .`), or of what it does not track
 * (`git clean`). What is recorded only in commits, and what a commit brings that is not there yet, is not looked at.
 */
import { parseGlob, type Glob } from '../../text/glob.ts';
import { GIT_COMMANDS } from './gitCommands.ts';
import { gitCommandAt, pathOfRevision, pathspecOf } from './gitWords.ts';
import { operandsOf, type Options } from './options.ts';
import type { Does } from './wholeFolders.ts';
import { shellWord, textOf, type Word } from './word.ts';

/** What it does in a whole repository, where no path says where. */
export interface GitReach extends Does {
  /** Which files without a repository; undefined when it fails then. */
  alone: Does['of'] | undefined;
  /** Without paths only in the folder where it stands. */
  here: boolean;
  /** Words that are paths. */
  paths: readonly Word[];
  /** Words that are paths where such a file is there, and else commits. */
  maybe: readonly Word[];
}

export interface Pathspec {
  /** The folder or file that it is in or is, and whether from the top. */
  path: string;
  top: boolean;
  /** Of the files there those of such a name only. */
  names: readonly Glob[];
}

/** The words of the command behind its name. */
interface Given {
  /** Whether one of these options is there, or may be: rather too often than not. */
  has(...options: readonly string[]): boolean;
  /** The same, but rather not than too often. */
  surely(...options: readonly string[]): boolean;
  /** Words before `--` that are no options; undefined where that cannot be told. */
  operands: readonly Word[] | undefined;
  /** Words behind `--`. */
  after: readonly Word[];
}

type Reader = (given: Given) => readonly Partial<GitReach>[];

/** Of commands that else need not be read, as they can do no harm by an option. */
const CHECKOUT: Options = {
  flags: 'qfmpdtlN',
  values: 'bB',
  long: `quiet force merge patch detach track=? no-track guess no-guess ours theirs progress no-progress overlay no-overlay
    orphan= conflict= overwrite-ignore no-overwrite-ignore ignore-other-worktrees ignore-skip-worktree-bits`,
  anywhere: true,
};
const SWITCH: Options = { ...CHECKOUT, values: 'cC', long: `${CHECKOUT.long ?? ''} create= force-create=` };
const RESTORE: Options = {
  flags: 'qmpSW',
  values: 's',
  long: `quiet merge patch staged worktree source= ours theirs progress no-progress conflict= ignore-unmerged overlay
    no-overlay ignore-skip-worktree-bits`,
  anywhere: true,
};
const REMOVE: Options = { flags: 'fnqrkv', long: 'force dry-run quiet cached ignore-unmatch verbose', anywhere: true };
const ADD: Options = {
  flags: 'nvfipuAN',
  long: 'dry-run verbose force all update patch intent-to-add',
  anywhere: true,
};
const CLEAN: Options = { flags: 'dfnqxXi', values: 'e', long: 'force dry-run quiet exclude=', anywhere: true };
const OPTIONS: ReadonlyMap<string, Options> = new Map([
  ['checkout', CHECKOUT],
  ['switch', SWITCH],
  ['restore', RESTORE],
  ['rm', REMOVE],
  ['mv', REMOVE],
  ['add', ADD],
  ['clean', CLEAN],
]);

/** By these it shows what is in files; by others, only of those that would do so anyway, it does not. */
const PATCH =
  `-p -u -U -L -c -m -W --patch --patch-with-stat --unified --binary --cc --dd --remerge-diff --diff-merges --check
  --function-context --word-diff --color-words --inter-hunk-context`.split(/\s+/);
const SUMMARY =
  `-s --no-patch --stat --numstat --shortstat --dirstat --cumulative --compact-summary --summary --name-only
  --name-status --raw --quiet`.split(/\s+/);
const INTERACTIVE = ['-p', '--patch', '-i', '--interactive', '-e', '--edit'];

const READS = { does: 'read', of: 'tracked' } as const;
const CHANGES = { does: 'change', of: 'tracked' } as const;

/** A command that shows changes if it is told to. */
const shows: Reader = (given) => (given.has(...PATCH) ? [{ ...READS, ...pathsOf(given) }] : []);
/** One that shows them if it is not told otherwise. */
const showsPatch: Reader = (given) => (given.surely(...SUMMARY) ? shows(given) : [{ ...READS, ...pathsOf(given) }]);
const changes: Reader = ({ surely }) => (surely('--quit', '--edit-todo', '--show-current-patch') ? [] : [CHANGES]);
const picksPatches: Reader = ({ has }) => (has(...INTERACTIVE) ? [READS] : []);
const verbose: Reader = ({ has }) => (has('-v', '--verbose', '-p', '--patch', '--interactive') ? [READS] : []);

const COMMANDS: Readonly<Record<string, Reader>> = {
  log: shows,
  reflog: shows,
  whatchanged: shows,
  'diff-tree': shows,
  'diff-index': shows,
  'diff-files': shows,
  show: (given) => (areFiles(given.operands) ? [] : showsPatch(given)),
  diff: (given) => {
    const { operands, has } = given;
    if (has('--no-index')) return [{ does: 'read', of: 'disk', alone: 'disk', ...pathsOf(given, true) }];
    if (areFiles(operands)) return [];
    const isPlain = operands?.length === 0 && !has('--cached', '--staged', '--merge-base');
    return showsPatch(given).map((each) => (isPlain ? { ...each, of: 'modified' } : { ...each, alone: 'disk' }));
  },
  grep: ({ has, operands, after }) => {
    const patterned = has('-e', '-f');
    const maybe = operands?.slice(patterned ? 0 : 1) ?? [];
    const whole = has('--recurse-submodules', '--untracked', '--no-index', '--no-exclude-standard');
    return [
      whole
        ? { does: 'read', of: 'disk', alone: 'disk', here: true, paths: after, maybe }
        : { ...READS, here: true, paths: after, maybe },
    ];
  },
  'cat-file': ({ has, surely, operands = [] }) => {
    const isOne = !has('--batch', '--batch-all-objects');
    const isNamed = areFiles(operands.filter((word) => !isType(word)));
    return isOne && (isNamed || surely('-t', '-s', '-e', '--batch-check')) ? [] : [READS];
  },
  status: verbose,
  commit: verbose,
  add: (given) => [
    ...picksPatches(given),
    // By force also what Git ignores, as it does sessions: what it knows then, other commands take away.
    ...(given.has('-f', '--force') ? [{ does: 'change', of: 'tree', ...pathsOf(given, true) } as const] : []),
  ],
  checkout: (given) => [...picksPatches(given), ...(makesBranch(given, '-b', '-B') ? [] : [changesFiles(given)])],
  switch: (given) => (makesBranch(given, '-c', '-C', '--create', '--force-create') ? [] : [CHANGES]),
  restore: (given) => {
    const { has, surely } = given;
    const onlyIndex = surely('-S', '--staged') && !has('-W', '--worktree');
    return [...picksPatches(given), ...(onlyIndex ? [] : [changesFiles(given, true)])];
  },
  reset: (given) => [...picksPatches(given), ...(given.has('--hard', '--merge', '--keep') ? [CHANGES] : [])],
  rm: (given) => (given.surely('--cached', '-n', '--dry-run') ? [] : [changesFiles(given, true)]),
  mv: ({ surely, operands, after }) => {
    const words = operands === undefined ? [] : [...operands, ...after];
    return surely('-n', '--dry-run') ? [] : [{ does: 'change', of: 'disk', paths: words.slice(0, -1) }];
  },
  clean: (given) => {
    const { has, surely } = given;
    if (surely('-n', '--dry-run')) return [];
    const ignored = has('-x', '-X', '-e', '--exclude') || given.operands === undefined;
    return [{ does: 'change', of: ignored ? 'tree' : 'untracked', here: true, ...pathsOf(given, true) }];
  },
  stash: stashReach,
  merge: changes,
  pull: changes,
  rebase: (given) => [...changes(given), ...(given.has('--show-current-patch') ? [READS] : [])],
  'cherry-pick': changes,
  revert: changes,
  bisect: ({ operands = [] }) => (/^(log|terms)$/.test(textOf(operands[0]) ?? '') ? [] : [CHANGES]),
  submodule: (given) => {
    const [first, ...operands] = given.operands ?? [];
    return textOf(first) === 'deinit' ? [{ does: 'change', of: 'tree', ...pathsOf({ ...given, operands }, true) }] : [];
  },
};

export function gitReach(words: readonly Word[]): GitReach[] {
  const at = gitCommandAt(words.map(shellWord));
  const name = textOf(words[at]) ?? '';
  const reader = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const given = givenOf(name, words.slice(at + 1));
  return (reader?.(given) ?? []).map((part) => {
    const reach = { ...READS, here: false, paths: [], maybe: [], alone: undefined, ...part };
    // There may be a repository when it comes to that.
    return reach.does === 'change' && reach.of !== 'tracked' ? { ...reach, alone: reach.of } : reach;
  });
}

/** It makes files known to Git that may not have been: what Git does with all that it knows, it does with these. */
export function gitAdds(words: readonly Word[]): boolean {
  const name = textOf(words[gitCommandAt(words.map(shellWord))]);
  return name === 'add' || name === 'stage';
}

/**
 * Where a path of git is, as far as it can be told; the whole repository where it cannot. `text` is what it says, undefined when a
 * shell finds something for it, or knows it only when it runs.
 */
export function pathspecIn(word: Word, text: string | undefined): Pathspec {
  if (text === undefined) return foundBy(word);
  const { path, top, excludes } = pathspecOf(text) ?? { path: text, top: false, excludes: false };
  if (excludes || text === ':' || /^:\([^)]*(icase|prefix)/.test(text)) return ANYWHERE;
  const wild = path.search(/[*?[\\]/);
  if (wild < 0) return { path, top, names: [] };
  const name = /^\*[\w.-]+$/.test(path) ? parseGlob(path) : undefined;
  return { path: folderBefore(path, wild), top, names: name === undefined || 'error' in name ? [] : [name] };
}

export const ANYWHERE: Pathspec = { path: '', top: true, names: [] };

/** Wildcards find what is in the folder before them, but for braces and what may be `..`. */
function foundBy({ pieces, source }: Word): Pathspec {
  const [first] = pieces;
  if (pieces.some(({ is }) => is !== 'text' && is !== 'glob') || /\{|\.\.|\.[*?[]/.test(source)) return ANYWHERE;
  return { path: first?.is === 'text' ? folderBefore(first.text, first.text.length) : '', top: false, names: [] };
}

function folderBefore(path: string, end: number): string {
  return path.slice(0, path.lastIndexOf('/', end) + 1);
}

function givenOf(name: string, words: readonly Word[]): Given {
  const end = words.findIndex((word) => textOf(word) === '--');
  const before = end < 0 ? words : words.slice(0, end);
  const options = OPTIONS.get(name) ?? GIT_COMMANDS.get(name)?.options;
  const found = options === undefined ? undefined : operandsOf(before, options);
  const written = before.map((word) => textOf(word) ?? '').filter((text) => text.startsWith('-'));
  return {
    surely: (...wanted) => found?.given.some(({ option }) => wanted.includes(option)) === true,
    has: (...wanted) => wanted.some((option) => written.some((text) => isGiven(text, option))),
    operands: found?.given.at(-1)?.value?.source === '' ? undefined : found?.words,
    after: end < 0 ? [] : words.slice(end + 1),
  };
}

/** Long options may be cut short, so rather too often than not. */
function isGiven(text: string, option: string): boolean {
  const [name = ''] = text.split('=');
  if (option.startsWith('--')) return name.startsWith('--') && name.length > 2 && option.startsWith(name);
  return !text.startsWith('--') && text.includes(option.slice(1));
}

/** `sure`: words before `--` are paths too. */
function pathsOf(
  { operands, after }: Pick<Given, 'operands' | 'after'>,
  sure = false,
): Pick<GitReach, 'paths' | 'maybe'> {
  // Of what cannot be told apart nothing says where.
  if (operands === undefined) return { paths: [], maybe: [] };
  return sure ? { paths: [...operands, ...after], maybe: [] } : { paths: after, maybe: operands };
}

function changesFiles(given: Given, sure = false): Partial<GitReach> {
  return { ...CHANGES, ...pathsOf(given, sure) };
}

/** A new branch where one stands changes no file. */
function makesBranch({ has, surely, operands, after }: Given, ...options: readonly string[]): boolean {
  return surely(...options) && !has('-f', '--force', '-m', '--merge') && operands?.length === 0 && after.length === 0;
}

/** Files of a commit, each named (`HEAD:a.txt`), and not commits. */
function areFiles(operands: readonly Word[] | undefined): boolean {
  return (
    operands !== undefined &&
    operands.length > 0 &&
    operands.every((word) => pathOfRevision(textOf(word) ?? '') !== undefined)
  );
}

function isType(word: Word): boolean {
  return /^(blob|tree|commit|tag)$/.test(textOf(word) ?? '');
}

function stashReach(given: Given): Partial<GitReach>[] {
  const { has, operands = [], after } = given;
  const [first, ...others] = operands;
  const does = textOf(first) ?? '';
  if (/^(list|show)$/.test(does)) return [...shows(given)].map((each) => ({ ...each, paths: [], maybe: [] }));
  if (/^(drop|clear|create|store)$/.test(does)) return [];
  const paths = does === 'push' && given.operands !== undefined ? [...others, ...after] : after;
  const all = has('-a', '--all') || given.operands === undefined;
  const more = all ? 'tree' : has('-u', '--include-untracked', '--only-untracked') ? 'untracked' : undefined;
  return [
    ...picksPatches(given),
    { ...CHANGES, paths },
    ...(more === undefined ? [] : [{ does: 'change', of: more, paths } as const]),
  ];
}
