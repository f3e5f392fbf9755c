/**
 * What `use` resolves to. Its signal fires with the reason of `signal` when that does, and after `ms`. A timer that is held, not
 * `AbortSignal.timeout`: Node 20 may collect that as garbage, and everything that waits for it then waits for ever.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal,
  use: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const onAbort = () => limited.abort(signal.reason);
  const timer = setTimeout(() => limited.abort(new DOMException(`longer than ${ms} ms`, 'TimeoutError')), ms);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await use(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
