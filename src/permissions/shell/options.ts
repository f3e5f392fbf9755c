/** Where the options of a program end and its operands begin. */
import { textOf, type Word } from './word.ts';

/** The options of a program that are known; any other one makes its words unreadable. */
export interface Options {
  /** Letters that stand alone, such as `-x`. */
  flags?: string;
  /** Letters with a value, in the same word or the next. */
  values?: string;
  longFlags?: readonly string[];
  /** Long options with a value, behind `=` or in the next word. */
  longValues?: readonly string[];
}

export interface Operands {
  words: readonly Word[];
  /** The options, each with its value if it has one: `-u`, `--user`. */
  given: readonly { option: string; value: Word | undefined }[];
}

/** What follows the options of `words`, which are without the program's name; undefined when that cannot be told. */
export function operandsOf(words: readonly Word[], options: Options): Operands | undefined {
  const given: { option: string; value: Word | undefined }[] = [];
  for (let at = 0; at < words.length; at++) {
    const text = textOf(words[at]);
    if (text === undefined) return { words: words.slice(at), given };
    if (text === '--') return { words: words.slice(at + 1), given };
    if (!text.startsWith('-') || text === '-') return { words: words.slice(at), given };
    if (text.startsWith('--')) {
      const [option = '', ...value] = text.split('=');
      const takes = options.longValues?.includes(option) === true;
      if (!takes && options.longFlags?.includes(option) !== true) return undefined;
      if (!takes && value.length > 0) return undefined;
      given.push({ option, value: takes && value.length === 0 ? words[++at] : rest(value.join('=')) });
      continue;
    }
    for (let letter = 1; letter < text.length; letter++) {
      const option = text[letter] ?? '';
      if (options.values?.includes(option) === true) {
        const attached = text.slice(letter + 1);
        given.push({ option: `-${option}`, value: attached === '' ? words[++at] : rest(attached) });
        break;
      }
      if (options.flags?.includes(option) !== true) return undefined;
      given.push({ option: `-${option}`, value: undefined });
    }
  }
  return { words: [], given };
}

function rest(text: string): Word {
  return { pieces: [{ is: 'text', text, quoted: true }], source: text };
}
