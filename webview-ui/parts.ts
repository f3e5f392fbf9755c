/** Narrowing of parts, without the zod schemas that stand beside it in src/session/schema.ts: they would triple the bundle. */
import type { KnownPart, Part } from '../src/session/schema.ts';

export function isKind<K extends KnownPart['type']>(part: Part, kind: K): part is Extract<KnownPart, { type: K }> {
  return part.type === kind;
}
