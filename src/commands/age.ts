/** How long ago something was, as a person would say it. */

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date; for what is no time, `at an unknown time`. */
export function age(timestamp: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(timestamp)) / 60_000);
  if (Number.isNaN(minutes)) return 'at an unknown time';
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days <= 30 ? `${days} day${days === 1 ? '' : 's'} ago` : new Date(timestamp).toISOString().slice(0, 10);
}
