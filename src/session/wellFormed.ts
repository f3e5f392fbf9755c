/**
 * A copy of JSON-like data in which every string, keys included, is well-formed Unicode: lone surrogates become U+FFFD. What
 * enters a session, from a file or by an event, passes here once, so that the record and all that is made of it are clean.
 */
export function wellFormed<T>(value: T): T;
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed<unknown>(item)]),
    );
  return value;
}
