/** Where a text stands in another one. */

/** Up to this many steps are left to the engine, whose search is fast but takes their product for texts made for it. */
const CHEAP = 100_000_000;

/**
 * The first `most` offsets, in UTF-16 units, at which `wanted` (not empty) begins in `text`; `overlapping` counts those inside of
 * another one too. Takes time with the length of both, whatever they are.
 */
export function occurrences(text: string, wanted: string, most: number, overlapping: boolean): number[] {
  return text.length * wanted.length <= CHEAP
    ? byEngine(text, wanted, most, overlapping)
    : byBorders(text, wanted, most, overlapping);
}

function byEngine(text: string, wanted: string, most: number, overlapping: boolean): number[] {
  const starts: number[] = [];
  const step = overlapping ? 1 : wanted.length;
  for (let at = text.indexOf(wanted); at !== -1 && starts.length < most; at = text.indexOf(wanted, at + step))
    starts.push(at);
  return starts;
}

/** The algorithm of Knuth, Morris and Pratt. */
function byBorders(text: string, wanted: string, most: number, overlapping: boolean): number[] {
  const borders = new Int32Array(wanted.length + 1);
  for (let at = 1, length = 0; at < wanted.length; at++) {
    const unit = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length] ?? 0;
    if (wanted.charCodeAt(length) === unit) length++;
    borders[at + 1] = length;
  }
  const starts: number[] = [];
  for (let at = 0, length = 0; at < text.length && starts.length < most; at++) {
    const unit = text.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length] ?? 0;
    if (wanted.charCodeAt(length) === unit) length++;
    if (length < wanted.length) continue;
    starts.push(at + 1 - length);
    length = overlapping ? (borders[length] ?? 0) : 0;
  }
  return starts;
}
