/** How alike two short texts are, for "did you mean": by the pairs of neighbouring characters that they share. */

/** From 0 (nothing in common) to 1 (the same), letter case aside. */
export function similarity(a: string, b: string): number {
  const pairs = pairsOf(a);
  const others = pairsOf(b);
  if (pairs.length === 0 || others.length === 0) return a.toLowerCase() === b.toLowerCase() ? 1 : 0;
  const left = new Map<string, number>();
  for (const pair of pairs) left.set(pair, (left.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of others) {
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared++;
  }
  return (2 * shared) / (pairs.length + others.length);
}

function pairsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return Array.from({ length: Math.max(0, lower.length - 1) }, (_, at) => lower.slice(at, at + 2));
}
