/** Where `git` has to do with files that it does not name, and the paths in words that only git reads as such. */
import { promises as fs } from 'node:fs';
import path from 'node:path';

import { repositoryOf } from '../gitIndex.ts';
import { ANYWHERE, gitReach, pathspecIn, type GitReach, type Pathspec } from './gitReach.ts';
import { gitCommandAt, gitPathsIn } from './gitWords.ts';
import type { WholeFolder } from './wholeFolders.ts';
import { shellWord, textOf, type Word } from './word.ts';

interface Line {
  /** Where the shell may stand. */
  folders: Iterable<string>;
  /** What a word may be, by the variables of the line. */
  variants(word: Word): readonly Word[];
  /** What a word says as a path; undefined when that is only known when it runs. */
  given(word: Word): string | undefined;
}

export interface GitFolders {
  wholes: readonly WholeFolder[];
  /** Absolute. */
  named: readonly string[];
}

export async function gitFolders(words: readonly Word[], line: Line): Promise<GitFolders> {
  const wholes: WholeFolder[] = [];
  const named: string[] = [];
  for (const folder of await standing(words, line)) {
    const repository = await repositoryOf(folder);
    for (const found of gitPathsIn(words))
      if (!found.excludes) named.push(path.resolve(found.top ? (repository ?? folder) : folder, found.path));
    for (const reach of gitReach(words)) wholes.push(...(await foldersOf(reach, folder, repository, line)));
  }
  return { wholes, named };
}

/** Each `-C` leads on from where the one before led. */
async function standing(words: readonly Word[], { folders, given }: Line): Promise<string[]> {
  const end = gitCommandAt(words.map(shellWord));
  const targets = words
    .slice(1, end)
    .filter((_, index) => textOf(words[index]) === '-C')
    .map(given);
  const led = [...folders].map((folder) => path.resolve(folder, ...targets.map((target) => target ?? '')));
  return [...new Set(await Promise.all(led.map((folder) => fs.realpath(folder).catch(() => folder))))];
}

async function foldersOf(
  reach: GitReach,
  folder: string,
  repository: string | undefined,
  line: Line,
): Promise<WholeFolder[]> {
  const specs = await pathspecs(reach, folder, line);
  const { does } = reach;
  const of = repository === undefined ? reach.alone : reach.of;
  if (of === undefined || (repository === undefined && !reach.here && does === 'read' && specs.length === 0)) return [];
  const places = specs.length > 0 ? specs : [{ ...ANYWHERE, top: !reach.here }];
  return places.map(({ path: below, top, names }) => ({
    does,
    of,
    real: path.resolve(top ? (repository ?? folder) : folder, below),
    names,
    hidden: true,
    repository,
  }));
}

/** None when no path says where. */
async function pathspecs({ paths, maybe }: GitReach, folder: string, line: Line): Promise<Pathspec[]> {
  const specs = paths.flatMap((word) => line.variants(word)).map((word) => pathspecIn(word, line.given(word)));
  for (const word of maybe.flatMap((each) => line.variants(each))) {
    const text = line.given(word);
    // A commit by its message, or a path from the top.
    if (text?.startsWith(':/') === true) specs.push(ANYWHERE);
    // Where it names a commit and a file, git says so and does nothing.
    else if (text === undefined || /^:[(!^]/.test(text) || (await exists(path.resolve(folder, text))))
      specs.push(pathspecIn(word, text));
  }
  return specs;
}

function exists(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}
