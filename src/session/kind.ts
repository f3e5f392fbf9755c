/** Narrowing of parts, beside the zod schemas and not among them: the panel's bundle has the one without the other. */
import type { KnownPart, Part } from './schema.ts';

/** Narrows a part to one of the record's types; `isKind(part, 'tool')`. */
export function isKind<K extends KnownPart['type']>(part: Part, kind: K): part is Extract<KnownPart, { type: K }> {
  return part.type === kind;
}
