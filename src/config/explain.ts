/** The words of a configuration error: what would be accepted, what stands there instead, and what was probably meant. */
import type { z } from 'zod';

import { visible } from '../session/visible.ts';
import { didYouMean } from '../text/nearest.ts';

type Issue = z.core.$ZodRawIssue;

const SHOWN_LENGTH = 60;

/** `"a", "b" or "c"` */
export function choice(values: readonly string[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}

/** A zod `error`: `must be <accepted>, not <what stands there>.` and the near one of `candidates`. */
export function expected(accepted: string, candidates: readonly string[] = []): (issue: Issue) => string {
  return ({ input }) => {
    if (input === undefined) return `is missing; it must be ${accepted}.`;
    return `must be ${accepted}, not ${shown(input)}.${typeof input === 'string' ? didYouMean(input, candidates) : ''}`;
  };
}

/** Like {@link expected}, for what must not be repeated: somebody may have written a key there. */
export function expectedUnseen(accepted: string): (issue: Issue) => string {
  return ({ input }) => `${input === undefined ? 'is missing; it must' : 'must'} be ${accepted}.`;
}

/** A zod `error` of a strict object: for unknown keys one line each, in the order of the issue's `keys`. */
export function expectedKeys(accepted: readonly string[], object = 'an object: { … }'): (issue: Issue) => string {
  const otherwise = expected(object);
  return (issue) => {
    if (issue.code !== 'unrecognized_keys') return otherwise(issue);
    const known = `is not known here; there are: ${accepted.join(', ')}.`;
    return issue.keys.map((key) => known + didYouMean(key, accepted)).join('\n');
  };
}

function shown(value: unknown): string {
  const points = [...visible(JSON.stringify(value))];
  return points.length <= SHOWN_LENGTH ? points.join('') : `${points.slice(0, SHOWN_LENGTH).join('')}…`;
}
