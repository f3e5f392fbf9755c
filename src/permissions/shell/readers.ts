/** Programs that read texts by a pattern or a script of their own: which word that is, and whether it does more than read. */
import type { Hidden } from './hidden.ts';
import { operandsOf, type Options } from './options.ts';
import { isPlainSed } from './sedScript.ts';
import { unread } from './unreadable.ts';
import { textOf, type Word } from './word.ts';

export function readerHides(words: readonly Word[], name: string): Hidden {
  if (/^[ef]?grep$|^[gz]grep$|^rg$/.test(name)) return grep(words);
  if (name === 'sed' || name === 'gsed') return sed(words, name);
  if (/^[gmn]?awk$/.test(name)) return awk(words, name);
  return {};
}

/** Of `grep` and its like those options that mean the same in all of them. */
const GREP: Options = {
  flags: 'inrRlLcvwxoHhsqEFGPaUzIuS',
  values: 'ABCmge',
  long: `line-number ignore-case recursive files-with-matches count word-regexp fixed-strings hidden no-ignore heading
    no-heading color=? colour=? include= exclude= exclude-dir= glob= regexp=`,
  anywhere: true,
};

/** The pattern is exempt from being a path only where it is certain which word that is. */
function grep(words: readonly Word[]): Hidden {
  const found = operandsOf(words.slice(1), GREP);
  const isNumber = (word: Word | undefined) => /^\d+$/.test(textOf(word) ?? '');
  if (found?.given.every(({ option, value }) => !/^-[ABCm]$/.test(option) || isNumber(value)) !== true) return {};
  const patterns = found.given
    .filter(({ option }) => option === '-e' || option === '--regexp')
    .map(({ value }) => value);
  return { notPaths: (patterns.length > 0 ? patterns : found.words.slice(0, 1)).filter((word) => word !== undefined) };
}

const SED_OPTIONS: Options = {
  flags: 'nErsuz',
  values: 'e',
  long: 'quiet silent regexp-extended null-data separate unbuffered expression=',
  anywhere: true,
};

function sed(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), SED_OPTIONS);
  if (found === undefined)
    return inPlace(words, name) ?? unread(`may write files or run commands, by its options: ${name}`);
  const given = found.given.flatMap(({ option, value }) =>
    option === '-e' || option === '--expression' ? [value] : [],
  );
  const scripts = given.length > 0 ? given : found.words.slice(0, 1);
  const plain = scripts.every((script) => isPlainSed(textOf(script) ?? ''));
  if (!plain) return unread(`may write files or run commands, by its script: ${name}`);
  return { notPaths: scripts.filter((script) => script !== undefined) };
}

/** `sed -i` with a plain script, which changes files and runs nothing. */
function inPlace(words: readonly Word[], name: string): Hidden | undefined {
  const others = words.filter(
    (word, index) => index === 0 || !/^(-i(\.\w+)?|--in-place(=.*)?)$/.test(textOf(word) ?? ''),
  );
  if (others.length === words.length) return undefined;
  return sed(others, name).ask === undefined ? { ask: [`changes files in their place: ${name}`] } : undefined;
}

function awk(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), { values: 'Fv' });
  const [program] = found?.words ?? [];
  const text = textOf(program);
  if (program === undefined || text === undefined || /system|getline|[|>@]|ARGV|\/inet/.test(text))
    return unread(`may write files or run commands, by its program: ${name}`);
  return { notPaths: [program] };
}
