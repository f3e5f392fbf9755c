/** "Did you mean …?": the candidate that a mistyped word is close to. */

/** Nobody mistypes what is longer; comparing takes time with the square of this. */
const LONGEST = 80;

/**
 * The candidate that needs the fewest letters changed, added, removed or swapped to become `word`; undefined when the best
 * needs more than a third of its letters (two at least, one in a word of four), because a wrong guess is worse than none.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const allowed = candidate.length > 4 ? Math.max(2, candidate.length / 3) : Math.min(1, candidate.length - 1);
    if (Math.abs(word.length - candidate.length) > allowed || candidate.length > LONGEST) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** ` Did you mean "model"?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  return question(nearest(word, candidates));
}

/** The same for what was found otherwise. */
export function question(meant: string | undefined): string {
  return meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
}

/** Optimal string alignment over UTF-16 units: good enough for words that a person mistypes. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforePrevious[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
