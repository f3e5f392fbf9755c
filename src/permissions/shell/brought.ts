/**
 * Lines that bring files from elsewhere, from a commit or an archive, and then name some: links may be among them, so where those
 * names lead cannot be looked up before (P4).
 */
import { nameOf } from './hidden.ts';
import { mayHoldOption } from './options.ts';
import { gitCommandAt } from './gitWords.ts';
import { takesNoFiles } from './noFiles.ts';
import { shellWord, textOf, type Word } from './word.ts';

const GIT = new Set(
  `am apply checkout checkout-index cherry-pick clone merge pull read-tree rebase reset restore revert stash submodule switch
   worktree`.split(/\s+/),
);
const UNPACKS = new Set('tar gtar bsdtar unzip 7z 7za 7zz unrar cpio pax patch ar'.split(' '));
/** They run what the project says, which a commit says as well, and name files for nothing else. */
const OF_THE_PROJECT = new Set(
  `bun cargo deno dotnet go gmake gradle gradlew make mvn node npm npx pip pip3 pnpm poetry python python3 rake ruby uv
   yarn`.split(/\s+/),
);

export function bringsFiles(words: readonly Word[]): boolean {
  const name = nameOf(words) ?? '';
  return name === 'git' ? GIT.has(textOf(words[gitCommandAt(words.map(shellWord))]) ?? '') : UNPACKS.has(name);
}

/** The first word of a command by which it may reach what was brought. */
export function fileNamedBy(words: readonly Word[]): Word | undefined {
  const name = nameOf(words) ?? '';
  if (name === 'git' || OF_THE_PROJECT.has(name) || UNPACKS.has(name) || takesNoFiles(words)) return undefined;
  return words.slice(1).find((word) => textOf(word) === undefined || !mayHoldOption(word));
}
