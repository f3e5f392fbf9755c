/**
 * Matches one way of a pattern. All places in the pattern to which the text so far may have led are kept as bits of whole numbers,
 * so no choice is ever taken back: each character of the text costs one step for each 32 places, whatever the pattern.
 */
import type { Step } from './globPattern.ts';

export interface GlobOptions {
  /** True for paths: `*`, `?` and `[]` stop at `/`, and only `**` goes over it. False for words, where `/` is like any character. */
  slash: boolean;
  ignoreCase?: boolean;
}

/** A step that takes one character, and so leads from its place to the next. */
type Single = Extract<Step, { take: 'character' | 'any' | 'set' }>;

const BITS = 32;
/** Different characters whose places are remembered. */
const MOST_KNOWN = 256;

export class GlobMachine {
  /** In the pattern: before and behind each character of a text that is matched. */
  readonly places: number;
  readonly #singles: Single[] = [];
  /** Places at which any character may pass; at those of `#stars` it may not be a slash if that stops them. */
  readonly #open: Int32Array;
  readonly #stars: Int32Array;
  readonly #both: Int32Array;
  /** Places of a `**` with a slash behind it: whoever comes there is behind it too. */
  readonly #skipped: Int32Array;
  readonly #ends: Int32Array;
  /** By {@link modeOf}, for each character the places from which it leads on. */
  readonly #known: readonly Map<string, Int32Array>[] = [new Map(), new Map(), new Map(), new Map()];
  #now: Int32Array;
  #next: Int32Array;

  constructor(steps: readonly Step[]) {
    this.places = steps.filter(({ take }) => take !== 'star' && take !== 'all').length + 1;
    const set = () => new Int32Array(Math.ceil(this.places / BITS));
    [this.#open, this.#stars, this.#skipped, this.#ends] = [set(), set(), set(), set()];
    const slash: Single = { take: 'character', character: '/' };
    for (const step of steps) {
      const place = this.#singles.length;
      if (step.take === 'star') mark(this.#stars, place);
      else if (step.take === 'all') mark(this.#open, place);
      else if (step.take === 'folders') {
        mark(this.#open, place);
        mark(this.#skipped, place);
        this.#singles.push(slash);
      } else if (step.take === 'below') {
        mark(this.#ends, place);
        mark(this.#open, place + 1);
        this.#singles.push(slash);
      } else this.#singles.push(step);
    }
    mark(this.#ends, this.#singles.length);
    this.#both = this.#open.map((word, at) => word | (this.#stars[at] ?? 0));
    [this.#now, this.#next] = [set(), set()];
  }

  /** Whether the whole of the text is what the pattern describes, and how many steps it took to tell. */
  run(characters: readonly string[], options: GlobOptions): { matched: boolean; steps: number } {
    this.#now.fill(0);
    mark(this.#now, 0);
    if (((this.#skipped[0] ?? 0) & 1) !== 0) mark(this.#now, 1);
    let steps = 0;
    for (const character of characters) {
      steps += this.#now.length;
      if (!this.#take(character, options)) return { matched: false, steps };
    }
    return { matched: this.#now.some((word, at) => (word & (this.#ends[at] ?? 0)) !== 0), steps };
  }

  /** False when no place is left. */
  #take(character: string, options: GlobOptions): boolean {
    const leading = this.#leading(character, options);
    const staying = options.slash && character === '/' ? this.#open : this.#both;
    const now = this.#now;
    const next = this.#next;
    let any = 0;
    let carried = 0;
    let carriedOver = 0;
    for (let at = 0; at < now.length; at++) {
      const here = now[at] ?? 0;
      const from = here & (leading[at] ?? 0);
      const to = (from << 1) | carried;
      carried = from >>> (BITS - 1);
      const over = to & (this.#skipped[at] ?? 0);
      const reached = to | (over << 1) | carriedOver | (here & (staying[at] ?? 0));
      carriedOver = over >>> (BITS - 1);
      next[at] = reached;
      any |= reached;
    }
    this.#now = next;
    this.#next = now;
    return any !== 0;
  }

  #leading(character: string, options: GlobOptions): Int32Array {
    const known = this.#known[modeOf(options)];
    const found = known?.get(character);
    if (found !== undefined) return found;
    const made = new Int32Array(this.#now.length);
    for (const [place, single] of this.#singles.entries()) if (takes(single, character, options)) mark(made, place);
    if (known !== undefined && known.size < MOST_KNOWN) known.set(character, made);
    return made;
  }
}

function mark(words: Int32Array, place: number): void {
  const at = Math.floor(place / BITS);
  words[at] = (words[at] ?? 0) | (1 << (place % BITS));
}

function modeOf({ slash, ignoreCase = false }: GlobOptions): number {
  return (slash ? 1 : 0) + (ignoreCase ? 2 : 0);
}

function takes(single: Single, character: string, { slash, ignoreCase = false }: GlobOptions): boolean {
  if (single.take === 'character')
    return ignoreCase ? folded(single.character) === folded(character) : single.character === character;
  if (slash && character === '/') return false;
  return single.take === 'any' || isIn(single, ignoreCase ? casesOf(character) : [character]);
}

function isIn({ negated, ranges }: Single & { take: 'set' }, cases: readonly string[]): boolean {
  const found = cases.some((one) => {
    const code = one.codePointAt(0) ?? 0;
    return ranges.some(([from, to]) => from <= code && code <= to);
  });
  return found !== negated;
}

/** One form of a character for all its letter cases. */
export function folded(character: string): string {
  return character.toUpperCase().toLowerCase();
}

function casesOf(character: string): string[] {
  // "ß" in capitals is two characters, which no set has.
  return [character, character.toLowerCase(), character.toUpperCase()].filter((one) => [...one].length === 1);
}
