/** Texts of bounded length for records and questions: a rule or a command may be as long as it likes. */

/** At most `most` characters (code points); a text that is cut ends in `…`. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = [...text.slice(0, 2 * most)];
  return points.length <= most ? points.join('') : `${points.slice(0, most - 1).join('')}…`;
}

/** `a; b; c and 4 more` */
export function firstOf(texts: readonly string[], most: number): string {
  const distinct = [...new Set(texts)];
  const left = distinct.length - most;
  return distinct.slice(0, most).join('; ') + (left > 0 ? ` and ${left} more` : '');
}
