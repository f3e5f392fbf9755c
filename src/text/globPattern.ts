/** The text of a glob, read into steps that a machine can take; `glob.ts` says what the characters mean. */

/** Each takes one character, except `star`, `folders` and `below`, which take any number. */
export type Step =
  | { take: 'character'; character: string }
  | { take: 'any' }
  | { take: 'set'; negated: boolean; ranges: readonly (readonly [from: number, to: number])[] }
  | { take: 'star' }
  /** `**` and the slash behind it: nothing, or anything that ends in a slash. */
  | { take: 'folders' }
  /** A slash and `**` at the end: nothing, or a slash and anything. */
  | { take: 'below' }
  /** `**` alone. */
  | { take: 'all' };

/** In UTF-16 units, more than any path or sensible pattern has. */
const LONGEST = 4096;
/** Steps of all ways together: braces multiply. */
const MOST_STEPS = 5000;
const MOST_NESTED = 5;

class GlobError extends Error {}

/**
 * One list of steps for each way to choose among the braces. The message of `error` says what is wrong and what would be accepted;
 * it is meant to stand behind the pattern.
 */
export function parsePattern(text: string): Step[][] | { error: string } {
  try {
    if (text === '') throw new GlobError('an empty pattern matches nothing; ** matches everything.');
    if (text.length > LONGEST) throw new GlobError(`a pattern has at most ${LONGEST} characters.`);
    return new Parser(text).parse().map(joinStars);
  } catch (error) {
    if (error instanceof GlobError) return { error: error.message };
    throw error;
  }
}

/** Reads a pattern; braces are multiplied out on the way, stars stand alone still. */
class Parser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  parse(): Step[][] {
    return this.#sequence(0);
  }

  /** Up to the end, or within braces to the comma or brace that ends it. */
  #sequence(depth: number): Step[][] {
    let ways: Step[][] = [[]];
    for (;;) {
      const character = this.#characters[this.#at];
      if (character === undefined || (depth > 0 && (character === ',' || character === '}'))) return ways;
      const next = character === '{' ? this.#braces(depth + 1) : [[this.#step()]];
      if (ways.length === 1 && next.length === 1) ways[0]?.push(...(next[0] ?? []));
      else if (size(ways) * next.length + size(next) * ways.length > MOST_STEPS)
        throw new GlobError('its braces stand for too many patterns; write some of them as patterns of their own.');
      else ways = ways.flatMap((way) => next.map((more) => [...way, ...more]));
    }
  }

  #braces(depth: number): Step[][] {
    if (depth > MOST_NESTED) throw new GlobError(`braces may be nested ${MOST_NESTED} deep at most.`);
    const ways: Step[][] = [];
    let alternatives = 0;
    do {
      this.#at++;
      ways.push(...this.#sequence(depth));
      alternatives++;
    } while (this.#characters[this.#at] === ',');
    if (this.#characters[this.#at] !== '}') throw new GlobError(unclosed('{'));
    this.#at++;
    if (alternatives === 1)
      throw new GlobError('braces hold alternatives with commas, as in {a,b}; write \\{ for the character itself.');
    return ways;
  }

  #step(): Step {
    const character = this.#next();
    if (character === '*') return { take: 'star' };
    if (character === '?') return { take: 'any' };
    if (character === '[') return this.#set();
    if (character !== '\\') return { take: 'character', character };
    if (this.#at === this.#characters.length)
      throw new GlobError('it ends in a single backslash; write \\\\ for a backslash, and / between folders.');
    return { take: 'character', character: this.#next() };
  }

  /** What stands in brackets; a `]` right at their beginning is meant as itself. */
  #set(): Step {
    const negated = this.#characters[this.#at] === '!' || this.#characters[this.#at] === '^';
    if (negated) this.#at++;
    const ranges: [number, number][] = [];
    while (ranges.length === 0 || this.#characters[this.#at] !== ']') {
      if (this.#at >= this.#characters.length) throw new GlobError(unclosed('['));
      if (this.#characters[this.#at] === '[' && this.#characters[this.#at + 1] === ':')
        throw new GlobError('classes such as [:alpha:] are not known here; write the characters, as in [a-z].');
      const from = this.#member();
      const isRange = this.#characters[this.#at] === '-' && this.#characters[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      const to = isRange ? this.#member() : from;
      if (to < from)
        throw new GlobError(
          `the range ${String.fromCodePoint(from)}-${String.fromCodePoint(to)} runs backwards; write it the other way round.`,
        );
      ranges.push([from, to]);
    }
    this.#at++;
    return { take: 'set', negated, ranges };
  }

  #member(): number {
    if (this.#characters[this.#at] === '\\') this.#at++;
    if (this.#at >= this.#characters.length) throw new GlobError(unclosed('['));
    return this.#next().codePointAt(0) ?? 0;
  }

  #next(): string {
    return this.#characters[this.#at++] ?? '';
  }
}

/** An empty way counts too. */
function size(ways: readonly Step[][]): number {
  return ways.reduce((sum, steps) => sum + steps.length + 1, 0);
}

function unclosed(bracket: string): string {
  return `a ${bracket} is never closed; write \\${bracket} for the character itself.`;
}

/** Two stars in a row become one step, together with the slash that they belong to. */
function joinStars(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined) break;
    if (step.take !== 'star' || steps[at + 1]?.take !== 'star') {
      joined.push(step);
      continue;
    }
    const before = steps[at - 1];
    const after = steps[at + 2];
    if ((before !== undefined && !isSlash(before)) || (after !== undefined && !isSlash(after)))
      throw new GlobError('** must stand alone between slashes, as in src/**/*.ts; one * goes over a part of a name.');
    at += after === undefined ? 1 : 2;
    // `**/**` says no more than the second of them.
    if (after !== undefined && steps[at + 1]?.take === 'star' && steps[at + 2]?.take === 'star') continue;
    if (after !== undefined) joined.push({ take: 'folders' });
    else if (joined.length === 0) joined.push({ take: 'all' });
    else joined.splice(-1, 1, { take: 'below' });
  }
  return joined;
}

function isSlash(step: Step): boolean {
  return step.take === 'character' && step.character === '/';
}
