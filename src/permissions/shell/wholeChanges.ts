/** Commands that change or take away what is in a folder without naming it, as `rm -r` does, of the programs that are known. */
import type { Glob } from '../../text/glob.ts';
import { findSearch, onlyReads, onlyRemoves } from './findSearch.ts';
import { nameOf } from './hidden.ts';
import { has, shownText, type Given } from './wholeFolders.ts';
import { textOf, UNKNOWN, type Word } from './word.ts';

export interface Changes {
  /** Words that may be the folders. */
  words: readonly Word[];
  /** Also the folder where it stands. */
  here: boolean;
  /** Only what has one of these names; everything when there is none. */
  names: readonly Glob[];
  /** Also what links lead to. */
  links?: 'all';
}

interface Changer {
  /** What makes it do so; it always does when this is left out. */
  when?: Given;
  /** Its last word is where things go, and what is there stays. */
  into?: true;
  /** It takes things out of an archive, or from elsewhere, to where it stands or where this option says. */
  unpacks?: Given;
  /** Only with a first word other than these. */
  not?: readonly string[];
}

const RECURSIVE: Given = { letters: 'rR', long: ['--recursive'] };
const REMOVE: Changer = { when: RECURSIVE };
const MOVE: Changer = { into: true };
const COPY: Changer = { when: { letters: 'rRa', long: ['--recursive', '--archive'] }, into: true };
const RIGHTS: Changer = { when: { letters: 'R', long: ['--recursive'] } };
const SEVEN: Changer = { unpacks: { letters: 'o' }, not: ['a', 'b', 'h', 'i', 'l', 't'] };
const CHANGERS: Readonly<Record<string, Changer>> = {
  rm: REMOVE,
  grm: REMOVE,
  rimraf: {},
  trash: {},
  'trash-put': {},
  mv: MOVE,
  gmv: MOVE,
  cp: COPY,
  gcp: COPY,
  rsync: {},
  scp: { when: { letters: 'r' } },
  chmod: RIGHTS,
  chown: RIGHTS,
  chgrp: RIGHTS,
  gzip: REMOVE,
  gunzip: REMOVE,
  zip: { when: { letters: 'm', long: ['--move'] } },
  unzip: { unpacks: { letters: 'd' } },
  '7z': SEVEN,
  '7za': SEVEN,
  '7zz': SEVEN,
  unrar: { unpacks: {} },
  cpio: { unpacks: { letters: 'D', long: ['--directory'] } },
  patch: { unpacks: { letters: 'd', long: ['--directory'] } },
};
/** Of tar: it unpacks, or takes away what it packed. */
const UNPACKS: Given = { letters: 'x', long: ['--extract', '--get'] };
const TAKES: Given = { long: ['--remove-files'] };
const FOLDER: Given = { letters: 'C', long: ['--directory'] };
export function changesOf(words: readonly Word[], found: boolean): Changes | undefined {
  const name = nameOf(words) ?? '';
  // What `find` gives to a command is said of `find`.
  const given = words.slice(1).filter((word) => !(found && (word === UNKNOWN || word.source === '{}')));
  const operands = given.filter((word) => !shownText(word).startsWith('-'));
  if (name === 'find' || name === 'gfind') return findChanges(given);
  if (/^(g|bsd)?tar$/.test(name)) return tarChanges(given, operands);
  const changer = Object.hasOwn(CHANGERS, name) ? CHANGERS[name] : undefined;
  if (changer === undefined || (changer.when !== undefined && !has(given, changer.when))) return undefined;
  const { into, unpacks, not = [] } = changer;
  if (not.includes(textOf(operands[0]) ?? '')) return undefined;
  const isInto = into === true && !has(given, { letters: 't', long: ['--target-directory'] });
  return {
    words: isInto ? operands.slice(0, -1) : operands,
    here: unpacks !== undefined && !has(given, unpacks),
    names: [],
  };
}

function findChanges(given: readonly Word[]): Changes | undefined {
  const { here, names, files, commands, deletes } = findSearch(given);
  const changing = commands.filter((command) => !onlyReads(command));
  if (changing.length === 0 && !deletes) return undefined;
  const follows = !files && changing.some((command) => !onlyRemoves(command));
  return { words: given, here, names, ...(follows ? { links: 'all' } : {}) };
}

/** Of old, the options of tar stand in its first word without a dash. What stands before `-C` is taken out where it stands. */
function tarChanges(given: readonly Word[], operands: readonly Word[]): Changes | undefined {
  const first = textOf(given[0]) ?? '';
  const bundle = /^[a-zA-Z]+$/.test(first) ? first : '';
  if (has(given, TAKES)) return { words: operands, here: false, names: [] };
  if (!bundle.includes('x') && !has(given, UNPACKS)) return undefined;
  const folder = given.findIndex((word) => has([word], FOLDER));
  const before = given.slice(bundle === '' ? 0 : 1, folder).filter((word) => operands.includes(word));
  return { words: operands, here: folder < 0 || before.length > 1, names: [] };
}
