/** How alike two short texts are, for "did you mean": by the pairs of neighbouring characters that they share. */

/** From 0 (nothing in common) to 1 (the same), letter case aside. */
export function similarity(a: string, b: string): number {
  return similarityTo(a)(b);
}

/** {@link similarity} to one text, for many others. */
export function similarityTo(text: string): (other: string) => number {
  const lower = text.toLowerCase();
  /** By pair: its number. */
  const pairs = new Map<number, number>();
  /** By number: how often the text has the pair. */
  const counts: number[] = [];
  for (let at = 0; at + 1 < lower.length; at++) {
    const pair = pairAt(lower, at);
    const number = pairs.get(pair) ?? counts.length;
    pairs.set(pair, number);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  const left = new Int32Array(counts.length);
  return (other) => {
    const second = other.toLowerCase();
    if (lower.length < 2 || second.length < 2) return lower === second ? 1 : 0;
    left.set(counts);
    let shared = 0;
    for (let at = 0; at + 1 < second.length; at++) {
      const number = pairs.get(pairAt(second, at));
      if (number === undefined || left[number] === 0) continue;
      left[number] = (left[number] ?? 0) - 1;
      shared++;
    }
    return (2 * shared) / (lower.length + second.length - 2);
  };
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
