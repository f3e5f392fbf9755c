/** Texts of bounded length for records and questions: a rule or a command may be as long as it likes. */

/** At most `most` characters (code points); a text that is cut ends in `…`. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = [...text.slice(0, 2 * most)];
  return points.length <= most ? points.join('') : `${points.slice(0, most - 1).join('')}…`;
}

/** Each once, on a line of its own. */
export function distinctLines(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.replaceAll(/\s+/g, ' ')))].join('\n');
}
