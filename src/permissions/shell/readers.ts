/** Programs that read texts by a pattern or a script of their own: which word that is, and whether it does more than read. */
import type { Hidden } from './hidden.ts';
import { operandsOf, type Options } from './options.ts';
import { mayBeOption, textOf, type Word } from './word.ts';

export function readerHides(words: readonly Word[], name: string): Hidden {
  if (/^[ef]?grep$|^[gz]grep$|^rg$/.test(name)) return grep(words);
  if (name === 'sed' || name === 'gsed') return sed(words, name);
  if (/^[gmn]?awk$/.test(name)) return awk(words, name);
  return {};
}

const GREP: Options = {
  flags: 'inrRlLcvwxoHhsqEFGPaUzIuS',
  values: 'ABCmg',
  long: `line-number ignore-case recursive files-with-matches count word-regexp fixed-strings hidden no-ignore heading
    no-heading color include= exclude= exclude-dir= glob= color=`,
};

/** Without an option that gives the pattern, the first operand is it. */
function grep(words: readonly Word[]): Hidden {
  const [pattern, ...files] = operandsOf(words.slice(1), GREP)?.words ?? [];
  // Options may stand behind the operands, and `-e` there would make the first one a file.
  return pattern === undefined || files.some(mayBeOption) ? {} : { notPaths: [pattern] };
}

/**
 * An address, and commands that print, delete or substitute. Others read and write files (`r`, `w`) and run commands (`e`). Which
 * character ends an expression with brackets differs among programs, so it may not be in them.
 */
const SEPARATORS = ['/', '|', '#', ','];
const replacement = (end: string) => String.raw`(?:[^${end}\\\n]|\\[^\n])*`;
const expression = (end: string) => String.raw`(?:[^${end}\\\n[]|\\[^\n]|\[\^?[^\]${end}\\\n[]+\])*`;
const ADDRESS = String.raw`(?:\d+|\$|/${expression('/')}/I?)`;
const SUBSTITUTE = SEPARATORS.map((end) => String.raw`[${end}]${expression(end)}[${end}]${replacement(end)}[${end}]`);
const COMMAND = String.raw`(?:[pdqnNgGhHxlPD=]|s(?:${SUBSTITUTE.join('|')})[gpiI\d]*)`;
const SED = new RegExp(String.raw`^(?:(?:${ADDRESS}(?:,${ADDRESS})?!? ?)?${COMMAND} ?(?:[;\n] ?|$))+$`);
const LONGEST_SCRIPT = 1000;

function sed(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), {
    flags: 'nErsuz',
    values: 'e',
    long: 'quiet silent regexp-extended null-data separate unbuffered expression=',
  });
  if (found === undefined) return { ask: [`may write files or run commands, by its options: ${name}`] };
  const given = found.given.flatMap(({ option, value }) =>
    option === '-e' || option === '--expression' ? [value] : [],
  );
  const scripts = given.length > 0 ? given : found.words.slice(0, 1);
  const plain = scripts.every((script) => {
    const text = textOf(script) ?? '\0';
    return text.length <= LONGEST_SCRIPT && SED.test(text);
  });
  // An option may stand behind the operands too.
  const late = found.words.some((word) => textOf(word)?.startsWith('-') === true && textOf(word) !== '-');
  if (!plain || late) return { ask: [`may write files or run commands, by its script: ${name}`] };
  return { notPaths: scripts.filter((script) => script !== undefined) };
}

function awk(words: readonly Word[], name: string): Hidden {
  const found = operandsOf(words.slice(1), { values: 'Fv' });
  const [program] = found?.words ?? [];
  const text = textOf(program);
  if (program === undefined || text === undefined || /system|getline|[|>@]|ARGV|\/inet/.test(text))
    return { ask: [`may write files or run commands, by its program: ${name}`] };
  return { notPaths: [program] };
}
