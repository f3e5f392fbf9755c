import type { Session } from '../../src/session/schema.ts';

/** As text, independent of the order of keys. */
export function canonical(value: Session): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
