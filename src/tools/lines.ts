/**
 * A file's text as lines and the line ending behind each, so that a search text with plain line feeds is found whatever the
 * endings are, and every ending that is not part of a change stays as it is (P1).
 */
import { diffArrays } from 'diff';

export type LineEnding = '\n' | '\r\n' | '\r';

export interface Lines {
  /** With `\n` for every ending. */
  text: string;
  /** In order; one for each `\n` of `text`. */
  endings: readonly LineEnding[];
}

export function splitEndings(raw: string): Lines {
  const endings: LineEnding[] = [];
  const text = raw.replace(/\r\n?|\n/g, (ending) => {
    endings.push(ending as LineEnding);
    return '\n';
  });
  return { text, endings };
}

/** {@link splitEndings} of the result gives the same text again. */
export function joinEndings({ text, endings }: Lines): string {
  let line = 0;
  return text.replaceAll('\n', () => endings[line++] ?? '\n');
}

/** What most lines end in; `\n` when there are no lines. */
export function mainEnding(endings: readonly LineEnding[]): LineEnding {
  const count = (ending: LineEnding) => endings.filter((other) => other === ending).length;
  return (['\r\n', '\r'] as const).find((ending) => count(ending) * 2 > endings.length) ?? '\n';
}

/**
 * Puts `replacement` in the place of each stretch of `length` characters that begins at one of `starts` (offsets in `text`,
 * rising, not overlapping). Lines that are the same before and after keep their ending; new lines get `main`.
 */
export function replaceAt(
  { text, endings }: Lines,
  starts: readonly number[],
  length: number,
  replacement: string,
  main: LineEnding,
): Lines {
  const pieces: string[] = [];
  const pieceEndings: (readonly LineEnding[])[] = [];
  let at = 0;
  let line = 0;
  /** The endings of the text up to `end`, which are then behind us. */
  const advance = (end: number): readonly LineEnding[] => {
    const first = line;
    line += breaksIn(text.slice(at, end));
    at = end;
    return endings.slice(first, line);
  };
  /** A carriage return directly before what comes next. */
  let isReturn = false;
  for (const start of starts) {
    const kept = text.slice(at, start);
    pieces.push(kept, replacement);
    const keptEndings = advance(start);
    if (kept !== '') isReturn = kept.endsWith('\n') && keptEndings.at(-1) === '\r';
    const old = text.slice(start, start + length);
    const carried = carryEndings(old, advance(start + length), replacement, main);
    keepApart(carried, replacement, isReturn, text[at] === '\n' ? endings[line] : undefined);
    if (replacement !== '') isReturn = replacement.endsWith('\n') && carried.at(-1) === '\r';
    pieceEndings.push(keptEndings, carried);
  }
  pieces.push(text.slice(at));
  pieceEndings.push(endings.slice(line));
  return { text: pieces.join(''), endings: pieceEndings.flat() };
}

/** More changed lines than this are not compared one by one. */
const MOST_CHANGED_LINES = 2000;

/** The endings of `after`, which takes the place of `before`: a changed line keeps that of the line that it replaces. */
function carryEndings(before: string, endings: readonly LineEnding[], after: string, main: LineEnding): LineEnding[] {
  const carried = new Array<LineEnding>(breaksIn(after)).fill(main);
  if (endings.every((ending) => ending === main)) return carried;
  const changes = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: MOST_CHANGED_LINES }) ?? [];
  let from = 0;
  let to = 0;
  let replaced: readonly LineEnding[] = [];
  for (const { count, added, removed } of changes) {
    const old = endings.slice(from, from + count);
    if (!added) from += count;
    if (!removed) {
      const source = added ? replaced : old;
      for (let line = 0; line < count && to + line < carried.length; line++) carried[to + line] = source[line] ?? main;
      to += count;
    }
    replaced = removed ? old : [];
  }
  return carried;
}

/**
 * A carriage return and the line feed of an empty line behind it would be one ending, and that line would be gone: then it is the
 * ending of the new text that gives way. `isReturn`: one stands before it; `next`: the ending that begins right behind it.
 */
function keepApart(endings: LineEnding[], text: string, isReturn: boolean, next: LineEnding | undefined): void {
  let line = endings.length - 1;
  for (let at = text.lastIndexOf('\n'); at !== -1; at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1), line--) {
    const behind = at === text.length - 1 ? next : text[at + 1] === '\n' ? endings[line + 1] : undefined;
    if (endings[line] === '\r' && behind === '\n') endings[line] = '\n';
  }
  if (isReturn && text.startsWith('\n') && endings[0] === '\n') endings[0] = '\r\n';
}

function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
