/** Nothing that is written is nested deeper: what lies beyond overflows the stack of whoever walks it. */
export const MOST_LEVELS = 200;

export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => deeperThan(item, levels - 1));
}
