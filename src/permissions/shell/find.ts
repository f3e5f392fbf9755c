/** What `find` does with what it finds. */
import { endsCommand } from './findSearch.ts';
import type { Hidden } from './hidden.ts';
import { mayHoldOption } from './options.ts';
import { unread } from './unreadable.ts';
import { FOUND, textOf, UNKNOWN, type Word } from './word.ts';

export function findHides(words: readonly Word[]): Hidden {
  const commands: Word[][] = [];
  const ask: string[] = [];
  let unsure: string | undefined;
  let elsewhere = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    if (text === undefined) {
      if (mayHoldOption(word)) unsure = `may be told by ${word.source} to run a command or to delete: find`;
    } else if (text === '-delete') ask.push('deletes what it finds: find -delete');
    else if (text === '-files0-from') ask.push('looks in places that are only known when it runs: find -files0-from');
    else if (/^-f(print|printf|print0|ls)$/.test(text)) ask.push(`writes a file: find ${text}`);
    else if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const end = words.findIndex((_, index) => index > at && endsCommand(words, index));
      if (end < 0) {
        unsure = 'runs a command whose end cannot be seen: find';
        break;
      }
      const command = words.slice(at + 1, end);
      const whole = text.endsWith('dir') ? UNKNOWN : FOUND;
      commands.push(command.map((part) => withFound(part, whole)));
      if (text.endsWith('dir')) elsewhere = true;
      at = end;
    }
  }
  const found = { commands, elsewhere };
  return unsure === undefined ? { ...found, ask } : { ...found, ...unread(unsure), ask: [...ask, unsure] };
}

function withFound(word: Word, whole: Word): Word {
  const text = textOf(word);
  // What is found may be a folder or a link, and what stands behind it is not looked through.
  return text === '{}' ? whole : text?.includes('{}') === true ? { ...UNKNOWN, source: word.source } : word;
}
