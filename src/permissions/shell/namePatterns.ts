/** Patterns for names of files that programs other than the shell read. */
import { parseGlob, type Glob } from '../../text/glob.ts';

/** `?` is a character or a byte, and the rest is read in more than one way. */
const UNSURE = /[?[\]{}\\!^/]/;

/** As globs, where it is certain what all of them match; else none, which stands for all names. `form`: only if they are such. */
export function plainNames(patterns: readonly (string | undefined)[], form = /^/): Glob[] {
  const globs = patterns.flatMap((text) => {
    if (text === undefined || text === '' || UNSURE.test(text) || !form.test(text)) return [];
    const glob = parseGlob(text);
    return 'error' in glob ? [] : [glob];
  });
  return globs.length === patterns.length ? globs : [];
}
