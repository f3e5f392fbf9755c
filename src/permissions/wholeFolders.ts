/**
 * What the rules say of a command that reads or changes all that is in a folder, as `grep -r` and `rm -r` do: what a search would hold
 * back asks (F13), and so does what tools may not write (R15).
 */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { GITIGNORE, SHARED } from '../session/folders.ts';
import { matchesGlob, type Glob } from '../text/glob.ts';
import { mayChange } from './changing.ts';
import { isIgnoredByName } from './gitIgnore.ts';
import { isAsTracked, trackedIn } from './gitIndex.ts';
import { isNamed } from './names.ts';
import { isInside } from './paths.ts';
import { READING } from './reading.ts';
import type { Judgement, Rules } from './rules.ts';
import type { WholeFolder } from './shell/wholeFolders.ts';
import { closedWithin, outsideOf, secretOf, SHELL_LINE } from './shipped.ts';
import { PathSubject } from './subjects.ts';
import { unignoredAbove, unignoredIn } from './unignored.ts';

interface Place {
  tool: string;
  workspace: string;
  rules: Rules;
}

/** In all folders that a line reads, and in all that it changes. */
const MOST_ENTRIES = { read: 5000, change: 50_000 };

/** One reason is enough. Links are followed where the command does; what is outside is asked anyway. */
export async function judgeWholes(wholes: readonly WholeFolder[], place: Place): Promise<Judgement[]> {
  const left = { ...MOST_ENTRIES };
  const found: Judgement[] = [];
  for (const whole of new Map(wholes.map((each) => [keyOf(each), each])).values()) {
    const judgements = whole.of === 'tracked' || whole.of === 'modified' ? judgeTracked : judgeFolder;
    for await (const judgement of judgements(whole, place, left)) {
      if (judgement.only_once === true) return [judgement];
      found.push(judgement);
      // Something that a person alone may allow would say more.
      if (whole.does === 'read') break;
    }
  }
  return found.slice(0, 1);
}

/** Of a line with several commands many are the same. */
function keyOf({ does, of, real, names, hidden, links }: WholeFolder): unknown {
  return names.length > 0 ? {} : [does, of, hidden, links, real].join('\0');
}

async function* judgeFolder(whole: WholeFolder, place: Place, left: typeof MOST_ENTRIES): AsyncGenerator<Judgement> {
  const { does } = whole;
  // Of a repository around the workspace this is what counts here.
  const start = isInside(whole.real, place.workspace) ? place.workspace : whole.real;
  const above = whole.hidden ? [] : await unignoredAbove(start, place.workspace);
  const folders: Visit[] = [{ folder: start, taken: whole.names.length === 0, shown: above }];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    if (new PathSubject(place.workspace, at.folder).isOutside || isLeftOut(at.folder, whole)) continue;
    const entries = await fs.readdir(at.folder, { withFileTypes: true }).catch(() => []);
    left[does] -= entries.length;
    if (left[does] < 0) {
      const ask_reason = `it ${does}s more files than can be looked through`;
      yield { action: 'ask', by: SHELL_LINE, ask_reason, ...(does === 'change' ? { only_once: true } : {}) };
      return;
    }
    const shown = whole.hidden ? [] : [...at.shown, ...(await unignoredIn(at.folder))];
    for (const entry of entries) {
      if (!whole.hidden && entry.name.startsWith('.') && !isAmong(shown, entry.name)) continue;
      const real = path.join(at.folder, entry.name);
      const taken = at.taken || isAmong(whole.names, entry.name);
      // A folder of such a name is taken with all that is in it.
      if (entry.isDirectory()) folders.push({ folder: real, taken, shown });
      if (!taken) continue;
      const subject = new PathSubject(place.workspace, real);
      const held =
        does === 'change'
          ? [...protectedFrom(subject, place), ...secretOf(subject, place)]
          : entry.isFile()
            ? heldBack(subject, place)
            : [];
      if (entry.isSymbolicLink()) held.push(...(await judgeLink(real, whole, place)));
      if (held.length > 0 && !(await isSpared(real, whole))) yield* held;
    }
  }
}

interface Visit {
  folder: string;
  /** All that is in it is meant. */
  taken: boolean;
  /** Names that are shown although they begin with a dot. */
  shown: readonly Glob[];
}

function isAmong(globs: readonly Glob[], name: string): boolean {
  return globs.some((glob) => matchesGlob(glob, name, { slash: true }));
}

/** What Git packs is no text, and a lot; and packages are put in place again, from elsewhere. */
function isLeftOut(folder: string, { does, of, names, links }: WholeFolder): boolean {
  const name = path.basename(folder);
  if (of === 'tree' || of === 'untracked') return isNamed(name, '.git') || name === 'node_modules';
  if (does === 'change' && name === 'node_modules') return links === undefined;
  return folder.endsWith(`${path.sep}.git${path.sep}objects`) && (does === 'read' || names.length === 0);
}

/** Git spares what is its own, and what it ignores: so the record's folder as it was made, but for what a team shares. */
async function isSpared(real: string, { of, repository }: WholeFolder): Promise<boolean> {
  if (of !== 'tree' && of !== 'untracked') return false;
  const names = real.split(path.sep);
  if (isNamed(names.at(-1) ?? '', '.git')) return true;
  if (of === 'tree') return false;
  const at = names.findIndex((name) => isNamed(name, '.polyglav'));
  if (at < 0) return repository !== undefined && (await isIgnoredByName(repository, real));
  if (SHARED.includes(names[at + 1] ?? '')) return false;
  const ignored = await fs.readFile([...names.slice(0, at + 1), '.gitignore'].join(path.sep), 'utf8').catch(() => '');
  return ignored === GITIGNORE;
}

async function* judgeTracked(whole: WholeFolder, place: Place): AsyncGenerator<Judgement> {
  const { repository, real, names, does, of } = whole;
  if (repository === undefined) return;
  const tracked = await trackedIn(repository);
  if (tracked === undefined) {
    yield { action: 'ask', by: SHELL_LINE, ask_reason: 'it may reach what Git tracks, which cannot be looked through' };
    return;
  }
  for (const each of tracked.files) {
    if (!isInside(real, each.file)) continue;
    const base = path.basename(each.file);
    if (names.length > 0 && !isAmong(names, base)) continue;
    const subject = new PathSubject(place.workspace, each.file);
    const isAsRecorded = () => isAsTracked(each, tracked.written);
    // What is as Git has it is not shown as a change, and as a secret it is not lost.
    if (does === 'change') {
      yield* protectedFrom(subject, place);
      const secrets = secretOf(subject, place);
      if (secrets.length > 0 && !(await isAsRecorded())) yield* secrets;
    } else {
      const held = heldBack(subject, place);
      if (held.length > 0 && !(of === 'modified' && (await isAsRecorded()))) yield* held;
    }
  }
}

function protectedFrom(subject: PathSubject, place: Place): Judgement[] {
  return [...closedWithin(subject, place), ...mayChange(subject, place.rules)];
}

async function judgeLink(link: string, whole: WholeFolder, place: Place): Promise<Judgement[]> {
  const { does, links, names, real: folder } = whole;
  if (links === undefined) return [];
  const real = await fs.realpath(link).catch(() => undefined);
  // What leads to nothing is not read, but it can be written through, and lead to something from where it is put.
  if (real === undefined && does === 'read' && links === 'files') return [];
  const isFolder = real !== undefined && (await fs.stat(real).catch(() => undefined))?.isDirectory() !== false;
  // What is in a folder has been looked through where that is, if everything there has.
  const leadsOn =
    does === 'change'
      ? isFolder
      : links === 'all' && real !== undefined && (!isInside(folder, real) || (names.length > 0 && isFolder));
  if (real === undefined || leadsOn) {
    const ask_reason = `it may go through a link that leads on, ${new PathSubject(place.workspace, link).shown}`;
    return [{ action: 'ask', by: SHELL_LINE, ask_reason, ...(does === 'change' ? { only_once: true } : {}) }];
  }
  const subject = new PathSubject(place.workspace, real);
  if (does === 'change') return [...outsideOf(subject), ...protectedFrom(subject, place), ...secretOf(subject, place)];
  return isFolder ? [] : [...outsideOf(subject), ...heldBack(subject, place)];
}

/** A line that would be denied if it named the file asks: the command may leave it out, by an option that is not known here. */
function heldBack(subject: PathSubject, { tool, rules }: Place): Judgement[] {
  const held = [tool, READING].flatMap((each) => rules.holding(each, (rule) => subject.matches(rule)));
  return [
    ...secretOf(subject, { tool, rules }),
    ...held.map(({ by }): Judgement => ({
      action: 'ask',
      by: SHELL_LINE,
      ask_reason: `reads ${subject.shown}, for which there is the rule ${by}`,
    })),
  ];
}
