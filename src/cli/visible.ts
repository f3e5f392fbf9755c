/**
 * Text of the model, of a file or of another program on its way to a terminal: data, never a command to it. All of it goes through
 * `session/visible.ts`, here in the forms that the command line needs.
 */
import { visible, visibleLine } from '../session/visible.ts';
import { oneLine } from '../text/codePoints.ts';
import type { Outlet } from '../transcript/exportFile.ts';
import type { Output } from './output.ts';

/** Whole lines for a person who decides by them: a tab is as wide everywhere. */
export function plainLines(text: string): string {
  return visible(text.replaceAll('\t', '    '));
}

/** On one line, cut at `length` characters. */
export function plainLine(text: string, length = 200): string {
  return visibleLine(oneLine(text, length));
}

/** JSON that also spells out what JSON allows as it is and a terminal obeys; a program reads the same value from it. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (point) =>
    // A code point is one or two units of the string.
    point.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** Standard output for a transcript: a program gets it as it is. */
export function outletOf(stdout: Output): Outlet {
  if (!stdout.isTerminal) return stdout;
  return {
    write: (text) => stdout.write(visible(text)),
    get closed() {
      return stdout.closed;
    },
  };
}

/** What the next piece can still make harmless: half a line break, and a joiner or flag whose other half comes. */
const OPEN_END = /(?:\r|[\u200C\u200D]*(?:\u{1F3F4}[\u{E0020}-\u{E007E}]*)?)$/u;

/** `visible` for a text that comes in pieces. */
export class VisiblePieces {
  /** The last character that was shown: a joiner behind it may be honest. */
  #last = '';
  #held = '';

  push(piece: string): string {
    const text = this.#held + piece;
    const open = OPEN_END.exec(text)?.index ?? text.length;
    this.#held = text.slice(open);
    return this.#shown(text.slice(0, open));
  }

  /** What is left when no piece comes any more; the next one begins another text. */
  end(): string {
    const left = this.#shown(this.#held);
    this.#held = '';
    this.#last = '';
    return left;
  }

  #shown(text: string): string {
    const shown = visible(this.#last + text).slice(visible(this.#last).length);
    this.#last = /.$/su.exec(text)?.[0] ?? this.#last;
    return shown;
  }
}
