/** What builtins do to the shell that runs the line, and what they tell of it. */
import { parseShell } from './grammar.ts';
import { hiddenIn, nameOf } from './hidden.ts';
import { readScript } from './script.ts';
import { textOf, type Word } from './word.ts';

const DECLARES = new Set(['declare', 'typeset', 'export', 'readonly', 'local', 'unset']);
/** These may set variables or options, or run what does; where they surely do not, nothing is hidden in them. */
const MAY_CHANGE = new Set(
  'source . eval trap set shopt read mapfile readarray getopts printf let enable alias builtin command wait'.split(' '),
);
const WAITS_FOR = /^(-[nf]+|\d+|%[%+\d-]*)$/;
const DEEPEST = 8;

/** Why a command is asked for what it does to the shell or tells of it, to stand behind "it"; undefined when it does neither. */
export function ownShellReason(words: readonly Word[]): string | undefined {
  const name = nameOf(words) ?? '';
  if (DECLARES.has(name)) return `changes variables with ${name}`;
  // It sets a variable with `-p`, of a name such as `a[$(…)]` that is run.
  if (name === 'wait' && !words.slice(1).every((word) => word.source === '$!' || WAITS_FOR.test(textOf(word) ?? '')))
    return 'may change what other commands do, by the variables it sets: wait';
  const first = textOf(words[1]);
  const tells =
    name === 'set' ? words.length === 1 : name === 'trap' && (words.length === 1 || /^-[pP]/.test(first ?? ''));
  return tells ? `shows what the shell keeps for itself: ${name}` : undefined;
}

/**
 * Whether what a line exports, or takes away, may reach later commands: it says `export`, `unset` and the like, sets a variable
 * that programs heed, runs a script in the shell itself, or cannot be read. Every such line is asked; so of a line that no person
 * has seen, no variables are to be taken over, whatever the shell reports.
 */
export async function mayChangeEnvironment(line: string): Promise<boolean> {
  return lineChanges(line, 0);
}

async function lineChanges(line: string, depth: number): Promise<boolean> {
  const root = depth > DEEPEST ? undefined : await parseShell(line);
  if (root === undefined || 'error' in root) return true;
  const { steps, changes } = readScript(root, line, 'bash');
  if (changes) return true;
  for (const step of steps) if (step.does === 'run' && (await commandChanges(step.words, depth))) return true;
  return false;
}

async function commandChanges(words: readonly Word[], depth: number): Promise<boolean> {
  const name = nameOf(words);
  if (name === undefined || DECLARES.has(name) || depth > DEEPEST) return true;
  const { commands = [], lines = [], ask = [] } = hiddenIn(words);
  if (MAY_CHANGE.has(name) && (ask.length > 0 || ownShellReason(words) !== undefined)) return true;
  for (const command of commands) if (await commandChanges(command, depth + 1)) return true;
  for (const inner of lines) if (await lineChanges(inner, depth + 1)) return true;
  return false;
}
