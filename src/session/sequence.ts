/**
 * The number in the name of a journal or a lock, which counts from 1. Undefined for what nobody writes so (`07`, `0`, a number
 * too large to be counted to): the file is none of ours.
 */
export function sequenceNumber(digits: string): number | undefined {
  const number = Number(digits);
  return Number.isSafeInteger(number) && number > 0 && String(number) === digits ? number : undefined;
}
