import { codePointLength } from '../text/codePoints.ts';

/**
 * As many whole lines as fit into `room` code points together with the remarks, which follow them; `missing` words how many of
 * the `total` are not shown.
 */
export function fitLines(
  lines: readonly string[],
  total: number,
  room: number,
  missing: (count: number) => string,
  remarks: readonly string[],
): string {
  const tail = remarks.length === 0 ? 0 : codePointLength(remarks.join('\n')) + 1;
  // The remark on what is missing is longest when all of it is.
  let left = room - tail - codePointLength(missing(total)) - 1;
  const shown: string[] = [];
  for (const line of lines) {
    left -= codePointLength(line) + 1;
    if (left < 0) break;
    shown.push(line);
  }
  return [...shown, ...(shown.length < total ? [missing(total - shown.length)] : []), ...remarks].join('\n');
}
