/**
 * Globs, matched in time that grows with the text and hardly with the pattern: no regular expression is made of one, since a pattern
 * may come from a model or from a project's file.
 *
 * `*` any run of characters · `?` one · `[a-z]`, `[!a-z]` one of these, none of these · `{a,b}` either · `\x` the character x
 * itself · `**` as a whole path segment: any number of folders, none included. `src/**` is also `src` itself. Names that begin
 * with a dot are names like others.
 */
import { folded, GlobMachine, type GlobOptions } from './globMachine.ts';
import { parsePattern, type Step } from './globPattern.ts';

export type { GlobOptions };

/** A parsed pattern; what is in it is the business of this file. */
export interface Glob {
  /** One for each way to choose among the braces. */
  readonly ways: readonly Way[];
}

interface Way {
  machine: GlobMachine;
  /** It matches one text alone, letter case aside. */
  literal: boolean;
  /** What every match begins and ends with: most texts are told apart by that. */
  exact: Ends;
  folded: Ends;
}

interface Ends {
  head: string;
  tail: string;
}

/** The message of `error` says what is wrong and what would be accepted; it is meant to stand behind the pattern. */
export function parseGlob(text: string): Glob | { error: string } {
  const ways = parsePattern(text);
  return 'error' in ways ? ways : { ways: ways.map(wayOf) };
}

/** Whether the whole of `text` is what the pattern describes. */
export function matchesGlob(glob: Glob, text: string, options: GlobOptions): boolean {
  return runGlob(glob, text, options).matched;
}

/** {@link matchesGlob} with the number of steps it took, by which its cost can be tested. */
export function runGlob({ ways }: Glob, text: string, options: GlobOptions): { matched: boolean; steps: number } {
  const subject = subjectOf(text);
  let steps = 0;
  for (const way of ways) {
    const ignoreCase = options.ignoreCase === true;
    const { head, tail } = ignoreCase ? way.folded : way.exact;
    const form = ignoreCase ? subject.folded : text;
    if (!(form.startsWith(head) && form.endsWith(tail))) continue;
    if (way.literal && !ignoreCase) {
      if (text === head) return { matched: true, steps };
      continue;
    }
    const result = way.machine.run(subject.characters, options);
    steps += result.steps;
    if (result.matched) return { matched: true, steps };
  }
  return { matched: false, steps };
}

/** How many places a pattern has, by which it costs: 0 for one that is a text. */
export function costOfGlob({ ways }: Glob): number {
  if (ways.length === 1 && ways[0]?.literal === true) return 0;
  return ways.reduce((sum, { machine }) => sum + machine.places, 0);
}

function wayOf(steps: readonly Step[]): Way {
  const start = literalStart(steps);
  const exact = { head: start.join(''), tail: literalStart(steps.toReversed()).reverse().join('') };
  return {
    machine: new GlobMachine(steps),
    literal: start.length === steps.length,
    exact,
    folded: { head: foldedText([...exact.head]), tail: foldedText([...exact.tail]) },
  };
}

function literalStart(steps: readonly Step[]): string[] {
  const end = steps.findIndex(({ take }) => take !== 'character');
  return steps.slice(0, end === -1 ? undefined : end).map((step) => ('character' in step ? step.character : ''));
}

interface Subject {
  text: string;
  characters: readonly string[];
  folded: string;
}

/** A text is mostly compared with many patterns in a row. */
let latest: Subject = { text: '', characters: [], folded: '' };

function subjectOf(text: string): Subject {
  if (latest.text !== text) {
    const characters = [...text];
    latest = { text, characters, folded: foldedText(characters) };
  }
  return latest;
}

function foldedText(characters: readonly string[]): string {
  return characters.map(folded).join('');
}
