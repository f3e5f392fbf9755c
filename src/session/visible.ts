/**
 * Text of a model, a file or a command, made fit for the eye (P7): what cannot be seen and could deceive is spelled out, so
 * that a right-to-left override becomes `⟨U+202E⟩`. A person decides by what stands there.
 */

/** Control characters, line separators, and what shows as nothing or turns the text around it: not for names. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Flags that are spelled in tag characters; joiners between two letters that are not ASCII (emoji families, Persian). */
const HONEST = String.raw`\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}|(?<=\P{ASCII})[\u200C\u200D](?=\P{ASCII})`;
/** Controls but for line feed and tab, format characters, line separators, halves of characters, blank letters. */
const HIDDEN = String.raw`[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034F\u115F\u1160\u2800\u3164\uFFA0]`;
const PATTERN = new RegExp(`(${HONEST})|${HIDDEN}`, 'gu');

/** Line breaks and tabs stay; `\r\n` is one line break. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(PATTERN, (hidden: string, honest: string | undefined) => {
    return honest ?? spelled(hidden);
  });
}

/** `⟨U+200D⟩` for one code point. */
export function spelled(point: string): string {
  return `⟨U+${(point.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** On one line: for titles and names. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}
