/** Text of the model or of a file on a terminal: data, never a command to the terminal. */
import { visible, visibleLine } from '../session/visible.ts';
import { oneLine } from '../tools/codePoints.ts';

/** Control characters but line breaks and tabs are spelled out; what only looks strange stays, as it does in an answer. */
export function terminalText(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, (control) => visible(control));
}

/** For what a person decides on: whatever cannot be seen, or turns the text around it, is spelled out. */
export function plainLines(text: string): string {
  return visible(text.replaceAll('\t', '    '));
}

/** The same on one line, cut at `length` characters. */
export function plainLine(text: string, length = 200): string {
  return visibleLine(oneLine(text, length));
}
