/** What the panel does with text beside spelling out what cannot be seen (src/session/visible.ts). */
import { visible } from '../src/session/visible.ts';

/** Select graphic rendition: the colours of a terminal, which say nothing here. */
const COLOURS = /\u001b\[[\d;:]*m/g;

/** What a command printed: colours are dropped, and a progress line that was written over becomes lines of its own. */
export function visibleOutput(text: string): string {
  return visible(text.replace(COLOURS, '').replace(/\r+\n?/g, '\n'));
}

/** The first `max` UTF-16 units or fewer, never half a character. */
export function head(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}

/** The last `max` UTF-16 units or fewer, never half a character. */
export function tail(text: string, max: number): string {
  return max >= text.length ? text : text.slice(text.length - max).replace(/^[\uDC00-\uDFFF]/, '');
}
