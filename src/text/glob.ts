/**
 * Globs, matched in time that grows with pattern times text and never more: no regular expression is made of a pattern, since a
 * pattern may come from a model or from a project's file.
 *
 * `*` any run of characters · `?` one · `[a-z]`, `[!a-z]` one of these, none of these · `{a,b}` either · `\x` the character x
 * itself · `**` as a whole path segment: any number of folders, none included. `src/**` is also `src` itself. Names that begin
 * with a dot are names like others.
 */

/** A parsed pattern; what is in it is the business of this file. */
export interface Glob {
  /** One for each way to choose among the braces. */
  readonly ways: readonly Way[];
}

interface Way {
  steps: readonly Step[];
  /** What every match begins and ends with, letter case included: most texts are told apart by that. */
  head: string;
  tail: string;
}

export interface GlobOptions {
  /** True for paths: `*`, `?` and `[]` stop at `/`, and only `**` goes over it. False for words, where `/` is like any character. */
  slash: boolean;
  ignoreCase?: boolean;
}

/** A machine's instruction; each takes one character, except `star`, `folders` and `below`, which take any number. */
type Step =
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

/** The message of `error` says what is wrong and what would be accepted; it is meant to stand behind the pattern. */
export function parseGlob(text: string): Glob | { error: string } {
  try {
    if (text === '') throw new GlobError('an empty pattern matches nothing; ** matches everything.');
    if (text.length > LONGEST) throw new GlobError(`a pattern has at most ${LONGEST} characters.`);
    return { ways: new Parser(text).parse().map((steps) => wayOf(joinStars(steps))) };
  } catch (error) {
    if (error instanceof GlobError) return { error: error.message };
    throw error;
  }
}

/** Whether the whole of `text` is what the pattern describes. */
export function matchesGlob(glob: Glob, text: string, options: GlobOptions): boolean {
  return runGlob(glob, text, options).matched;
}

/** {@link matchesGlob} with the number of steps it took, by which its cost can be tested. */
export function runGlob({ ways }: Glob, text: string, options: GlobOptions): { matched: boolean; steps: number } {
  let characters: string[] | undefined;
  let steps = 0;
  for (const way of ways) {
    if (options.ignoreCase !== true && !(text.startsWith(way.head) && text.endsWith(way.tail))) continue;
    const machine = new Machine(way.steps, options);
    const matched = machine.run((characters ??= [...text]));
    steps += machine.steps;
    if (matched) return { matched, steps };
  }
  return { matched: false, steps };
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
      if (size(ways) * next.length + size(next) * ways.length > MOST_STEPS)
        throw new GlobError('its braces stand for too many patterns; write some of them as patterns of their own.');
      if (ways.length === 1 && next.length === 1) ways[0]?.push(...(next[0] ?? []));
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

function wayOf(steps: readonly Step[]): Way {
  const literal = (list: readonly Step[]) => {
    const end = list.findIndex(({ take }) => take !== 'character');
    return list.slice(0, end === -1 ? undefined : end).map((step) => ('character' in step ? step.character : ''));
  };
  return { steps, head: literal(steps).join(''), tail: literal(steps.toReversed()).reverse().join('') };
}

function isSlash(step: Step): boolean {
  return step.take === 'character' && step.character === '/';
}

/** Keeps all places in the pattern where the text so far may have led, so that no choice is ever taken back. */
class Machine {
  /** How often a place was looked at. */
  steps = 0;
  readonly #way: readonly Step[];
  readonly #options: GlobOptions;
  readonly #literals: readonly (string | undefined)[];
  /** Twice the index of a step; one more when the text is within a step that takes any number of characters. */
  #places: number[] = [];
  /** For each place the round in which it was last added. */
  readonly #added: Int32Array;
  #round = 0;

  constructor(way: readonly Step[], options: GlobOptions) {
    this.#way = way;
    this.#options = options;
    this.#literals = way.map((step) => (step.take === 'character' ? this.#folded(step.character) : undefined));
    this.#added = new Int32Array(2 * way.length + 2).fill(-1);
  }

  run(characters: readonly string[]): boolean {
    this.#enter(0, this.#places);
    for (const character of characters) {
      if (this.#places.length === 0) return false;
      this.#round++;
      const next: number[] = [];
      for (const place of this.#places) {
        this.steps++;
        this.#advance(place, character, next);
      }
      this.#places = next;
    }
    return this.#places.includes(2 * this.#way.length);
  }

  /** Adds the beginning of a step, and of those behind it as long as a step may take nothing. */
  #enter(step: number, places: number[]): void {
    for (let index = step; this.#add(2 * index, places); index++) {
      this.steps++;
      const take = this.#way[index]?.take;
      if (take !== 'star' && take !== 'folders' && take !== 'below' && take !== 'all') return;
    }
  }

  #add(place: number, places: number[]): boolean {
    if (this.#added[place] === this.#round) return false;
    this.#added[place] = this.#round;
    places.push(place);
    return true;
  }

  #advance(place: number, character: string, next: number[]): void {
    const index = place >> 1;
    const step = this.#way[index];
    if (step === undefined) return;
    switch (step.take) {
      case 'character':
        if (this.#literals[index] === this.#folded(character)) this.#enter(index + 1, next);
        return;
      case 'any':
        if (!this.#stops(character)) this.#enter(index + 1, next);
        return;
      case 'set':
        if (!this.#stops(character) && this.#isIn(step, character)) this.#enter(index + 1, next);
        return;
      case 'star':
        if (!this.#stops(character)) this.#enter(index, next);
        return;
      case 'all':
        this.#enter(index, next);
        return;
      case 'folders':
        // Within it only a slash leads on.
        this.#add(2 * index + 1, next);
        if (character === '/') this.#enter(index + 1, next);
        return;
      case 'below':
        if (place === 2 * index && character !== '/') return;
        this.#add(2 * index + 1, next);
        this.#enter(index + 1, next);
    }
  }

  #stops(character: string): boolean {
    return this.#options.slash && character === '/';
  }

  #isIn({ negated, ranges }: Step & { take: 'set' }, character: string): boolean {
    const cases = this.#options.ignoreCase === true ? casesOf(character) : [character];
    const isIn = cases.some((one) => {
      const code = one.codePointAt(0) ?? 0;
      return ranges.some(([from, to]) => from <= code && code <= to);
    });
    return isIn !== negated;
  }

  #folded(character: string): string {
    return this.#options.ignoreCase === true ? character.toUpperCase().toLowerCase() : character;
  }
}

function casesOf(character: string): string[] {
  // "ß" in capitals is two characters, which no set has.
  return [character, character.toLowerCase(), character.toUpperCase()].filter((one) => [...one].length === 1);
}
