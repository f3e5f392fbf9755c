/**
 * Text of any kind as a block of a Markdown document, so that nothing in it can end the block or be taken for the document's own
 * structure, and nothing of it is lost.
 */

import { visible } from '../session/visible.ts';

/**
 * Verbatim, in a code fence longer than any run of backticks in the text. A parser gives the text back with one line break
 * more at its end.
 */
export function fence(text: string, language = 'text'): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  // A CR at the end would make one line end with the line feed that is added.
  return `${ticks}${language}\n${text}${text.endsWith('\r') ? '\n' : ''}\n${ticks}\n`;
}

/** Rendered as the Markdown it is, in a block quote: a heading, an open fence or a comment in it ends with the quote. */
export function quote(markdown: string): string {
  // A lone CR is a line end for Markdown too.
  return `> ${markdown.replaceAll(/\r\n|\n|\r/g, (end) => `${end}> `)}\n`;
}

/** One value on one line, as a code span. Line breaks and tabs are shown as escapes, and what else cannot be seen is spelled out. */
export function code(value: string): string {
  const line = visible(value.replaceAll(/[\n\r\t]/g, (control) => JSON.stringify(control).slice(1, -1)));
  if (line.trim() === '') return `\`${JSON.stringify(line)}\``;
  const ticks = '`'.repeat(longestRun(line, '`') + 1);
  // A parser takes one space off each end; a backtick there would lengthen the delimiter.
  const padding = /^[` ]|[` ]$/.test(line) ? ' ' : '';
  return `${ticks}${padding}${line}${padding}${ticks}`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (let index = 0; index < text.length; index++) {
    run = text[index] === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
