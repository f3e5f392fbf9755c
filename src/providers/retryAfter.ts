/**
 * How long a failed answer asks to wait, in milliseconds, from `retry-after-ms` and `retry-after` (seconds or a date); undefined
 * when it does not say. The longer one counts: some servers send 0 in the one and a second in the other. A time in the past is 0.
 */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = numberOf(headers?.get('retry-after-ms'));
  const value = headers?.get('retry-after');
  const seconds = numberOf(value);
  const date = seconds === undefined && value != null ? Date.parse(value) : NaN;
  const waits = [
    milliseconds,
    seconds === undefined ? undefined : seconds * 1000,
    Number.isNaN(date) ? undefined : date - now,
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(0, Math.ceil(Math.max(...waits)));
}

function numberOf(value: string | null | undefined): number | undefined {
  return value != null && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
