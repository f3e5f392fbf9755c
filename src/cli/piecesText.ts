/** What a reading command says, on a terminal or in a pipe. */
import { visible } from '../session/visible.ts';
import { plainOf, type Piece } from '../transcript/pieces.ts';
import type { Output } from './output.ts';

const STYLES = { dim: ['\x1b[2m', '\x1b[22m'], heading: ['\x1b[1m', '\x1b[22m'] } as const;

/** `terminal`: with styles, unless NO_COLOR is set. */
export function piecesText(pieces: readonly Piece[], terminal: boolean): string {
  const styled = terminal && (process.env['NO_COLOR'] ?? '') === '';
  return plainOf(pieces, ({ text, style }) => {
    const shown = visible(text);
    if (!styled || style === undefined) return shown;
    const [begin, end] = STYLES[style];
    return `${begin}${shown}${end}`;
  });
}

/** The same as they are made, as fast as they are taken; ends quietly when nobody takes them any more. */
export async function writePieces(pieces: AsyncIterable<Piece>, stdout: Output): Promise<void> {
  for await (const piece of pieces) {
    if (stdout.closed) return;
    await stdout.write(piecesText([piece], stdout.isTerminal));
  }
}
