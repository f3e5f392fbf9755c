/** What a reading command says, in pieces that each front end shows in its own way: a terminal dims, the panel sets in fences. */
import { code, fence } from './blocks.ts';

export interface Piece {
  /** One or more whole lines, without a line break at the end. Text of the log as it is: it may hold control characters. */
  text: string;
  /** `dim`: thinking. `heading`: begins a turn or part. Otherwise preformatted text. */
  style?: 'dim' | 'heading';
}

/** For the panel: a Markdown document in which no text can be taken for structure. */
export function markdownOf(pieces: readonly Piece[]): string {
  const blocks: string[] = [];
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0) blocks.push(fence(lines.join('\n')));
    lines = [];
  };
  for (const { text, style } of pieces) {
    if (style !== 'heading') {
      lines.push(text);
      continue;
    }
    close();
    blocks.push(`**${code(text)}**\n`);
  }
  close();
  return blocks.join('\n');
}

/** For a terminal: `show` makes one piece's text fit for it, with or without colour. */
export function plainOf(pieces: readonly Piece[], show: (piece: Piece) => string = ({ text }) => text): string {
  return pieces.map((piece) => `${show(piece)}\n`).join('');
}

/** The first `most` characters (code points); the whole text when it has no more. */
export function cut(text: string, most: number): { text: string; more: number } {
  // UTF-16 units are never fewer than code points, so most texts need no count.
  if (text.length <= most) return { text, more: 0 };
  let end = 0;
  for (let points = 0; points < most && end < text.length; points++) end += widthAt(text, end);
  let more = 0;
  for (let at = end; at < text.length; more++) at += widthAt(text, at);
  return { text: text.slice(0, end), more };
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** On one line, cut at `most` characters. */
export function excerpt(text: string, most = 100): string {
  // A text can be long: its beginning is enough.
  const line = text
    .slice(0, most * 20)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim();
  const { text: shown, more } = cut(line, most);
  return more > 0 || text.length > most * 20 ? `${shown.trimEnd()}…` : shown;
}
