/**
 * Text of a model, a file or a command, made fit for the eye (P7): what cannot be seen and could deceive is spelled out, so
 * that a right-to-left override becomes `⟨U+202E⟩`.
 */

/** Select graphic rendition: the colours of a terminal, which say nothing here. */
const COLOURS = /\u001b\[[\d;:]*m/g;

/** Flags that are spelled in tag characters; joiners between two letters that are not ASCII (emoji families, Persian). */
const HONEST = String.raw`\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}|(?<=\P{ASCII})[\u200C\u200D](?=\P{ASCII})`;
/** Controls but for line feed and tab, format characters, line separators, halves of characters, blank letters. */
const HIDDEN = String.raw`[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034F\u115F\u1160\u2800\u3164\uFFA0]`;
const PATTERN = new RegExp(`(${HONEST})|${HIDDEN}`, 'gu');

export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(PATTERN, (hidden: string, honest: string | undefined) => {
    if (honest !== undefined) return honest;
    return `⟨U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** What a command printed: colours are dropped, and a progress line that was written over becomes lines of its own. */
export function visibleOutput(text: string): string {
  return visible(text.replace(COLOURS, '').replace(/\r+\n?/g, '\n'));
}

/** On one line: for titles and names. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}

/** The first `max` UTF-16 units or fewer, never half a character. */
export function head(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}

/** The last `max` UTF-16 units or fewer, never half a character. */
export function tail(text: string, max: number): string {
  return max >= text.length ? text : text.slice(text.length - max).replace(/^[\uDC00-\uDFFF]/, '');
}
