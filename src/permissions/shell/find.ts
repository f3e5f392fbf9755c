/** What `find` does with what it finds. */
import type { Hidden } from './hidden.ts';
import { mayBeOption, textOf, UNKNOWN, type Word } from './word.ts';

export function findHides(words: readonly Word[]): Hidden {
  const commands: Word[][] = [];
  const ask: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = textOf(word);
    if (text === undefined) {
      if (mayBeOption(word)) ask.push(`may be told by ${word.source} to run a command or to delete: find`);
    } else if (text === '-delete') ask.push('deletes what it finds: find -delete');
    else if (/^-f(print|printf|print0|ls)$/.test(text)) ask.push(`writes a file: find ${text}`);
    else if (/^-(exec|execdir|ok|okdir)$/.test(text)) {
      const end = words.findIndex((_, index) => index > at && endsCommand(words, index));
      if (end < 0) {
        ask.push('runs a command whose end cannot be seen: find');
        break;
      }
      const command = words.slice(at + 1, end);
      commands.push(command.map((part) => (textOf(part)?.includes('{}') === true ? UNKNOWN : part)));
      if (text.endsWith('dir') && command.some((part) => part.source.includes('..')))
        ask.push('runs a command in folders that are only known when it runs: find');
      at = end;
    }
  }
  return { commands, ask };
}

function endsCommand(words: readonly Word[], at: number): boolean {
  const text = textOf(words[at]);
  return text === ';' || (text === '+' && textOf(words[at - 1]) === '{}');
}
