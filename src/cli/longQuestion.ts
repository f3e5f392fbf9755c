/** A question about a text that may be long: only who was shown all of it can say yes. */
import { askLine, terminal, type LineQuestion } from './lineQuestion.ts';

/** More on end is not read, and the beginning leaves what a terminal keeps. A long line counts for as many as it takes. */
const MOST_AT_ONCE = 200;
const WIDTH = 100;

/**
 * Asks below `lines`, which are fit for a terminal. While there are more of them to come, `v` shows the next ones, an answer that
 * begins with `n` and an empty one count, and nothing else does. Undefined as with {@link askLine}.
 */
export async function askBelow(
  lines: readonly string[],
  question: Omit<LineQuestion, 'above'>,
  at = terminal(),
): Promise<string | undefined> {
  let shown = screenful(lines, 0);
  let above = lines.slice(0, shown);
  while (shown < lines.length) {
    const prompt = `${lines.length - shown} more lines. (v = view them, n = no, or n and why) [n] `;
    const line = await askLine({ ...question, prompt, above: whole(above) }, at);
    if (line === undefined || /^\s*(?:n|$)/i.test(line)) return line;
    const end = /^\s*v(?:iew)?\s*$/i.test(line) ? screenful(lines, shown) : shown;
    above = end === shown ? ['Not all of it was shown yet.'] : lines.slice(shown, end);
    shown = end;
  }
  return askLine({ ...question, above: whole(above) }, at);
}

/** Index behind those that are shown at once, one at least. */
function screenful(lines: readonly string[], from: number): number {
  let room = MOST_AT_ONCE;
  let end = from;
  while (end < lines.length && (end === from || room > 0)) room -= Math.ceil(((lines[end++] ?? '').length + 1) / WIDTH);
  return end;
}

function whole(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
