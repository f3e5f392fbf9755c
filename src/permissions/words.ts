/** For records and questions, which are no longer however many reasons there are: `a; b; c and 4 more`. */
export function firstOf(texts: readonly string[], most: number): string {
  const distinct = [...new Set(texts)];
  const left = distinct.length - most;
  return distinct.slice(0, most).join('; ') + (left > 0 ? ` and ${left} more` : '');
}
