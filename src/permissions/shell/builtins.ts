/** Commands of the shell itself by which a word becomes code, or other commands change. */
import type { Hidden, HiddenReader } from './hidden.ts';
import { findOption } from './options.ts';
import { joined } from './runners.ts';
import { unread } from './unreadable.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

export const BUILTINS: ReadonlyMap<string, HiddenReader> = new Map<string, HiddenReader>([
  ['eval', (words, name) => joined(words.slice(1), name)],
  ['trap', trap],
  ['read', setsVariables],
  ['mapfile', setsVariables],
  ['readarray', setsVariables],
  ['getopts', setsVariables],
  ['printf', printf],
  ['wait', wait],
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
  const fine = words.slice(1).every((word) => /^([a-z][a-z0-9_]*|-[rvs]+|-[adnNtup]|\d+)$/.test(textOf(word) ?? ''));
  return fine ? {} : unread(`may change what other commands do, by the variables it sets: ${name}`);
}

function printf(words: readonly Word[], name: string): Hidden {
  const [, option] = words;
  if (option === undefined) return {};
  const text = textOf(option);
  return text === undefined
    ? mayBeOption(option)
      ? setsVariables(words, name)
      : {}
    : text.startsWith('-v')
      ? setsVariables(words.slice(0, 3), name)
      : {};
}

function wait(words: readonly Word[], name: string): Hidden {
  // The number of the last process in the background.
  const given = words.slice(1).filter(({ source }) => !/^("?)\$!\1$/.test(source));
  return findOption(given, { letters: 'p' }) === undefined ? {} : setsVariables(words, name);
}

function setOptions(words: readonly Word[], name: string): Hidden {
  const given = words.slice(1).map((word) => textOf(word) ?? '?');
  const fine = given.every((text) => /^([-+][euxvf]*o?|errexit|nounset|pipefail|xtrace|noglob)$/.test(text));
  return fine ? {} : unread(`changes what later commands mean: ${name}`);
}

function test(words: readonly Word[]): Hidden {
  const calculates = words.some(
    (word) => ['-v', '-R'].includes(textOf(word) ?? '') || (textOf(word) ?? '').includes('$('),
  );
  return calculates ? unread('looks up a variable by a name that may run something: test') : {};
}
