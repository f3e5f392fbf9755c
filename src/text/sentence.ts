/** The words of an error inside a longer message: they end as a sentence does, once. */

/** `text` with a full stop, unless it has an end already. */
export function sentence(text: string): string {
  const words = text.trimEnd();
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
