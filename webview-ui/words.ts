/** Numbers as a person reads them. */

/** `8s`, `1m 5s`, `2h 3m`; never less than a second, so that a thing that took place took time. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Milliseconds between two timestamps of the record; undefined when one is missing or no time. */
export function between(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `987`, `1.2k`, `34k`, `1.5M`. */
export function roughly(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999_500) return `${short(value / 1000)}k`;
  return `${short(value / 1_000_000)}M`;
}

function short(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** `1 line`, `2 lines`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
