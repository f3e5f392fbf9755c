/** Cutting text between code points, never inside one (a cut emoji leaves half a character, which no provider accepts). */

/** Number of code points. */
export function codePointLength(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) count++;
  return count;
}

/** The first `count` code points. */
export function takeStart(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += unitsAt(text, end);
  return text.slice(0, end);
}

/** The last `count` code points. */
export function takeEnd(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken++) start -= unitsBefore(text, start);
  return text.slice(start);
}

/** At most `count` code points (one at least); a text that is cut ends in `…`. */
export function shorten(text: string, count: number): string {
  const start = takeStart(text, count);
  return start.length === text.length ? text : `${takeStart(start, count - 1)}…`;
}

/** On one line, for titles. */
export function oneLine(text: string, count = 200): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), count);
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function unitsBefore(text: string, end: number): number {
  return end >= 2 && unitsAt(text, end - 2) === 2 ? 2 : 1;
}
