/** Commands of the shell itself by which a word becomes code, or other commands change. */
import type { Hidden, HiddenReader } from './hidden.ts';
import { joined } from './runners.ts';
import { unread } from './unreadable.ts';
import { isOfTheLine, namesSetBy } from './variables.ts';
import { textOf, type Word } from './word.ts';

export const BUILTINS: ReadonlyMap<string, HiddenReader> = new Map<string, HiddenReader>([
  ['eval', (words, name) => joined(words.slice(1), name)],
  ['trap', trap],
  ['read', setsVariables],
  ['mapfile', setsVariables],
  ['readarray', setsVariables],
  ['getopts', setsVariables],
  ['printf', setsVariables],
  ['wait', setsVariables],
  ['let', (_, name) => unread(`calculates, which may run what a variable holds: ${name}`)],
  ['set', setOptions],
  ['test', test],
  ['[', test],
]);

function trap(words: readonly Word[], name: string): Hidden {
  const given = words.slice(textOf(words[1]) === '--' ? 2 : 1);
  if (/^(-|-[lp])?$/.test(textOf(given[0]) ?? 'x')) return {};
  return joined(given.slice(0, 1), name);
}

/** What these set must be variables of the line itself; a name such as `a[$(…)]` would be run. */
function setsVariables(words: readonly Word[], name: string): Hidden {
  const isFine = namesSetBy(name, words.slice(1))?.every(isOfTheLine) === true;
  return isFine ? {} : unread(`may change what other commands do, by the variables it sets: ${name}`);
}

function setOptions(words: readonly Word[], name: string): Hidden {
  const given = words.slice(1).map((word) => textOf(word) ?? '?');
  const fine = given.every((text) => /^([-+][euxvf]*o?|errexit|nounset|pipefail|xtrace|noglob)$/.test(text));
  return fine ? {} : unread(`changes what later commands mean: ${name}`);
}

const UNARY = /^-[a-zA-Z]$/;
const BINARY = /^([=!]?=|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** With `-v` and `-R` the name of a variable is looked up, and what is in brackets behind that is run. */
function test(words: readonly Word[], name: string): Hidden {
  const given = words.slice(1, name === '[' ? -1 : words.length);
  const texts = given.map((word) => textOf(word));
  const calculates = texts.some((text) => text === '-v' || text === '-R' || text?.includes('$(') === true);
  const [first = '', second = ''] = texts[0] === '!' ? texts.slice(1) : texts;
  const count = given.length - (texts[0] === '!' ? 1 : 0);
  // Only then what is not known cannot turn out to be an operator.
  const isFixed = count < 2 || (count === 2 && UNARY.test(first)) || (count === 3 && BINARY.test(second));
  if (!calculates && (!texts.includes(undefined) || (isFixed && given.every(isOneWord)))) return {};
  return unread('may look up a variable by a name that runs something: test');
}

/** Not several words, whatever the variables in it hold. */
function isOneWord({ pieces, source }: Word): boolean {
  const isQuoted = /^"[^"]*"$/.test(source);
  return pieces.every(
    (piece) =>
      piece.is === 'text' ||
      piece.is === 'home' ||
      (piece.is === 'here' && isQuoted) ||
      (piece.is === 'unknown' && (piece.noPath === true || (piece.quoted === true && piece.variable !== '@'))),
  );
}
