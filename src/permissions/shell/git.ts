/** What `git` may run or write besides: by settings, another repository, commands of its own, and their options. */
import { GIT_COMMANDS, HARMLESS } from './gitCommands.ts';
import { gitCommandAt, gitPathsIn } from './gitWords.ts';
import type { Hidden } from './hidden.ts';
import { findOption, operandsOf } from './options.ts';
import { unread } from './unreadable.ts';
import { shellWord, textOf, type Word } from './word.ts';

/**
 * Options before git's command that change nothing of what it runs. Missing are `-c` and others that set something, and what names a
 * repository: the settings of one name programs, and a project may bring a bare one (`--bare`, `--git-dir`). One that is only
 * come upon, by `-C` or `cd`, is no danger: a folder `.git` is neither brought by a clone nor written by tools, and commands run
 * with `safe.bareRepository=explicit`, so that git takes nothing else for a repository.
 */
const PLAIN = new Set([
  '--no-pager',
  '-P',
  '--no-replace-objects',
  '--literal-pathspecs',
  '--no-optional-locks',
  '--version',
  '--help',
  '-h',
  '-v',
]);

export function gitHides(words: readonly Word[]): Hidden {
  const at = gitCommandAt(words.map(shellWord));
  for (let option = 1; option < at; option++) {
    const text = textOf(words[option]) ?? '';
    // Where that leads is looked up like any path; what is not known cannot be.
    if (text === '-C' && textOf(words[option + 1]) !== undefined) option++;
    else if (!PLAIN.has(text)) return unread(`may run a command by a setting: git ${text}`);
  }
  if (words[at] === undefined) return {};
  const name = textOf(words[at]);
  if (name === undefined) return unread(`does what is only known when it runs: git ${words[at].source}`);
  const given = words.slice(at + 1);
  // A remote such as `ext::…` is a command, or names one.
  const remote = given.find((word) => /^(?:-[^=]*=)?[\w-]+::/.test(startOf(word)));
  if (remote !== undefined) return unread(`may run a command for a remote: git ${name} ${remote.source}`);
  // Paths that are known when it runs; a message or a pattern in a file is another matter.
  const list = findOption(given, { long: 'pathspec-from-file' });
  if (list !== undefined && textOf(list) !== undefined)
    return unread(`takes names of files that are only known when it runs: git ${name} ${list.source}`);
  const notPaths = gitPathsIn(words).flatMap(({ word }) => (/^:[/!^(]/.test(textOf(word) ?? '') ? [word] : []));
  return { notPaths, ...(isPlain(name, given) ? {} : unread(`may run or write something else: git ${name}`)) };
}

function isPlain(name: string, given: readonly Word[]): boolean {
  if (HARMLESS.has(name)) return true;
  const command = GIT_COMMANDS.get(name);
  const operands = command === undefined ? undefined : operandsOf(given, command.options)?.words;
  if (command === undefined || operands === undefined) return false;
  const [first] = operands;
  return command.first === undefined || first === undefined || command.first.includes(textOf(first) ?? '');
}

function startOf({ pieces: [first] }: Word): string {
  return first?.is === 'text' ? first.text : '';
}
