/**
 * What `find` looks through, and what it does with what it finds. That it finds less than everything counts only where all of its
 * expression is understood: tests that are known, joined by nothing but "and".
 */
import { matchesGlob, type Glob } from '../../text/glob.ts';
import { plainNames } from './namePatterns.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

export interface FindSearch {
  /** It begins where it stands. */
  here: boolean;
  /** Only what has one of these names; everything when there is none. */
  names: readonly Glob[];
  /** Only files, no folder and no link. */
  files: boolean;
  /** What it runs for each. */
  commands: readonly (readonly Word[])[];
  deletes: boolean;
}

/** Tests and actions that stand alone, and those with one word behind them. */
const ALONE = new Set(
  `-daystart -depth -d -empty -executable -false -ls -mount -nogroup -noleaf -nouser -nowarn -print -print0 -prune -quit
   -readable -true -warn -writable -xdev -ignore_readdir_race`.split(/\s+/),
);
const VALUED = new Set(
  `-amin -anewer -atime -cmin -cnewer -ctime -group -gid -ilname -iname -inum -ipath -iregex -iwholename -links -lname
   -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user
   -wholename -xtype`.split(/\s+/),
);
const AND = ['-a', '-and'];
const NOT = ['!', '-not'];
const RUNS = /^-(exec|ok)(dir)?$/;

/** `words` are without the program's name. */
export function findSearch(words: readonly Word[]): FindSearch {
  const start = words.findIndex((word) => !isPlace(word));
  const expression = start < 0 ? [] : words.slice(start);
  const { commands, ...narrow } = expressionOf(expression);
  const texts = words.map(textOf);
  const { names, files } = narrow.known ? narrow : { names: [], files: false };
  const places = words.slice(0, words.length - expression.length);
  // What it begins with is found by its name too, as it is written.
  const beginsSo = (places.length === 0 ? ['.'] : places.map(lastName)).some(
    (name) => name === undefined || names.some((glob) => matchesGlob(glob, name, { slash: true })),
  );
  return {
    here: places.every((word) => textOf(word) === undefined && mayBeOption(word)),
    names: beginsSo ? [] : names,
    files,
    commands,
    deletes: texts.includes('-delete'),
  };
}

function isPlace(word: Word): boolean {
  const [first] = word.pieces;
  return !/^[-(),!]/.test(first?.is === 'text' ? first.text : '');
}

/** Undefined when it is not known. */
function lastName({ pieces }: Word): string | undefined {
  const last = pieces.at(-1);
  if (last?.is !== 'text' || pieces.some((piece) => piece.is === 'glob' && piece.text === '')) return undefined;
  const parts = last.text.replace(/\/+$/, '').split('/');
  return pieces.length > 1 && parts.length < 2 ? undefined : parts.at(-1);
}

/** These change nothing that they are given, but for some by an option. */
const READERS = new Set(
  `cat head tail wc grep egrep fgrep rg ls stat file du cksum md5sum sha1sum sha256sum sha512sum od hexdump strings nl tac cut
   cmp diff test [ echo printf basename dirname readlink realpath true false jq`.split(/\s+/),
);
const READERS_BUT = /^(sed|awk|sort)$/;

/** Of a command that `find` runs; false when that is not known. */
export function onlyReads([name, ...words]: readonly Word[]): boolean {
  const text = textOf(name) ?? '';
  if (READERS.has(text)) return true;
  return READERS_BUT.test(text) && !words.some((word) => /^-(?:-[io]|[^-]*[io])/.test(textOf(word) ?? '-i'));
}

/** What it is given, it takes away: a link and not what that leads to. */
export function onlyRemoves([name]: readonly Word[]): boolean {
  return /^(g?rm|unlink|rmdir|rimraf|trash|trash-put)$/.test(textOf(name) ?? '');
}

interface Expression {
  known: boolean;
  names: Glob[];
  files: boolean;
  commands: (readonly Word[])[];
}

function expressionOf(words: readonly Word[]): Expression {
  const commands: (readonly Word[])[] = [];
  const patterns: (string | undefined)[] = [];
  let known = true;
  let files = false;
  let negated = false;
  for (let at = 0; at < words.length; at++) {
    const text = textOf(words[at]) ?? '';
    if (NOT.includes(text)) {
      negated = true;
      continue;
    }
    if (RUNS.test(text)) {
      const end = words.findIndex((_, index) => index > at && endsCommand(words, index));
      commands.push(words.slice(at + 1, end < 0 ? undefined : end));
      at = end < 0 ? words.length : end;
    } else if (VALUED.has(text)) {
      const value = textOf(words[++at]);
      // What stands behind a command comes too late for it.
      const counts = !negated && commands.length === 0;
      if (counts && text === '-name') patterns.push(value);
      if (counts && text === '-type' && value === 'f') files = true;
      known &&= value !== undefined;
    } else known &&= ALONE.has(text) || AND.includes(text) || (text === '-delete' && at === words.length - 1);
    negated = false;
  }
  return { known, names: plainNames(patterns), files, commands };
}

export function endsCommand(words: readonly Word[], at: number): boolean {
  const text = textOf(words[at]);
  return text === ';' || (text === '+' && textOf(words[at - 1]) === '{}');
}
