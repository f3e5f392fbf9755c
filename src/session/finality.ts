import { isKind } from './kind.ts';
import type { Part } from './schema.ts';

/**
 * Whether nothing may be written any more to the part at `position` of a turn that still runs: a tool part when its output is
 * in; text and thinking when something else follows, because until then it streams, or waits for the provider's data, which
 * comes before the calls of the answer are logged.
 */
export function isFinal(parts: readonly Part[], position: number): boolean {
  const part = parts[position];
  if (part === undefined) return false;
  if (isKind(part, 'tool')) return part.output !== undefined;
  if (isKind(part, 'text') || isKind(part, 'thinking'))
    return parts.slice(position + 1).some((later) => !isKind(later, 'text') && !isKind(later, 'thinking'));
  return true;
}

/** How many parts at the beginning of a running turn are final. */
export function finalParts(parts: readonly Part[]): number {
  let count = 0;
  while (count < parts.length && isFinal(parts, count)) count++;
  return count;
}
