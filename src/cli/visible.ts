/** Text of the model or of a file on a terminal: data, never a command to the terminal. */
import { visible } from '../session/visible.ts';

/** Control characters but line breaks and tabs become escapes; what only looks strange stays, as it does in an answer. */
export function terminalText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, (control) => visible(control));
}

/** For what a person decides on: whatever cannot be seen, or turns the text around it, becomes an escape. */
export function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', '    ')))
    .join('\n');
}

/** The same on one line, cut at `length` characters. */
export function plainLine(text: string, length = 200): string {
  const points = [...text.trim().replaceAll(/\s+/g, ' ')];
  return visible(points.length <= length ? points.join('') : `${points.slice(0, length - 1).join('')}…`);
}
