/**
 * Commands inside the words of a command: of programs that run another one (`sudo`, `xargs`, `bash -c`). What can be read there is
 * given, to be judged like any other command; what cannot, or what a program would run in another way, is a reason to ask.
 */
import { programName } from '../programName.ts';
import { BUILTINS } from './builtins.ts';
import { optionHides } from './commandOptions.ts';
import { findHides } from './find.ts';
import { gitHides } from './git.ts';
import { readerHides } from './readers.ts';
import { RUNNERS } from './runners.ts';
import { interpreterHides, isInterpreter, isShell, shellHides } from './shells.ts';
import { HIDES_NOTHING, unread, UNREADABLE } from './unreadable.ts';
import { textOf, type Word } from './word.ts';
import { wrapperHides } from './wrappers.ts';

export interface Hidden {
  /** The words of inner commands. */
  commands?: readonly (readonly Word[])[];
  /** They run in folders that are only known when they do. */
  elsewhere?: boolean;
  /** The words of what may be an inner command, for which the rule for the outer one is enough; but rules against it count. */
  within?: readonly (readonly Word[])[];
  /** Shell lines that are run. */
  lines?: readonly string[];
  /** Why it is asked, each to stand behind "it". */
  ask?: readonly string[];
  /** It may run commands that are not given here. */
  unread?: true;
  /** Words that are no paths, though they may look like one: the pattern of `grep`. */
  notPaths?: readonly Word[];
}

/** `words` are those of a simple command, its name first; `name` is what {@link programName} says of that. */
export type HiddenReader = (words: readonly Word[], name: string) => Hidden;

export function hiddenIn(words: readonly Word[]): Hidden {
  const name = nameOf(words);
  if (name === undefined) return unread(`runs a command that is only known when it runs: ${words[0]?.source ?? ''}`);
  const reason = UNREADABLE.get(name);
  if (reason !== undefined)
    return HIDES_NOTHING.has(name) ? { ask: [`${reason}: ${name}`] } : unread(`${reason}: ${name}`);
  const { ask = [], within = [] } = wrapperHides(words, name);
  const hidden = programHides(words, name);
  return { ...hidden, within: [...within, ...(hidden.within ?? [])], ask: [...ask, ...(hidden.ask ?? [])] };
}

function programHides(words: readonly Word[], name: string): Hidden {
  if (name === 'git') return gitHides(words);
  if (name === 'find' || name === 'gfind') return findHides(words);
  if (isShell(name)) return shellHides(words, name);
  if (isInterpreter(name)) return interpreterHides(words, name);
  const reader = RUNNERS.get(name) ?? BUILTINS.get(name);
  return reader?.(words, name) ?? { ...readerHides(words, name), ...optionHides(words, name) };
}

/** The program that a command runs, where that is known. */
export function nameOf([name]: readonly Word[]): string | undefined {
  const text = textOf(name);
  return text === undefined ? undefined : programName(text);
}
