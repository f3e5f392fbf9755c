/** Shapes of settings, with the words for what does not have them. */
import { z } from 'zod';

import { choice, expected, expectedKeys } from './explain.ts';

export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, { error: expectedKeys(Object.keys(shape)) });
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: expected(choice(values), values) });
}

export function text(pattern: RegExp, accepted: string, words = expected) {
  const error = words(accepted);
  return z.string({ error }).regex(pattern, { error });
}
